#!/bin/bash
# Paths that were gone one after the other: a loop asks two bits of a random number each time round, so which paths follow which is known from the numbers alone.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
rounds=$(program paths)
# series_of NAME RECORDING K ROUNDS WITHIN: all series of K rounds, as often as they must be.
series_of() {
    "$gait" paths --json --iterations $3 --module paths "$2" >"$work/rows" || bad "$1: $3 in a row"
    nm "$rounds" | python3 -B tests/truth/lib/path_series.py "$work/rows" $3 $4 $5 || bad "$1: $3 in a row"
}
"$gait" record -q --exact=trace+paths -o "$work/trace" -- "$rounds" 20000 1 >/dev/null
for k in 2 3 4; do series_of traced "$work/trace" $k 20000 0; done
"$gait" record -q -F 1000 -o "$work/sampled" -- "$rounds" 100000000 1 >/dev/null
series_of sampled "$work/sampled" 2 200000 0.15
# Counts alone cannot tell.
"$gait" record -q --exact=paths -o "$work/counts" -- "$rounds" 20000 1 >/dev/null
status 2 'counts' "$gait" paths --iterations 2 "$work/counts"
status 129 'too many in a row' "$gait" paths --iterations 5 "$work/trace"
# A merged recording has the series of both.
count() { "$gait" paths --json --iterations 2 "$1" | python3 -c 'import json, sys; print(sum(row["count"] for row in json.load(sys.stdin)["rows"]))'; }
"$gait" merge -q -o "$work/both" "$work/trace" "$work/trace"
same 'merged' $((2 * $(count "$work/trace"))) "$(count "$work/both")"
finish
