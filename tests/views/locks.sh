#!/bin/bash
# gait values --kind lock: of a program whose locks are waited for, asked for in vain, held for long or wanted by nobody else, what is held is told as it is.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
program locks >/dev/null || exit 1
"$gait" record -q -F 4000 --window 3000 --seed 1 --events edge,call,address,value -o "$work/data" -- "$built/programs/locks" 100000 || bad "record: status $?"
# Of a lock that was taken before a window began the window says nothing: of few windows that is a part to be seen.
windows=$("$gait" info --json "$work/data" | grep -o '"recorded_windows": [0-9]*' | head -n 1 | cut -d ' ' -f 2)
[ "${windows:-0}" -ge 500 ] || skip "$windows windows are too few to tell shares of locks: the timer has few ticks"
"$gait" values --json --module locks --kind lock "$work/data" >"$work/lock.json" || bad "values: status $?"
nm -C --defined-only "$built/programs/locks" >"$work/names"
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, sys
work = sys.argv[1]
names = {line.split()[-1].split(':')[-1]: int(line.split()[0], 16) for line in open(f'{work}/names') if len(line.split()) > 2}
wanted, spin, calm, longest = (names[name] for name in ('wanted', 'spin', 'calm', 'longest'))
rows = json.load(open(f'{work}/lock.json'))['rows']
def shares(function):
    """Of the run of the function that was gone most: where the lock is to its share, 0: no lock."""
    mine = [r for r in rows if r['function'] == function]
    if not mine:
        return {}
    row = max(mine, key=lambda r: r['total'])
    print(function, row['total'], row['finding'], [(v['text'], v['share']) for v in row['values']])
    return {0 if v['text'] == 'no lock' else int(v['text'].split('+')[-1], 16): v['share'] for v in row['values']}
for function, lock in ('under_wanted', wanted), ('under_spin', spin), ('under_long', longest):
    seen = shares(function)
    assert seen.get(lock, 0) > 0.93, (function, seen)
for function in 'half_wanted', 'half_calm':
    seen = shares(function)
    unheld = seen.pop(0)
    assert 0.32 < unheld < 0.68 and 0.32 < sum(seen.values()) < 0.68, (function, unheld, seen)
assert all(calm <= lock < calm + 80 for lock in shares('half_calm') if lock), hex(calm)
for function in 'denied', 'free_of_all':
    seen = shares(function)
    assert not seen or seen[0] > 0.97, (function, seen)
EOF
finish
