#!/bin/bash
# gait windows against the trace of the same program: every window is a stretch of it, instruction by instruction and in order;
# calls, depths, loops and lengths of calls are those of the instructions.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
strolls=$(program strolls)
setarch -R true 2>/dev/null || skip 'setarch -R is refused here: runs cannot be compared'
setarch -R "$gait" record -q --exact=trace --dump-stream "$work/stream" -o "$work/exact.data" -- "$strolls" >"$work/exact.out" || bad "trace: status $?"
setarch -R "$gait" record -q -F 2000 --seed 1 -o "$work/sampled.data" -- "$strolls" >"$work/sampled.out" || bad "record: status $?"
cmp -s "$work/exact.out" "$work/sampled.out" || bad 'the two runs differ'
objdump -d --no-show-raw-insn "$strolls" >"$work/code" || bad objdump
/usr/bin/python3 -B tests/truth/lib/windows.py "$gait" "$work" || bad 'windows'
finish
