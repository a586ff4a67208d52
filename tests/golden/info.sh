#!/bin/bash
# gait info and gait merge: what they print and return, on the example of docs/FORMAT.md and on the
# stored corpus. The expected text is here.
. tests/golden/lib/golden.sh

perl -ne 'if (/^```/) { $in = /^```hex/; next } next unless $in; s/#.*//; s/\s//g; print pack("H*", $_)' \
    "$top/docs/FORMAT.md" >example
seeds=$top/tests/fuzz/corpus/profile/seed

expect 0 "$gait" info example
cat >want <<'WANT'
mode          sampled
command       lua fib.lua
started       2023-11-14 22:13:20 UTC
gait          1.0
modules       /usr/bin/lua deadbeef
CPU time      user 1.000 s, kernel 0.000 s
recorded      1 windows of 2 interrupts; 50.0 % of user time walked
              2000 instructions, 0.002 million per CPU second
              1 batches of walks
own cost      agent 0.00 %, tool 0.00 % of the CPU time; not included: start-up and end, 0.0 ms
              the agent's: interrupts 0.00 %, walking 0.00 %, copying code 0.00 %
keys          2 edges, 1 ranges
losses        1 x cut: window cut short
WANT
same want out "the text of info"
expect 0 "$gait" info -i example
same want out "-i"

expect 0 "$gait" info --json example
tr -d '\n' <out | sed -e 's/": /":/g' -e 's/, "/,"/g' >json
printf %s '{"schema":"gait/info/1","command":"lua fib.lua","mode":"sampled","weight":"count","raw":true,' \
    '"complete":true,"recordings":1,"start_ns":1700000000000000000,"views":[],"facts":{"gait":["1.0"]},' \
    '"modules":[{"id":0,"path":"/usr/bin/lua","build_id":"deadbeef"}],"threads":[],"losses":{"cut":1},"loss_texts":{"cut":"window cut short"},' \
    '"rows":[{"edges":2,"ranges":1,"nodes":2,"names":0,"records":0,"batches":1,"windows":1,"recorded_windows":1,"interrupts":2,"kernel_samples":0,"walked_share":0.5,' \
    '"instructions":2000,"instructions_per_second":2000,"user_time":1,"kernel_time":0,"whole_user_time":0,"whole_kernel_time":0,"off_time":0,"agent_time":0,' \
    '"tool_time":0,"once_time":0,"agent_share":0,"interrupts_share":0,"walking_share":0,"copying_share":0,"tool_share":0}]}' >want.json
same want.json json "the JSON of info"

head -c 250 example >cut
expect 0 "$gait" info cut
grep -q '^mode .*not closed' out || fail "a cut file is not called unfinished"
grep -q 'cut: cut short in the chunk at byte' err || fail "a cut file gives no warning"
expect 0 "$gait" info -q cut
[ -s err ] && fail "-q is not quiet"

expect 0 "$gait" info --help
grep -q '^usage: gait info' out || fail "info --help prints no usage"
expect 0 "$gait" merge --help
grep -q '^usage: gait merge' out || fail "merge --help prints no usage"
expect 129 "$gait" info --nonsense
expect 129 "$gait" info a b
expect 129 "$gait" merge example
expect 129 "$gait" merge -o sum
expect 2 "$gait" info missing
expect 2 "$gait" info "$top/docs/FORMAT.md"
expect 2 "$gait" merge -o sum example "$top/docs/FORMAT.md"
expect 2 "$gait" merge -o sum example "$seeds-00"
grep -q 'seed-00: sampled and exact profiles cannot be merged' err || fail "modes are mixed in silence"
[ -e sum ] && fail "a merge that failed left a file"
expect 1 "$gait" merge -o nowhere/sum example

# Merging a profile with itself doubles it; the order of files does not matter, and merging is exact.
expect 0 "$gait" merge -o twice example example
expect 0 "$gait" info twice
sed -e 's/user 1.000/user 2.000/' -e 's/1 windows of 2/2 windows of 4/' -e 's/2000 instructions/4000 instructions/' \
    -e 's/1 batches/2 batches/' -e 's/1 x cut/2 x cut/' -e '/^mode/amerged        2 recordings' want >doubled
same doubled out "merging with itself"
expect 0 "$gait" merge -q -o abc "$seeds-04" "$seeds-07" "$seeds-10"
expect 0 "$gait" merge -q -o cba "$seeds-10" "$seeds-07" "$seeds-04"
expect 0 "$gait" merge -q -o bc "$seeds-07" "$seeds-10"
expect 0 "$gait" merge -q -o a_bc "$seeds-04" bc
cmp abc cba >&2 || fail "the order of files shows"
cmp abc a_bc >&2 || fail "merging is not associative"

# An existing file is moved, also when it is one of those merged.
cp abc before
expect 0 "$gait" merge -q -o abc abc "$seeds-01"
cmp before abc.old >&2 || fail "the old file was not kept"
exit $bad
