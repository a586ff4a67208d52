#!/bin/bash
# Ways that the directions of branches tell, against the exact course of a program, taken by single steps: what was gone is always among what is found (gait lab says
# so by its status), another instruction of a pair tells more, and longer histories are no easier to guess by counts.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seq 1 1000 >"$work/text"
"$gait" lab history --csv --steps 30000 -- gzip -c "$work/text" >"$work/csv" 2>"$work/log"
status=$?
grep -q 'cannot be stepped through' "$work/log" && { echo 'nobody may be traced here'; exit 77; }
[ $status = 0 ] || { cat "$work/log" "$work/csv"; fail "lab history: status $status"; }
awk -F, 'NR == 1 { next }
    { rows++; if ($4 < $3 || $8 < $7 - 0.5 || $5 < $3) bad = "pairs tell less, with " $1 " bits"; if ($1 == 1) first = $2; last = $2 }
    $1 == 8 && $3 < 20 { bad = "histories of 8 tell " $3 " of 100" }
    END { if (rows != 8) bad = rows " rows"; if (last >= first) bad = "counts guess long ways as well as short ones"; if (bad) print bad; exit bad != "" }' "$work/csv" >"$work/log" || { cat "$work/csv"; fail "$(cat "$work/log")"; }
# The address of main lies on the stack of what calls it, and of others: nobody returns there.
"$gait" lab history --steps 40000 -- perl -e 'my $s; $s += $_ for 1 .. 100; print $s' >"$work/log" 2>&1 && grep -q '^- 40000 steps' "$work/log" || { cat "$work/log"; fail 'perl is not followed'; }
