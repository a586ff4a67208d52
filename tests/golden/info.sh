#!/bin/sh
# gait info and gait merge: what they print and return, on the example of docs/FORMAT.md and on the
# stored corpus. The expected text is here.
gait=${GAIT_OUT:-o/rel}/gait
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() {
    echo "info.sh: $1" >&2
    bad=1
}
# expect STATUS COMMAND...: runs it, output to $dir/out and $dir/err.
expect() {
    want=$1; shift
    "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ "$got" = "$want" ] || fail "$*: status $got instead of $want: $(cat "$dir/err")"
}
same() {
    diff -u "$1" "$2" >&2 || fail "$3"
}

perl -ne 'if (/^```/) { $in = /^```hex/; next } next unless $in; s/#.*//; s/\s//g; print pack("H*", $_)' \
    docs/FORMAT.md >"$dir/example"

expect 0 "$gait" info "$dir/example"
cat >"$dir/want" <<'WANT'
mode          sampled
command       lua fib.lua
started       2023-11-14 22:13:20 UTC
gait          1.0
modules       /usr/bin/lua deadbeef
CPU time      user 1.000 s, kernel 0.000 s
recorded      1 windows of 2 interrupts: 50.0 % walked
              2000 instructions, 0.002 million per CPU second
              1 batches of walks
own cost      agent 0.00 %, tool 0.00 % of the CPU time; start-up 0.0 ms apart
keys          2 edges, 1 ranges
losses        1 x cut: window cut short
WANT
same "$dir/want" "$dir/out" "the text of info"
expect 0 "$gait" info -i "$dir/example"
same "$dir/want" "$dir/out" "-i"

expect 0 "$gait" info --json "$dir/example"
tr -d '\n' <"$dir/out" | sed -e 's/": /":/g' -e 's/, "/,"/g' >"$dir/json"
printf %s '{"schema":"gait/info/1","command":"lua fib.lua","mode":"sampled","weight":"count","raw":true,' \
    '"complete":true,"recordings":1,"start_ns":1700000000000000000,"facts":{"gait":["1.0"]},' \
    '"modules":[{"id":0,"path":"/usr/bin/lua","build_id":"deadbeef"}],"threads":[],"losses":{"cut":1},' \
    '"rows":[{"edges":2,"ranges":1,"nodes":2,"names":0,"batches":1,"windows":1,"interrupts":2,"walked_share":0.5,' \
    '"instructions":2000,"instructions_per_second":2000,"user_time":1,"kernel_time":0,"whole_user_time":0,"whole_kernel_time":0,"off_time":0,"agent_time":0,' \
    '"tool_time":0,"once_time":0,"agent_share":0,"tool_share":0}]}' >"$dir/want.json"
same "$dir/want.json" "$dir/json" "the JSON of info"

head -c 250 "$dir/example" >"$dir/cut"
expect 0 "$gait" info "$dir/cut"
grep -q '^mode .*not closed' "$dir/out" || fail "a cut file is not called unfinished"
grep -q 'cut: cut short in the chunk at byte' "$dir/err" || fail "a cut file gives no warning"
expect 0 "$gait" info -q "$dir/cut"
[ -s "$dir/err" ] && fail "-q is not quiet"

expect 0 "$gait" info --help
grep -q '^usage: gait info' "$dir/out" || fail "info --help prints no usage"
expect 0 "$gait" merge --help
grep -q '^usage: gait merge' "$dir/out" || fail "merge --help prints no usage"
expect 129 "$gait" info --nonsense
expect 129 "$gait" info a b
expect 129 "$gait" merge "$dir/example"
expect 129 "$gait" merge -o "$dir/sum"
expect 2 "$gait" info "$dir/missing"
expect 2 "$gait" info docs/FORMAT.md
expect 2 "$gait" merge -o "$dir/sum" "$dir/example" docs/FORMAT.md
expect 2 "$gait" merge -o "$dir/sum" "$dir/example" tests/fuzz/corpus/profile/seed-00
grep -q 'seed-00: sampled and exact profiles cannot be merged' "$dir/err" || fail "modes are mixed in silence"
[ -e "$dir/sum" ] && fail "a merge that failed left a file"
expect 1 "$gait" merge -o "$dir/nowhere/sum" "$dir/example"

# Merging a profile with itself doubles it; the order of files does not matter, and merging is exact.
expect 0 "$gait" merge -o "$dir/twice" "$dir/example" "$dir/example"
expect 0 "$gait" info "$dir/twice"
sed -e 's/user 1.000/user 2.000/' -e 's/1 windows of 2/2 windows of 4/' -e 's/2000 instructions/4000 instructions/' \
    -e 's/1 batches/2 batches/' -e 's/1 x cut/2 x cut/' -e '/^mode/amerged        2 recordings' "$dir/want" >"$dir/doubled"
same "$dir/doubled" "$dir/out" "merging with itself"
seeds=tests/fuzz/corpus/profile/seed
expect 0 "$gait" merge -q -o "$dir/abc" $seeds-04 $seeds-07 $seeds-10
expect 0 "$gait" merge -q -o "$dir/cba" $seeds-10 $seeds-07 $seeds-04
expect 0 "$gait" merge -q -o "$dir/bc" $seeds-07 $seeds-10
expect 0 "$gait" merge -q -o "$dir/a_bc" $seeds-04 "$dir/bc"
cmp "$dir/abc" "$dir/cba" >&2 || fail "the order of files shows"
cmp "$dir/abc" "$dir/a_bc" >&2 || fail "merging is not associative"

# An existing file is moved, also when it is one of those merged.
cp "$dir/abc" "$dir/before"
expect 0 "$gait" merge -q -o "$dir/abc" "$dir/abc" $seeds-01
cmp "$dir/before" "$dir/abc.old" >&2 || fail "the old file was not kept"
exit $bad
