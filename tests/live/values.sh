#!/bin/bash
# record --events value and gait values: shares of values that a program is known to have, each in its interval.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/habits" tests/programs/habits.c || { bad 'the test program could not be built'; exit 1; }
"$gait" record -q --overhead 20% --seed 1 --events edge,call,address,value -o "$work/data" -- "$work/habits" 200000000 >/dev/null || bad "record: status $?"
"$gait" verify "$work/data" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" values --json --module habits "$work/data" >"$work/json" || bad "values: status $?"
/usr/bin/python3 -B - "$work/json" <<'EOF' || bad 'figures'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
truth = {('divided', 'divisor'): {7: 0.95, 9: 0.05}, ('loaded', 'load'): {42: 1}, ('copied', 'size'): {24: 0.75, 200: 0.25}}
for (function, kind), shares in truth.items():
    row = next(r for r in rows if r['function'] == function and r['kind'] == kind)
    # What is rarer is the rest of copies that an interrupt came into.
    seen = {int(v['value'], 16): v for v in row['values'] if v['share'] > 0.01}
    print(function, row['total'], [(n, v['share'], v['share_lo'], v['share_hi']) for n, v in seen.items()])
    assert set(seen) == set(shares), seen
    assert row['total'] * 0.99 < sum(v['count'] for v in seen.values()) <= row['total'], row
    for n, share in shares.items():
        v = seen[n]
        # Two intervals to either side: one that is missed by chance is not what is looked for.
        wide = max(v['share_hi'] - v['share_lo'], 0.002)
        assert v['share_lo'] - wide <= share <= v['share_hi'] + wide, (function, n, v)
        assert v['share_hi'] - v['share_lo'] < 0.5, v
for row in rows:
    if row['function'] == 'drawn' and row['kind'] == 'result':
        assert all(v['share'] < 0.01 for v in row['values']), row
EOF
"$gait" values --limit 12 "$work/data" >"$work/text" || bad "values as text: status $?"
grep -q 'divides by nearly always the same' "$work/text" || bad 'no hint at the divisor'
"$gait" values --no-values "$work/data" >"$work/text" || bad "--no-values: status $?"
grep -q ' 42$' "$work/text" && bad 'a value is shown'
"$gait" record -q --exact=counts -o "$work/none" -- true || bad "record without values: status $?"
"$gait" values "$work/none" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] && grep -q 'events edge,call,value' "$work/stderr" || bad 'a profile without values'
finish
