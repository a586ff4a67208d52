#!/bin/bash
# gait values --kind thread, cpu, node, lock: in which thread, where and under which lock code ran, of a program that plants it.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
make -s "${GAIT_OUT:-o/rel}/programs/roles" >&2 || exit 1
"$gait" record -q -F 2000 --seed 1 --events edge,call,address,value -o "$work/data" -- "$built/programs/roles" 150000 >"$work/truth" || bad "record: status $?"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
for kind in thread cpu node lock; do
    "$gait" values --json --module roles --kind $kind "$work/data" >"$work/$kind.json" || bad "values --kind $kind: status $?"
done
"$gait" info --json "$work/data" >"$work/info.json"
nm "$built/programs/roles" >"$work/names"
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, sys
work = sys.argv[1]
mutex, spin, first, last = open(f'{work}/truth').read().split()
names = {line.split()[2]: int(line.split()[0], 16) for line in open(f'{work}/names') if len(line.split()) == 3}
facts = json.load(open(f'{work}/info.json'))['facts']
def shares(kind, function):
    """Of the run of the function that was gone most: text to (lo, share, hi)."""
    rows = [r for r in json.load(open(f'{work}/{kind}.json'))['rows'] if r['function'] == function]
    assert all(r['kind'] == kind for r in rows), rows
    if not rows:
        return None
    row = max(rows, key=lambda r: r['total'])
    print(kind, function, row['total'], row['finding'], [(v['text'], v['share_lo'], v['share'], v['share_hi']) for v in row['values']])
    return {v['text']: (v['share_lo'], v['share'], v['share_hi']) for v in row['values']} | {'finding': row['finding']}
for function, name in ('alone_first', 'roles'), ('alone_second', 'second'):
    seen = shares('thread', function)
    assert seen.pop('finding') == 'one-thread', seen
    (text, (lo, share, _)), = seen.items()
    assert text.endswith(f'({name})') and share > 0.999 and lo > 0.8, (function, seen)
seen = shares('thread', 'both')
assert seen.pop('finding') == 'none' and len(seen) == 2 and all(0.2 < share < 0.8 for _, share, _ in seen.values()), seen
if first == last:
    assert any(f.endswith(f': {first}') for f in facts['one_cpu']), facts
    assert shares('cpu', 'alone_first') is None
else:
    for function, cpu in ('alone_first', first), ('alone_second', last):
        seen = shares('cpu', function)
        # But for what it ran before it was pinned.
        assert seen[f'CPU {cpu}'][1] > 0.95, (function, seen)
assert shares('node', 'both') or facts['one_node'], facts
mutex, spin = (f'roles+{hex(names[name])}' for name in ('mutex', 'spin'))
for function, lock in ('guarded', mutex), ('spun', spin):
    seen = shares('lock', function)
    # Of a lock that was taken before a window began the window says nothing: of few windows that is a part to be seen.
    lo, share, hi = seen[lock]
    assert share > 0.7 and hi > 0.9 and (seen['finding'] == 'one-lock' or lo < 0.95), (function, seen)
seen = shares('lock', 'sometimes')
# It is half and half: of two and a half intervals one end is five deviations away.
def half(lo, share, hi):
    return share - 2.5 * (share - lo) < 0.5 < share + 2.5 * (hi - share) and 0.2 < share < 0.8
assert seen['finding'] == 'none' and half(*seen[mutex]) and half(*seen['no lock']), seen
for function in 'both', 'alone_first', 'alone_second':
    seen = shares('lock', function)
    assert seen is None or seen['no lock'][1] > 0.97, (function, seen)
EOF
"$gait" values --kind thread,lock "$work/data" >"$work/text" || bad "as text: status $?"
grep -q 'runs nearly always in the same thread' "$work/text" || bad 'no word on the thread'
[ "$(grep -c '^thread .* alone_first ' "$work/text")" = 1 ] || bad 'a function has more than one row'
status 129 'an unknown kind' "$gait" values --kind colour "$work/data"
finish
