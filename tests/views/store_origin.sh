#!/bin/bash
# A recording of a running process is one of that process's program, whatever else the process started while it was recorded.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh

# One file of two names, which works little itself; its children have programs of their own.
cp "$(command -v bash)" "$work/served-file"
ln -s served-file "$work/served"
cp "$(program orders)" "$work/child"
"$work/served" -c "while :; do '$work/child' 3 >/dev/null; done" &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$work"' EXIT
"$gait" record -q -p $pid --duration 0.1 -o "$work/try" 2>"$work/stderr" || skip "cannot attach here: $(head -n 1 "$work/stderr")"
build_of() { readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'; }
build=$(build_of "$work/served-file")
[ "$build" ] || skip "the shell has no build-id"
stored() { python3 -c "
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute('SELECT service, build FROM gait_recordings'): print(*row)" "$work/$1"; }

for mode in sampled plain; do
    [[ $modes == *$mode* ]] || continue
    option=
    [ $mode = sampled ] || option=--plain
    status 0 "$mode" "$gait" record -q $option -p $pid --duration 1 -o "$work/$mode" # a child takes all of the time
    grep -q "/child" <("$gait" info "$work/$mode") || bad "$mode: nothing of the children is recorded"
    status 0 "push of $mode" "$gait" push -q -s "sqlite:$work/of-$mode" "$work/$mode"
    same "what $mode is of" "served $build" "$(stored "of-$mode")"
    same "the fact of $mode" "$build served" "$("$gait" info "$work/$mode" | sed -n 's/^ *attached  *//p')"
done
cp "$work/$mode" "$work/again"
status 0 'a name that is told' "$gait" push -q --service told -s "sqlite:$work/told" "$work/again"
same 'is taken' "told $build" "$(stored told)"

# Two processes of different programs are no one program's; two of the same are.
"$work/child" 100000000 >/dev/null &
other=$!
"$work/served" -c "while :; do '$work/child' 3 >/dev/null; done" &
same_=$!
trap 'kill $pid $other $same_ 2>/dev/null; rm -rf "$work"' EXIT
status 0 'of two programs' "$gait" record -q -p $pid,$other --duration 0.3 -o "$work/two"
same 'no fact' '' "$("$gait" info "$work/two" | sed -n 's/^ *attached  *//p')"
status 0 'of one twice' "$gait" record -q -p $pid,$same_ --duration 0.3 -o "$work/twice"
same 'one fact' "$build served" "$("$gait" info "$work/twice" | sed -n 's/^ *attached  *//p')"
kill $other

finish
