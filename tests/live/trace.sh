#!/bin/bash
# --exact=trace: counts what --exact=counts does, to the last execution; the course of the program holds
# together; and the program never notices, not even when the tool dies.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
tiers=$(program tiers)
faults=$(program faults)
cd "$work" || exit 1
head -c 300000 /usr/lib/x86_64-linux-gnu/libc.so.6 >input

# Addresses and hashes are the same in every run: counts must be as well.
fixed() { env -i PATH="$PATH" PERL_HASH_SEED=0 setarch -R "$@"; }
fixed true 2>/dev/null || skip 'setarch -R is refused here: runs cannot be compared'
# twin NAME COMMAND...
twin() {
    local name=$1 by
    shift
    "$@" >native 2>/dev/null
    local expected=$?
    for mode in counts trace; do
        fixed "$gait" record --exact=$mode -o $mode.data -- "$@" >$mode.out 2>$mode.said
        same "$name, $mode: status" $expected $?
        cmp -s native $mode.out || bad "$name: other output with --exact=$mode"
        for by in edge block call; do "$gait" report -i $mode.data --by $by --json >$mode.$by; done
    done
    grep -q 'trace: .* each begins where the one before ended' trace.said ||
        { bad "$name: the trace does not hold together"; cat trace.said; }
    "$gait" verify trace.data >verdict || { bad "$name does not verify"; tail -20 verdict; }
    /usr/bin/python3 - "$name" <<'P' || bad "$name: traces count otherwise than counters"
import json, sys
differ = 0
for by in "edge", "block", "call":
    sides = []
    for mode in "counts", "trace":
        rows = json.load(open(f"{mode}.{by}"))["rows"]
        sides.append({(r.get("from") or r["address"], r.get("to"), r.get("kind")): r["count"] for r in rows})
    keys = {key for side in sides for key in side}
    if len(keys) < 10:
        sys.exit(f"{sys.argv[1]}: only {len(keys)} rows by {by}")
    for key in sorted(keys, key=str):
        if sides[0].get(key) != sides[1].get(key):
            differ += 1
            if differ < 5:
                print("    |", key, sides[0].get(key), sides[1].get(key))
sys.exit(differ > 0)
P
}
twin bzip2 bzip2 -9 -c input
twin perl perl -e 'my %h; $h{$_ % 100} += length "x$_" for 1 .. 50000; print join ",", map { $h{$_} } sort keys %h'
twin tiers "$tiers" 3
# No shell: it prints its parent's number to a variable, in a loop of as many rounds as that has digits.
twin 'exec' env env gzip -9 -c input

# The program's own faults reach its handlers; what ran of the code that they left is counted.
"$faults" >native 2>/dev/null
expected=$?
status $expected faults "$gait" record --exact=trace -o faults.data -- "$faults"
cmp -s native stdout || bad 'faults: other output'
says 'each begins where the one before ended'

# A tool that is killed leaves a program that runs on.
bzip2 -9 -c /usr/lib/x86_64-linux-gnu/libc.so.6 >native
"$gait" record -q --exact=trace -o killed.data -- bash -c 'bzip2 -9 -c /usr/lib/x86_64-linux-gnu/libc.so.6 >traced && touch done' &
tool=$!
sleep 0.3
kill -9 $tool
wait $tool 2>/dev/null
for ((i = 0; i < 300; i++)); do [ -e done ] && break; sleep 0.1; done
[ -e done ] || bad 'the program did not end after the tool had been killed'
cmp -s native traced || bad 'the tool was killed, and the program did something else'
finish
