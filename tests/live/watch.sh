#!/bin/bash
# gait watch records what it is told to, leaves alone what it is told to, and loses nothing that it has finished, whatever is killed.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
# Rounds of killing; the long tests have more.
kills=${GAIT_LONG:+100} kills=${kills:-3}

cp "$(program orders)" "$work/web-one"
cp "$(program orders)" "$work/web-two"
cp "$(program orders)" "$work/db"
children=
# Services give way to other tests.
start() {
    nice -n 10 "$work/$1" 100000000 >/dev/null &
    children="$children $!"
    eval "pid_${1//-/_}=$!"
    until [ "$(cat "/proc/$!/comm")" = "$1" ]; do sleep 0.01; done # until then it cannot be attached to
    sleep 0.1
}
start web-one
start web-two
start db
trap 'kill $children 2>/dev/null; rm -rf "$work"' EXIT
"$gait" record -q -p $pid_db --duration 0.1 -o "$work/try" 2>"$work/stderr" || skip "cannot attach here: $(head -n 1 "$work/stderr")"

conf=$work/watch.conf store=sqlite:$work/fleet.db
configure() { # LINE...
    { printf '%s\n' '# a test' "store = $store" "spool = $work/spool" 'budget = 100 %' 'every = 0.5s' 'seconds = 0.2s' 'send = each' "machine = here"; printf '%s\n' "$@"; } >"$conf"
}
count() { python3 -c "
import sqlite3, sys
print(sqlite3.connect('$work/fleet.db').execute('SELECT count(*) FROM gait_recordings WHERE ' + sys.argv[1]).fetchone()[0])" "$1"; }

# rebuild FILE: the same code with another build-id.
rebuild() {
python3 - "$1" <<'P'
import os, re, subprocess, sys
path = sys.argv[1]
build = re.search('Build ID: ([0-9a-f]+)', subprocess.run(['readelf', '-n', path], capture_output=True, text=True).stdout).group(1)
old = bytes.fromhex(build)
bytes_ = open(path, 'rb').read()
os.remove(path)
open(path, 'wb').write(bytes_.replace(old, bytes([old[0] ^ 255]) + old[1:]))
os.chmod(path, 0o755)
P
}

# Names, users, and what is left alone; the hottest of those that fit.
configure 'watch name=web-* service=the\web' "leave name=web-two" 'watch name=db user=nobody-at-all'
status 0 'two rounds' "$gait" watch --config "$conf" --rounds 2
says 'recorded web-one'
same 'of the service' 2 "$(count "service = 'the\\web' AND machine = 'here'")"
same 'of all' 2 "$(count 1=1)"
status 0 'is shown' "$gait" report -i "$store?service=the%5cweb"
grep -q 'shop::' "$work/stdout" || bad 'functions have no names'
! ls "$work"/spool/*.data "$work"/spool/*.part 2>/dev/null || bad 'the spool still has what was sent'
configure "watch user=$(id -un) name=web-* hottest=1"
status 0 'the hottest' "$gait" watch --config "$conf" --rounds 1
same 'the hottest alone' 3 "$(count 1=1)"
same 'mode' 600 "$(stat -c %a "$work/fleet.db")"
configure 'mode = plain' 'watch name=db'
[[ $modes != *plain* ]] || { status 0 'plain' "$gait" watch --config "$conf" --rounds 1; same 'plain recordings' 1 "$(count "kind LIKE 'plain%'")"; }

# Another build of a service is noticed: the same code with another build-id.
configure 'watch name=db'
"$gait" watch --config "$conf" 2>"$work/log" &
watch=$!
until grep -q 'sent 1' "$work/log" || ! kill -0 $watch 2>/dev/null; do sleep 0.05; done
kill $pid_db
wait $pid_db 2>/dev/null
rebuild "$work/db"
start db
until grep -q 'another build' "$work/log" || ! kill -0 $watch 2>/dev/null; do sleep 0.05; done
kill $watch
wait $watch
grep -q 'db has another build' "$work/log" || bad 'another build is not noticed'

# Two builds that run side by side are no upgrade each time that one of them is recorded.
cp "$(program orders)" "$work/other"
rebuild "$work/other"
start other
configure 'watch name=db service=both' 'watch name=other service=both'
status 0 'two builds of a service' "$gait" watch --config "$conf" --rounds 4
kill $pid_other
[ "$(grep -c 'has another build' "$work/stderr")" -le 1 ] || bad "one other build was noticed $(grep -c 'has another build' "$work/stderr") times"

# A program that was started by another name, as redis-server is, and replaced meanwhile, as by an upgrade.
cp "$(program orders)" "$work/impl"
ln -s impl "$work/called"
start called
configure 'watch name=called'
status 0 'by a link' "$gait" watch --config "$conf" --rounds 1
says 'recorded called'
cp /bin/true "$work/impl-new"
mv "$work/impl-new" "$work/impl"
status 0 'replaced' "$gait" watch --config "$conf" --rounds 1
same 'its service and build as before' 2 "$(count "service = 'called' AND build = '$(readelf -n "$(program orders)" | sed -n 's/.*Build ID: //p')'")"
kill $pid_called

# What does nothing is recorded once.
cp "$(command -v sleep)" "$work/idler"
"$work/idler" 1000 &
children="$children $!"
configure 'every = 1.5s' 'watch name=idler'
status 0 idle "$gait" watch --config "$conf" --rounds 4
[ "$(grep -c 'recorded idler' "$work/stderr")" -le 2 ] || bad "what does nothing was recorded $(grep -c 'recorded idler' "$work/stderr") times"

# Without root it says whose processes it may not record.
if [ "$(id -u)" = 0 ]; then
    mkdir "$work/nobody"
    chown nobody "$work/nobody"
    chmod 711 "$work"
    printf '%s\n' "store = sqlite:$work/nobody/db" "spool = $work/nobody/spool" 'every = 0.5s' 'seconds = 0.2s' 'watch name=web-one' >"$work/nobody/conf"
    cp "$gait" "$built/libgait.so" "$work/nobody"
    status 0 'as nobody' setpriv --reuid nobody --regid nogroup --clear-groups "$work/nobody/gait" watch --config "$work/nobody/conf" --rounds 2
    says "1 processes that fit belong to other users and may not be recorded, such as web-one ($pid_web_one) of root"
    same 'said once' 1 "$(grep -c 'belong to other users' "$work/stderr")"
fi

# A store in a file is rolled up, and kept small.
tidy() { python3 -c "
import sqlite3, sys
base = sqlite3.connect('$work/tidy.db')
print(*(base.execute(text).fetchone()[0] for text in sys.argv[1:] if text.startswith('SELECT') or base.execute(text) and 0))
base.commit()" "$@"; }
cp "$work/fleet.db" "$work/tidy.db"
tidy "UPDATE gait_recordings SET begin_ns = begin_ns - 4 * 3600000000000" "UPDATE gait_recordings SET day = begin_ns / 86400000000000" >/dev/null
store=sqlite:$work/tidy.db
configure 'watch name=web-one'
status 0 'a round' "$gait" watch --config "$conf" --rounds 2
same 'recordings of hours that are over, and of this one' '0 2' "$(tidy "SELECT sum(rolled <> 2) - 2 FROM gait_recordings" "SELECT sum(rolled = 0) FROM gait_recordings")"
status 0 'its trend' "$gait" trend "$store?service=called"
tidy "UPDATE gait_recordings SET day = day - 3 WHERE rolled = 2" "UPDATE gait_sums SET hour = hour - 72" >/dev/null
configure 'store-size = 1K' 'watch name=web-one'
status 0 'too large' "$gait" watch --config "$conf" --rounds 2
same 'days that are left' 1 "$(tidy "SELECT count(DISTINCT day) FROM gait_recordings")"
store=sqlite:$work/fleet.db

# More than may be sent in a day waits, and it says so; nothing of it is lost at the end.
before=$(count "service = 'much'")
configure 'send = 0.2s' 'send-size = 1' 'watch name=web-one service=much'
status 0 'little may be sent' "$gait" watch --config "$conf" --rounds 5
says 'recordings wait and are added up meanwhile'
! ls "$work"/spool/*.data "$work"/spool/*.sum 2>/dev/null || bad 'recordings are left in the spool'

# A full disk: it says so, goes on, and sends what it has when there is room again.
mkdir "$work/full"
if mount -t tmpfs -o size=64k tmpfs "$work/full" 2>/dev/null; then
    printf '%s\n' "store = $store" "spool = $work/full" 'budget = 100 %' 'every = 0.5s' 'seconds = 0.2s' 'send = each' 'watch name=web-one service=full' >"$work/full.conf"
    chmod 700 "$work/full"
    head -c 64K /dev/zero >"$work/full/filler" 2>/dev/null
    status 0 'a full disk' "$gait" watch --config "$work/full.conf" --rounds 2
    says 'is the disk full?'
    mount -o remount,size=16m "$work/full"
    status 0 'room again' "$gait" watch --config "$work/full.conf" --rounds 1
    same 'what was recorded then' 1 "$(count "service = 'full'")"
    umount "$work/full"
else
    echo 'no tmpfs can be mounted here: the full disk was SKIPPED'
fi

# A small budget: the second process waits.
configure 'budget = 0.0001' 'watch name=web-*'
status 0 'a small budget' "$gait" watch --config "$conf" --rounds 1
says 'the budget of 0.0001 % is used up'

# The store is away: recordings wait; of more than the spool may hold the oldest are dropped and counted.
before=$(count 1=1)
store=sqlite:$work/away/fleet.db
configure 'watch name=web-one'
status 0 'away' "$gait" watch --config "$conf" --rounds 3
says 'recordings wait in'
waiting=$(ls "$work"/spool/*.data | wc -l)
same 'waiting' 3 "$waiting"
configure 'spool-size = 1' 'watch name=web-one'
status 0 'too small' "$gait" watch --config "$conf" --rounds 1
says '4 recordings were dropped'
same 'the count is kept' 4 "$(cat "$work/spool/dropped")"
store=sqlite:$work/fleet.db

# Killed at any time: what it said was recorded is stored, once.
configure 'every = 0.1s' 'seconds = 0.05s' 'watch name=web-one'
before=$(count 1=1) said=0
for ((i = 0; i < kills; i++)); do
    "$gait" watch --config "$conf" 2>"$work/log" &
    watch=$!
    sleep "0.$((RANDOM % 90 + 10))"
    kill -9 $watch
    wait $watch 2>/dev/null
    said=$((said + $(grep -c 'recorded web-one' "$work/log")))
done
status 0 'the last' "$gait" watch --config "$conf" --rounds 1
said=$((said + $(grep -c 'recorded web-one' "$work/stderr")))
after=$(count 1=1)
# A line may not have been said before the kill.
[ $((after - before)) -ge "$said" ] && [ $((after - before)) -le $((said + kills)) ] || bad "$said recordings were finished in $kills kills; the store has $((after - before)) more"
! ls "$work"/spool/*.data 2>/dev/null || bad 'recordings are left in the spool'
status 0 check "$gait" store check -s "$store"
kill -0 $pid_web_one || bad 'the watched program has ended'

# SIGTERM ends it, with nothing half done.
"$gait" watch --config "$conf" 2>"$work/log" &
watch=$!
sleep 0.4
status 1 'a second one' "$gait" watch --config "$conf"
says 'another gait watch uses it'
kill $watch
wait $watch
same 'after SIGTERM' 0 $?
! ls "$work"/spool/*.part 2>/dev/null || bad 'a recording is half done'

# Mistakes in the file.
wrong() { configure "$1"; status 129 "$1" "$gait" watch --config "$conf" --rounds 1; says "$2"; }
wrong 'budget = much' 'expected per cent'
wrong 'watch nme=x' 'expected name, cgroup or user'
wrong 'watch' 'which processes?'
wrong 'colour = blue' 'expected store, spool'
wrong 'watch hottest=0' 'expected a number'
wrong 'every = 0.000001' 'expected a time'
wrong 'leave name=x' 'a line is missing: watch'
printf 'store = sqlite:x\nwatch name=x\0\n' >"$conf"
status 2 'a zero byte' "$gait" watch --config "$conf" --rounds 1
says 'it has a zero byte'
configure 'watch name=x'
yes '# a long comment' | head -c 70000 >>"$conf"
status 2 'a long one' "$gait" watch --config "$conf" --rounds 1
says 'longer than 64 KiB'
status 2 'no file' "$gait" watch --config "$work/none"
chmod 777 "$work/spool"
configure 'watch name=web-one'
status 1 'a spool for everybody' "$gait" watch --config "$conf" --rounds 1
says 'nobody else may write it'
finish
