#!/bin/bash
# Ways that the directions of branches tell, against the exact course of programs, from their traces: what was gone is
# always among what is found (gait lab says so by its status); of programs of which it is known what history can tell.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seq 1 20000 >"$work/text"

# ways NAME COMMAND...: columns bits, blocks, edges, history, pair, seen, likeliest.
ways() {
    local name=$1
    shift
    "$gait" lab history --csv="$work/$name" --steps 2000000 -- "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "lab history of $name: status $?"; }
}
# expect NAME CONDITION: an awk condition that holds from 4 directions on, b: blocks, h: history, l: likeliest.
expect() {
    awk -F, -v name="$1" 'NR > 1 { rows++ } NR > 1 && $1 >= 4 { b = $2; h = $4; l = $7; if (!('"$2"')) { print name ", " $0; bad = 1 } } END { exit bad || rows != 8 }' "$work/$1" ||
        { cat "$work/$1"; fail "$1: not $2"; }
}

ways gzip gzip -c "$work/text"
awk -F, 'NR == 1 { next }
    { if ($5 < $4 || $11 < $10 - 0.5 || $6 < $4) bad = "pairs tell less, with " $1 " bits"; if ($1 == 1) first = $2; last = $2 }
    END { if (last >= first) bad = "counts guess long ways as well as short ones"; if (bad) print bad; exit bad != "" }' "$work/gzip" >"$work/log" || { cat "$work/gzip"; fail "$(cat "$work/log")"; }
expect gzip 'l > $3 && l > b'

# Eight branches at random, each around one instruction: their directions are the way, counts are right once in 2^bits.
ways chain "${GAIT_OUT:-o/rel}/programs/turns" chain 100000
expect chain 'h > 80 && l > 95 && b < 30'
# A loop's directions fit any number of turns before: hardly ever is there one way alone, and counts know more.
ways loop "${GAIT_OUT:-o/rel}/programs/turns" loop 100000
expect loop 'h < 25 && l > 1.2 * b'
awk -F, '$1 == 4 && $2 > 2 * $4 { found = 1 } END { exit !found }' "$work/loop" || { cat "$work/loop"; fail 'loop: counts know no more than history alone'; }
# Code that gcc copied with the opposite sense: two ways fit, up to where the function begins (8 directions).
ways copies "${GAIT_OUT:-o/rel}/programs/turns" copies 100000
awk -F, '$1 == 6 && $4 < 60 { found++ } $1 == 10 && $4 > 80 { found++ } END { exit found != 2 }' "$work/copies" || { cat "$work/copies"; fail 'copies: other than two ways'; }
