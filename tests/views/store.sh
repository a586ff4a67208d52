#!/bin/bash
# Recordings in a store give what gait merge of the same files gives, in every view; each is stored once.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
. tests/live/lib/postgres.sh

program=$work/orders
cp "$(program orders)" "$program"
recorded=
for mode in $modes; do
    for i in 1 2; do
        "$gait" record -q $(options_of "$mode") -o "$work/$mode-$i" -- "$program" >/dev/null 2>&1 || bad "$mode-$i is not recorded"
        recorded="$recorded $work/$mode-$i"
    done
done
rm "$program" # names and code come from the store

# What a view shows, whatever its input is called.
shown() { "$gait" "${@:2}" -i "$1" 2>&1 | sed "s|'$1'|INPUT|g; s|$1|INPUT|g"; }
views=('report --no-pager' 'report --json' 'report --json --by line' 'contexts --json' info 'export --format collapsed -o -' 'timeline --json')
# alike MODE STORE: views of the store and of the merged files.
alike() {
    local view
    for view in "${views[@]}"; do
        shown "$work/$1-merged" $view >"$work/expected"
        shown "$2" $view >"$work/got"
        diff "$work/expected" "$work/got" >"$work/diff" || { bad "$1, $view: '<' is of the merged file, '>' of the store"; head -n 10 "$work/diff"; }
    done
    status 0 "$1 merged out of the store" "$gait" merge -q -o "$work/$1-out" "$2"
    cmp "$work/$1-out" "$work/$1-merged" || bad "$1: the file out of the store differs from the merged one"
    grep -q 'shop::' <(shown "$2" report --no-pager) || bad "$1: functions have no names"
}
# takes STORE MARK: the whole of it; a question begins with the mark.
takes() {
    local store=$1 ask=$1$2 mode
    status 0 'first push' "$gait" push -s "$store" $recorded
    says "$(wc -w <<<"$recorded") recordings sent, 0 were there already"
    status 0 'second push' "$gait" push -s "$store" $recorded
    says "0 recordings sent, $(wc -w <<<"$recorded") were there already"
    for mode in $modes; do
        "$gait" merge --no-values -q -o "$work/$mode-merged" "$work/$mode-1" "$work/$mode-2"
        alike "$mode" "${ask}mode=$mode&service=orders&since=1h"
    done
    status 0 'of one machine' "$gait" report -i "${ask}machine=$(hostname)&mode=exact"
    status 2 'of another' "$gait" report -i "${ask}machine=no-such"
    says 'no recording matches'
    status 2 'before all' "$gait" report -i "${ask}until=2020-01-01"
    build=$("$gait" info "$work/exact-1" | sed -n 's|.*/orders \([0-9a-f]*\)$|\1|p')
    status 0 'of one build' "$gait" report -i "${ask}mode=exact&build=${build:0:6}"
    status 2 'of another build' "$gait" report -i "${ask}mode=exact&build=${build:0:6}0000000"
    status 2 'of two modes' "$gait" report -i "$store"
    says 'cannot be merged'
    status 0 'another service' "$gait" push -q -s "$store" --service 'a&b %' --machine "x'; DROP TABLE gait_recordings; --" "$work/exact-merged"
    status 0 'its name' "$gait" report -i "${ask}service=a%26b %25"
    status 0 'its machine' "$gait" report -i "${ask}machine=x'; DROP TABLE gait_recordings; --"
    [ "$2" = '&' ] || status 129 'a wrong word' "$gait" report -i "${ask}sinze=1h" # libpq has words of its own
    status 129 'a wrong age' "$gait" report -i "${ask}since=soon"
    says 'since=soon: expected an age'
}

takes "sqlite:$work/store" "?"
same 'mode of the file' 600 "$(stat -c %a "$work/store")"

# What watch sends is smaller, and says the same of functions.
status 0 compact "$gait" push -q --compact -s "sqlite:$work/compact" "$work/sampled-1"
status 0 whole "$gait" push -q -s "sqlite:$work/whole" "$work/sampled-1"
for store in compact whole; do
    "$gait" report --json -i "sqlite:$work/$store" | grep -v '"command":' | sed "s|$work/$store||" >"$work/of-$store"
    "$gait" export --format llvm -o - -i "sqlite:$work/$store" >>"$work/of-$store" 2>/dev/null
done
cmp -s "$work/of-compact" "$work/of-whole" || bad '--compact changes what functions took'
bytes() { "$gait" store show --json -s "sqlite:$work/$1" | grep -o '"bytes": [0-9]*' | cut -d' ' -f2; }
[ "$(bytes compact)" -lt "$(bytes whole)" ] || bad '--compact leaves nothing out'

