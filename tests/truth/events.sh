#!/bin/bash
# record --events: every address, value, vector, count and stack access of a program that knows them, against what its own
# numbers say; each kind alone and all together. The program's output is its own.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v nm >/dev/null || skip 'no nm'
make -s "${GAIT_OUT:-o/rel}/programs/events" >&2 || exit 1
program=$built/programs/events
rounds=3000000
"$program" "$rounds" >"$work/native"
for events in address value latency address,value address,value,latency; do
    for trigger in auto cputime; do
        # Few loads are timed: windows that are long have some.
        how=(--overhead 40%) && [ $events = latency ] && how+=(--window 20000)
        "$gait" record "${how[@]}" --trigger $trigger --events $events --dump-events "$work/dump" -o "$work/data" -- \
            "$program" "$rounds" >"$work/output" 2>"$work/stderr" || bad "$events: status $?"
        cmp -s "$work/native" "$work/output" || bad "$events, $trigger: the program's output differs"
        grep -q 'do not fit' "$work/stderr" && bad "$events: $(cat "$work/stderr")"
        said=$(python3 -B tests/truth/lib/events.py "$program" ${events//,/ } <"$work/dump") || bad "$events, $trigger: $said"
        echo "$events, $trigger: $said"
        same "rights of what was dumped" 600 "$(stat -c %a "$work/dump")"
        "$gait" verify "$work/data" >/dev/null || bad "$events: verify"
    done
done
# Faults and signals in the middle of code that records; registers that are in slots then.
make -s -C . "${GAIT_OUT:-o/rel}"/programs/{faults,signal_fix,signal_divide,signal_context,exceptions,odd,flags,red_zone,strings,floats} >&2
for name in faults signal_fix signal_divide signal_context exceptions odd flags red_zone strings floats; do
    "$built/programs/$name" >"$work/native" 2>/dev/null </dev/null
    native=$?
    "$gait" record -q -F 2000 --events address,value,latency -o "$work/data" -- "$built/programs/$name" >"$work/output" 2>/dev/null </dev/null
    same "$name: status" $native $?
    cmp -s "$work/native" "$work/output" || bad "$name: its output differs"
done
status 125 'an unknown word' "$gait" record --events edge,colour -o "$work/none" -- true
says 'expected edge, call, address'
status 125 'no words' "$gait" record --events '' -o "$work/none" -- true
status 125 'with exact counts' "$gait" record --events value --exact=counts -o "$work/none" -- true
finish
