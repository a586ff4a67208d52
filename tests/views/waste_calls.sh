#!/bin/bash
# gait waste --kind same-call: calls that are the same are found, whatever built them; none of those that only look so.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
TURNS=200
for flags in '-O0' '-O2' '-Os' '-O3 -march=native'; do
    # shellcheck disable=SC2086
    g++ -g $flags -o "$work/program" tests/programs/waste/same_calls.cc 2>"$work/stderr" || { bad "g++ $flags"; cat "$work/stderr"; continue; }
    "$gait" record -q --exact=trace --events edge,call,address,value -o "$work/data" -- "$work/program" $TURNS >"$work/stdout" || bad "$flags: record: status $?"
    [ "$(cat "$work/stdout")" = 1 ] || bad "$flags: other output"
    "$gait" waste --kind same-call --json "$work/data" >"$work/json" || bad "$flags: waste: status $?"
    objdump -d --no-show-raw-insn "$work/program" | c++filt >"$work/code"
    /usr/bin/python3 -B - "$work/json" "$work/code" $TURNS <<'PY' || bad "$flags: figures"
import collections, json, re, sys
rows, turns = json.load(open(sys.argv[1]))['rows'], int(sys.argv[3])
# Calls by what they call: the method is called through its table.
target = {int(at, 16): name for at, name in re.findall(r'^ +([0-9a-f]+):\s+call\s+[0-9a-f]+ <(?:derived::)?((?:same|other)_\w+)', open(sys.argv[2]).read(), re.M)}
assert len(set(target.values())) in (21, 22), sorted(set(target.values()))
found, instructions = collections.Counter(), {}
for row in rows:
    assert row['wasted'] == 'second' and row['bytes'] is None and row['instructions'] > 1 and row['fix'], row
    module, at = row['second'].rsplit('+0x', 1)
    if module == 'program' and int(at, 16) in target:
        found[target[int(at, 16)]] += round(row['count'])
        instructions[target[int(at, 16)]] = row['instructions']
print(dict(found))
others = {name: n for name, n in found.items() if name.startswith('other_')}
assert not others, others
same = {name for name in target.values() if name.startswith('same_')}
# The first call, and another whose functions are being bound.
missed = {name: found[name] for name in same if not turns - 2 <= found[name] < turns}
assert not missed, missed
assert instructions['same_sorted'] > 30 and instructions['same_found'] > 20, instructions
PY
done
finish
