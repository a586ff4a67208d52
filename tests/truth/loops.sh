#!/bin/bash
# Iterations, entries and runs of loops, exact and sampled, against a program that knows how often its loops go round;
# compiled with and without optimisation, which puts the test of a loop at its end and lets it be entered there.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for extra in 0 1; do
    level=$([ $extra = 0 ] && echo -O2 || echo -O0)
    gcc $level -g -fno-tree-vectorize -o "$work/rounds" tests/programs/rounds.c || fail 'the test program could not be built'
    for how in '--exact=counts' '--exact=trace+loops' '-F 2000 --seed 1'; do
        turns=1000 traced=
        case $how in --exact=*) turns=5 ;; esac
        case $how in *loops) traced=traced ;; esac
        "$gait" record -q $how -o "$work/data" -- "$work/rounds" "$turns" >"$work/truth" || fail "$how: status $?"
        "$gait" report --by loop --module rounds --json "$work/data" >"$work/json" || fail "$how: report: status $?"
        echo "$level, record $how:"
        /usr/bin/python3 -B tests/truth/lib/loops.py $extra "$work/truth" "$work/json" $traced || bad=1
        "$gait" verify "$work/data" >"$work/verify" || { cat "$work/verify"; bad=1; }
    done
done
# What is said of runs must not contradict the counts.
gcc -O1 -g -o "$work/triangle" tests/programs/triangle.c || fail 'the test program could not be built'
"$gait" record -q --exact=trace+loops -o "$work/data" -- "$work/triangle" 1000 >"$work/truth" || fail "triangle: status $?"
"$gait" report --by loop --function triangle --json "$work/data" >"$work/json" || fail "triangle: report: status $?"
/usr/bin/python3 -B - "$work/json" <<'EOF' || bad=1
import json, sys
rows = {row['depth']: row for row in json.load(open(sys.argv[1]))['rows']}
assert [rows[depth]['mean'] for depth in sorted(rows)] == [5, 3], rows
for row in rows.values():
    assert row['trips'] is None or sum(b['n'] * b['count'] for b in row['trips']) == row['iterations'], row
EOF
# A loop that is entered beside its head three times of four, and, by its other argument, each time.
gcc -O1 -g -o "$work/two_ways" tests/programs/two_ways.c || fail 'the test program could not be built'
for ways in 4 1; do
"$gait" record -q --exact=trace+loops -o "$work/data" -- "$work/two_ways" 1000 $ways || fail "two_ways: status $?"
"$gait" report --by loop --function two_ways --json "$work/data" >"$work/json" || fail "two_ways: report: status $?"
/usr/bin/python3 -B - "$work/json" $ways <<'EOF' || bad=1
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
assert sys.argv[2] != '1' or [(b['n'], b['count']) for b in rows[0]['trips']] == [(1, 1000)], rows
assert rows and all(row['trips'] is None or sum(b['n'] * b['count'] for b in row['trips']) == row['iterations'] for row in rows), rows
EOF
done
exit $bad
