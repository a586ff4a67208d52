#!/bin/bash
# What gait watch adds up before it sends is what gait merge makes of the recordings; none is lost or counted twice when it is
# killed, or when the clock jumps.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/postgres.sh
# Rounds of killing and jumping; the long tests have more.
rounds=${GAIT_LONG:+100} rounds=${rounds:-4}

cp "$(program orders)" "$work/web"
"$work/web" 100000000 >/dev/null &
web=$!
trap 'kill $web 2>/dev/null; rm -rf "$work"' EXIT
"$gait" record -q -p $web --duration 0.1 -o "$work/try" 2>"$work/stderr" || skip "cannot attach here: $(head -n 1 "$work/stderr")"

conf=$work/watch.conf
configure() { # STORE LINE...
    printf '%s\n' "store = $1" "spool = $work/spool" 'budget = 100 %' 'every = 0.1s' 'seconds = 0.05s' "machine = here" 'send = 1h' "${@:2}" >"$conf"
}
# Recordings that the sums in a store are made of.
recordings() { "$gait" info --json "$1" 2>"$work/stderr" | python3 -c 'import json, sys; print(json.load(sys.stdin)["recordings"])'; }
# What views say, but for commands, and advice, which names them.
rows() {
    local view
    for view in 'report' 'report --by line' 'report --by edge' 'contexts' 'waits'; do
        "$gait" $view --json -i "$1" | python3 -c 'import json, sys
for key, value in json.load(sys.stdin).items():
    if key not in ("command", "advice", "verdict"): print(key, json.dumps(value).replace("}, ", "},\n"))'
    done
}

# Killed before it has sent, it leaves its recordings; the next one adds them up.
configure "sqlite:$work/one.db" 'watch name=web service=a-b%2d'
"$gait" watch --config "$conf" 2>"$work/log" &
watch=$!
until [ "$(grep -c recorded "$work/log")" -ge 4 ] || ! kill -0 $watch 2>/dev/null; do sleep 0.05; done
kill -9 $watch
wait $watch 2>/dev/null
sleep 0.3 # its recorder may be writing the last one
rm -f "$work"/spool/*.part
n=$(ls "$work"/spool/*.data | wc -l)
[ "$n" -ge 4 ] || bad "$n recordings wait; 4 were made"
"$gait" merge -q --no-values -o "$work/merged" "$work"/spool/*.data
cp -a "$work/spool" "$work/before"
configure "sqlite:$work/one.db" 'watch name=no-such-program'
status 0 'the sum is sent' "$gait" watch --config "$conf" --rounds 1
# An hour may have ended meanwhile, which makes two sums.
says 'recordings, '
same 'recordings in it' "$n" "$(recordings "sqlite:$work/one.db")"
status 0 'the service' "$gait" report -i "sqlite:$work/one.db?service=a-b%252d"
diff <(rows "$work/merged") <(rows "sqlite:$work/one.db") >"$work/diff" || { bad "'<' is of gait merge, '>' of what was sent"; head -n 5 "$work/diff"; }
same 'the spool' lock "$(ls "$work/spool" | grep -v recorder.log)"

# States between which it can be killed: a list without its sum, with its sum, and after some were removed.
for state in list sum removed; do
    rm -rf "$work/spool" && cp -a "$work/before" "$work/spool"
    first=$(ls "$work/spool" | grep data | head -n 1)
    (cd "$work/spool" && ls *.data) >"$work/spool/${first%.data}.list"
    [ $state = list ] || cp "$work/merged" "$work/spool/${first%.data}.sum"
    [ $state != removed ] || rm "$work/spool/$first"
    touch "$work/spool/${first%.data}.part.123.tmp" # of who was killed while it wrote a sum
    configure "sqlite:$work/$state.db" 'watch name=no-such-program'
    status 0 "killed at: $state" "$gait" watch --config "$conf" --rounds 1
    same "recordings after: $state" "$n" "$(recordings "sqlite:$work/$state.db")"
    same "the spool after: $state" lock "$(ls "$work/spool" | grep -v recorder.log)"
done
# A list names no files elsewhere.
echo ../precious.data >"$work/spool/0-1-.list"
touch "$work/precious.data" "$work/spool/0-1-.sum"
status 0 'a bad list' "$gait" watch --config "$conf" --rounds 1
[ -e "$work/precious.data" ] || bad 'a list removed a file elsewhere'

# A clock that jumps by up to ten years, for gait alone.
cat >"$work/clock.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *to)
{
    static int (*real)(clockid_t, struct timespec *);
    static long jump;
    if (!real) {
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
        jump = getenv("CLOCK_JUMP") ? atol(getenv("CLOCK_JUMP")) : 0;
    }
    int status = real(clock, to);
    if (clock == CLOCK_REALTIME)
        to->tv_sec += jump;
    return status;
}
C
gcc -shared -fPIC -O1 -o "$work/clock.so" "$work/clock.c" -ldl
# jumps STORE: each time with another clock, and killed at any moment; then once with the right one.
jumps() {
    local i said=0 watch
    configure "$1" 'watch name=web service=web'
    for ((i = 0; i < rounds; i++)); do
        CLOCK_JUMP=$(((RANDOM * 32768 + RANDOM) % 630000000 - 315000000)) LD_PRELOAD=$work/clock.so "$gait" watch --config "$conf" 2>"$work/log" &
        watch=$!
        sleep "0.$((RANDOM % 70 + 20))"
        if [ $((i % 2)) = 0 ]; then kill -9 $watch; else kill $watch; fi
        wait $watch 2>/dev/null
        said=$((said + $(grep -c 'recorded web' "$work/log")))
    done
    status 0 'the last' "$gait" watch --config "$conf" --rounds 1
    said=$((said + $(grep -c 'recorded web' "$work/stderr")))
    local now
    now=$(recordings "$1")
    # A line may not have been said before the kill.
    [ "$now" -ge "$said" ] && [ "$now" -le $((said + rounds)) ] || bad "$said recordings were finished in $rounds jumps; $1 has $now"
    same 'the spool' lock "$(ls "$work/spool" | grep -v recorder.log)"
    status 0 check "$gait" store check -q -s "$1"
    echo "$rounds jumps of the clock and kills: $said recordings were finished, the store has $now"
}
rm -rf "$work/spool"
jumps "sqlite:$work/jumps.db"
rm -rf "$work/spool"
if postgres_start; then
    trap 'kill $web 2>/dev/null; postgres_stop; rm -rf "$work" "$pg"' EXIT
    owner="postgresql://owner@/postgres?host=$pg_sockets"
    status 0 'a store' "$gait" push -q -s "$owner" "$work/try"
    sql "DELETE FROM gait_recordings; $(sed -n '/^    CREATE ROLE sender/,/^$/p' docs/FLEET.md)"
    printf 'local all all trust\n' | as_server tee "$pg/data/pg_hba.conf" >/dev/null
    sql 'SELECT pg_reload_conf()' >/dev/null
    # Machines send as a role that may only insert, which makes no days of long ago.
    sender() { sed -i "s|//owner@|//sender@|" "$conf"; }
    eval "$(declare -f configure | sed '1s/configure/configure_owner/')"
    configure() { configure_owner "$@" && sender; }
    jumps "$owner"
else
    echo 'PostgreSQL is not installed: its half was SKIPPED; type:  sudo apt-get install postgresql'
fi
kill -0 $web || bad 'the watched program has ended'
finish
