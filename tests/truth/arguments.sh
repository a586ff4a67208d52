#!/bin/bash
# record --events argument, gait values --kind argument,return: a trace has what gdb sees at the entries of functions, caller by caller, and
# what they return; samples have the shares that the program's rule gives, in their intervals.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/arguments" tests/programs/processes/arguments.c || { bad 'the test program could not be built'; exit 1; }
rounds=400
"$gait" record -q --exact=trace --events argument --context -o "$work/data" -- "$work/arguments" $rounds >"$work/output" || bad "record: status $?"
same 'the output' "$("$work/arguments" $rounds)" "$(cat "$work/output")"
"$gait" values --json --kind argument,return "$work/data" >"$work/json" || bad "values: status $?"
/usr/bin/python3 -B - "$work/json" $rounds <<'PY' || bad 'figures'
import collections, json, struct, sys
rows, rounds = json.load(open(sys.argv[1]))['rows'], int(sys.argv[2])
arguments, returns = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
for i in range(rounds):
    seed = (i * 2654435761 & (1 << 64) - 1) >> 7
    for width, count, factor in ((64 if seed % 4 else 80, seed % 2, 0.5), (16, 3, 2.0 if seed % 8 else 4.0)):
        arguments['chosen', 'rdi'][width] += 1
        arguments['chosen', 'rdx'][count] += 1
        arguments['chosen', 'xmm0'][factor] += 1
        returns['chosen'][width if count * factor > 6 else -1] += 1
    arguments['pointed', 'rdi'][int(seed % 8 == 1)] += 1
    arguments['pointed', 'rsi'][1] += 1
    returns['pointed'][int(seed % 8 == 1)] += 1
    returns['strtol_l'][17 if seed % 4 else 4] += 1
def number(row, value):
    if row['type'] == 'double':
        return struct.unpack('<d', struct.pack('<Q', value))[0]
    return (value + (1 << 31) & (1 << 32) - 1) - (1 << 31)
def of(function, kind, register):
    found = [r for r in rows if function in r['function'] and 'strtoul' not in r['function'] and r['kind'] == kind and r['register'] == register]
    seen = collections.Counter()
    for row in found:
        for v in row['values']:
            seen[number(row, int(v['value'], 16))] += v['count']
    return seen, found
for (function, register), truth in arguments.items():
    seen, found = of(function, 'argument', register)
    print(function, register, dict(seen))
    assert seen == truth, (function, register, seen, truth)
    assert all('context' in r for r in found)
    assert function != 'chosen' or len({r['context'] for r in found}) == 2, found
for function, truth in returns.items():
    seen, found = of(function, 'return', 'rax')
    print(function, dict(seen))
    assert seen == truth, (function, seen, truth)
# An argument that the function does not look at is none.
assert not of('pointed', 'argument', 'rdx')[1]
assert [r['argument'] for r in of('pointed', 'argument', 'rsi')[1]] == [2]
assert [r['finding'] for r in of('pointed', 'argument', 'rsi')[1]] == ['one-argument']
PY
# gdb, which knows nothing of rules: each entry of a function, its registers, and where it returns to. Addresses differ by whole pages.
if command -v gdb >/dev/null; then
    symbol=$(nm "$work/arguments" | awk '$3 ~ /^chosen/ { print $3 }')
    cat >"$work/commands" <<GDB
set pagination off
set startup-with-shell off
break *'$symbol'
commands
silent
printf "ENTRY %u %u %lx\n", \$edi, \$edx, *(long *)\$rsp
continue
end
run
GDB
    gdb -q -batch -nx -x "$work/commands" --args "$work/arguments" $rounds >"$work/gdb" 2>&1
    /usr/bin/python3 -B - "$work/json" "$work/gdb" <<'PY' || { bad 'what gdb saw'; tail -n 5 "$work/gdb"; }
import collections, json, sys
rows = json.load(open(sys.argv[1]))['rows']
entries = [line.split()[1:] for line in open(sys.argv[2]) if line.startswith('ENTRY')]
truth, seen = collections.Counter(), collections.Counter()
for edi, edx, back in entries:
    truth['rdi', int(edi), int(back, 16) & 0xfff] += 1
    truth['rdx', int(edx), int(back, 16) & 0xfff] += 1
for r in rows:
    if 'chosen' in r['function'] and r['kind'] == 'argument' and r['register'] in ('rdi', 'rdx'):
        for v in r['values']:
            seen[r['register'], int(v['value'], 16) & 0xffffffff, int(r['context'].split('+0x')[1], 16) & 0xfff] += v['count']
print(len(entries), dict(seen))
assert len(entries) > 100 and seen == truth, (truth, seen)
PY
fi
# Samples.
"$gait" record -q --overhead 20% --seed 1 --events argument -o "$work/sampled" -- "$work/arguments" 12000000 >/dev/null || bad "record samples: status $?"
"$gait" values --json --kind argument,return --module arguments "$work/sampled" >"$work/json" || bad "values of samples: status $?"
/usr/bin/python3 -B - "$work/json" <<'PY' || bad 'sampled figures'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
truth = {('chosen', 'argument', 'rdi'): {64: 0.375, 80: 0.125, 16: 0.5}, ('pointed', 'argument', 'rsi'): {1: 1},
         ('pointed', 'argument', 'rdi'): {0: 0.875, 1: 0.125}, ('pointed', 'return', 'rax'): {0: 0.875, 1: 0.125}}
for (function, kind, register), shares in truth.items():
    row = next(r for r in rows if function in r['function'] and r['kind'] == kind and r['register'] == register)
    seen = {int(v['value'], 16): v for v in row['values']}
    print(function, kind, register, row['total'], [(n, v['share'], v['share_lo'], v['share_hi']) for n, v in seen.items()])
    for n, share in shares.items():
        v = seen[n]
        wide = max(v['share_hi'] - v['share_lo'], 0.002) # two intervals to either side
        assert v['share_lo'] - wide <= share <= v['share_hi'] + wide, (function, n, v)
        assert v['share_hi'] - v['share_lo'] < 0.5, v
PY
"$gait" values --kind argument --limit 3 --function pointed "$work/sampled" >"$work/text" || bad "values as text: status $?"
grep -q 'argument 2, in %rsi' "$work/text" || bad 'the argument has no number'
grep -q 'called nearly always with the same' "$work/text" || bad 'no hint at the argument'
finish