# Of a store with several builds each is carried over to the one that a compiler wants, and they are added up.
cp "$(program orders)" "$work/newest"
python3 - "$work/newest" <<'P'
import re, subprocess, sys
path = sys.argv[1]
old = bytes.fromhex(re.search('Build ID: ([0-9a-f]+)', subprocess.run(['readelf', '-n', path], capture_output=True, text=True).stdout).group(1))
code = open(path, 'rb').read()
open(path, 'wb').write(code.replace(old, bytes([old[0] ^ 255]) + old[1:]))
P
chmod +x "$work/newest"
cp "$work/newest" "$program" # the same name as the other build
"$gait" record -q --exact=counts -o "$work/of-newest" -- "$program" >/dev/null 2>&1
rm "$program"
status 0 'two builds' "$gait" push -q --service orders -s "sqlite:$work/builds" "$work/exact-1" "$work/of-newest"
llvm() { "$gait" export --format llvm -q -o - --binary "$work/newest" --module orders -i "$1" 2>"$work/stderr" | awk -F: '/^[^ ]/ { n += $(NF - 1) } END { print n }'; }
new=$(llvm "sqlite:$work/builds?build=$(readelf -n "$work/newest" | sed -n 's/.*Build ID: //p')") all=$(llvm "sqlite:$work/builds")
[ "$new" -gt 0 ] && [ "$all" = $((2 * new)) ] || bad "two builds of one run each: $all, of the new one $new"
status 0 'carried into a file' "$gait" carry -q --binary "$work/newest" --module orders -o "$work/carried" "sqlite:$work/builds"
grep -q '"recordings": 2,' <("$gait" info --json "$work/carried") || bad 'the carried profile is not of two recordings'

status 2 'no store' "$gait" report -i "sqlite:$work/none"
says 'no such store'
status 2 'no file' "$gait" push -s "sqlite:$work/store" "$work/none"
status 2 'text as a store' "$gait" push -s "sqlite:$PWD/README.md" "$work/exact-1"
says 'not a SQLite database'
: >"$work/empty"
status 2 'an empty store' "$gait" report -i "sqlite:$work/empty"
says 'no store of gait'
head -c 20000 "$work/store" >"$work/torn"
status 2 'a torn store' "$gait" report -i "sqlite:$work/torn?mode=exact"
python3 -c "import sqlite3; sqlite3.connect('$work/torn2').execute('CREATE TABLE gait_store AS SELECT 99 AS version').connection.commit()"
status 2 'a newer store' "$gait" push -s "sqlite:$work/torn2" "$work/exact-1"
says 'made by a newer gait'
cp "$work/store" "$work/newer"
python3 -c "
import sqlite3
base = sqlite3.connect('$work/newer'); base.execute('UPDATE gait_store SET version = 99'); base.commit()"
status 0 'a newer store that says it can be used' "$gait" push -s "sqlite:$work/newer" "$work/exact-1"
python3 -c "
import sqlite3
base = sqlite3.connect('$work/newer'); base.execute('UPDATE gait_store SET oldest = 99'); base.commit()"
status 2 'one that says it cannot' "$gait" push -s "sqlite:$work/newer" "$work/exact-1"
status 129 'no name of a store' "$gait" push -s "$work/store" "$work/exact-1"
says 'expected sqlite:PATH or postgresql:'

if postgres_start; then
    views=('report --no-pager')
    takes "postgresql://owner@/postgres?host=$pg_sockets" "&" | sed 's/^FAILED/FAILED: PostgreSQL/'
    failures=$((failures + PIPESTATUS[0]))
    # Eight who send at a time, each in its own order, the first of that day: nobody fails, each is stored once.
    sql 'CREATE DATABASE crowd'
    for ((i = 0; i < 30; i++)); do
        set -- $recorded
        shift $((i % $#))
        cp "$1" "$work/crowd-$i" && printf 'tail %d' "$i" >>"$work/crowd-$i"
    done
    for ((i = 0; i < 8; i++)); do
        (shuf -e "$work"/crowd-* | xargs "$gait" push -q -s "postgresql://owner@/crowd?host=$pg_sockets" || echo "sender $i failed") &
    done >"$work/senders" 2>&1
    for ((i = 0; i < 8; i++)); do wait -n; done
    [ ! -s "$work/senders" ] || { bad 'senders at a time'; cat "$work/senders"; }
    status 0 'what a crowd sent' "$gait" store show --json -s "postgresql://owner@/crowd?host=$pg_sockets"
    same 'recordings of a crowd' 30 "$(grep -o '"recordings": [0-9]*' "$work/stdout" | awk '{ n += $2 } END { print n }')"
    status 0 'check of it' "$gait" store check -s "postgresql://owner@/crowd?host=$pg_sockets"
    rm "$work"/crowd-*
else
    echo 'PostgreSQL is not installed: its half was SKIPPED; type:  sudo apt-get install postgresql'
fi
finish
