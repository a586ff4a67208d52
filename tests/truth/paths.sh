#!/bin/bash
# Paths as an exact run counts them, by operations on edges that are inserted into running code, equal those found by following the whole course of the
# program along its graphs: of recursion, jumps over frames, exceptions, tail calls, threads, signals, interpreters, functions with more than 2^32 paths,
# and programs that end in depth or fork. What they tell of blocks and edges is what counters have.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v setarch >/dev/null || skip 'no setarch'
ways=$(program ways)
# counted NAME MODULE STATUS COMMAND...: both recordings, the same output, the same paths.
counted() {
    local name=$1 module=$2 wanted=$3 attempt
    shift 3
    for attempt in 1 2 3; do
        setarch -R "$gait" record -q --exact=trace+paths -o "$work/trace" -- "$@" >"$work/traced" </dev/null
        same "$name, traced: status" "$wanted" $?
        setarch -R "$gait" record -q --exact=paths -o "$work/exact" -- "$@" >"$work/counted" </dev/null
        same "$name: status" "$wanted" $?
        "$gait" info --json "$work/exact" | grep -q '"plan_late"' || break
    done
    setarch -R "$gait" record -q --exact=counts -o "$work/counts" -- "$@" >"$work/third" </dev/null
    cmp -s "$work/traced" "$work/counted" || bad "$name: the program's output differs"
    python3 -B tests/truth/lib/paths.py "$gait" "$work/exact" "$work/trace" "$work/counts" $module >"$work/said" || bad "$name"
    sed "s/^/$name: /" "$work/said"
}
cases='recursion mutual deep longjmp exceptions tails signals gotos many fork'
counted 'all cases' '' 3 "$ways" $cases exit
# Code of which activations may be left for good by longjmp, an exception or the end of the process, or that was under way when the recording began, has counters beside its paths: not one is
# missing, in the program, its libraries and the loader.
for leaving in leaves throws; do
    counted $leaving '' 0 "$(program $leaving)"
    [ "$(grep -c ', 0 of them on paths without an end' "$work/said")" = 2 ] || bad "$leaving: $(cat "$work/said")"
done
# Static programs name no other module; without symbols nothing says what they call, nor where setjmp returns again: what ran is compared, not the paths.
gcc -O2 -static -o "$work/static" tests/programs/code/leaves.c && strip -o "$work/static-stripped" "$work/static" || bad 'a static program could not be built'
counted static static 0 "$work/static"
none_missing() { [ "$(awk '/on paths without an end/ && $6 == 0' "$work/said" | wc -l)" = 2 ] || bad "$1: $(cat "$work/said")"; }
none_missing static
for how in paths counts; do
    setarch -R "$gait" record -q --exact=$how -o "$work/$how" -- "$work/static-stripped" >/dev/null || bad "static-stripped: status $?"
done
python3 -B tests/truth/lib/paths.py "$gait" "$work/paths" "$work/paths" "$work/counts" >"$work/said" || bad "static-stripped: $(cat "$work/said")"
none_missing static-stripped
counted threads ways 0 "$ways" threads # how long others wait is different in every run
if [ -n "$GAIT_LONG" ]; then
    for case in $cases; do counted $case '' 0 "$ways" $case; done
    counted exit '' 3 "$ways" exit
    head -c 200000 "$out/gait" >"$work/input"
    counted gzip '' 0 gzip -nc "$work/input"
    # Windows tell the same paths, in the same shares.
    "$gait" record -q -F 1000 -o "$work/sampled" -- "$(program paths)" 100000000 1 >/dev/null
    "$gait" record -q --exact=paths -o "$work/short" -- "$(program paths)" 30000000 1 >/dev/null
    overlap=$("$gait" compare --by path --json "$work/short" "$work/sampled" | sed -n 's/.*"overlap": \([0-9.]*\),.*/\1/p')
    echo "sampled paths overlap by $overlap"
    awk "BEGIN { exit !($overlap >= 0.95) }" || bad "sampled paths overlap by $overlap"
fi
# A path is what its blocks say: of the 48 questions that it asks, each way was gone as often as the bits say.
"$gait" record -q --exact=paths -o "$work/many" -- "$ways" many >/dev/null
# What was under way when the agent began is no path, and is told as that: the number that no path has would be a mistake of ours.
"$gait" info --json "$work/many" >"$work/info"
grep -q '"path_begun": 2' "$work/info" || bad 'functions that were under way'
grep -q '"path_wrong"' "$work/info" && bad 'a number that no path has'
"$gait" paths --json --module ways "$work/many" | python3 -c 'import json, sys
rows = [row for row in json.load(sys.stdin)["rows"] if row["function"].startswith("questions")]
print(sum(row["count"] for row in rows if "entry" in row["kind"]), max(row["id"] for row in rows) > 1 << 32)' >"$work/said"
same 'calls of a function with more than 2^32 paths' '200 True' "$(cat "$work/said")"
# Tables are of the same paths.
rows=$("$gait" paths --json "$work/many" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["rows"]))')
same 'paths in a table' "$rows" "$("$gait" lab --csv paths-4 "$work/many" | sed -n 2p | cut -d, -f2)"
"$gait" lab --plot "$work/plot.svg" paths-4 "$work/many" >"$work/said" || bad 'a plot'
same 'bars of it' "$(python3 -c 'import sys; print(sum(cell.replace(".", "").strip("%").isdigit() or "e+" in cell for cell in open(sys.argv[1]).read().splitlines()[3].split()[1:]))' "$work/said")" \
    "$(python3 -c 'import sys, xml.dom.minidom; print(len([bar for bar in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("rect") if bar.getAttribute("x")]))' "$work/plot.svg")"
"$gait" record -q --exact=counts -o "$work/none" -- "$ways" many >/dev/null
for table in paths-4 paths-5; do
    status 2 "$table without paths" "$gait" lab $table "$work/many" "$work/none"
    "$gait" lab $table "$work/none" 2>&1 | grep -q 'no paths in it: they were not counted; gait record --exact=paths' || bad "$table: why there are none"
done
status 129 'a table that is none' "$gait" lab paths-9 "$work/many"
# Ticks are taken on every path, and change no count.
"$gait" record -q --exact=paths --ticks=all -o "$work/ticks" -- "$ways" many >/dev/null
"$gait" paths --json --module ways "$work/ticks" | python3 -c 'import json, sys
rows = json.load(sys.stdin)["rows"]
print(len(rows) > 100 and all(row["metrics"]["ticks"] > 0 and row["class"] in ("dense", "sparse") for row in rows))' >"$work/said"
same 'paths with ticks' True "$(cat "$work/said")"
same 'counts with ticks and without' '"overlap": 1,' "$("$gait" compare --by path --module ways --json "$work/many" "$work/ticks" | grep -o '"overlap": [0-9.]*,')"
# shellcheck disable=SC2086
"$gait" record -q --exact=paths --ticks -o "$work/some" -- "$ways" $cases >/dev/null
"$gait" paths --json "$work/some" | python3 -c 'import json, sys
rows = json.load(sys.stdin)["rows"]
timed = [row for row in rows if row["metrics"]["ticks"]]
print(sum(row["count"] for row in timed) > sum(row["count"] for row in rows) / 4)' >"$work/said"
same 'most passages are of paths that were measured' True "$(cat "$work/said")"
"$gait" paths --json "$work/some" | python3 -c 'import json, sys
rows = [(row["count"], row["metrics"]["ticks"], row["metrics"]["measured"]) for row in json.load(sys.stdin)["rows"]]
print(any(ticks is None for _, ticks, _ in rows), all((ticks is None) == (n == 0) and n <= count for count, ticks, n in rows),
      0 < 8 * sum(n for _, _, n in rows) < sum(count for count, _, _ in rows))' >"$work/said"
same 'paths of which no passage was measured have no ticks' 'True True True' "$(cat "$work/said")"
"$gait" record -q --exact=paths --ticks -o "$work/some-many" -- "$ways" many >/dev/null
same 'counts with some ticks and without' '"overlap": 1,' "$("$gait" compare --by path --module ways --json "$work/many" "$work/some-many" | grep -o '"overlap": [0-9.]*,')"
same 'a comparison with itself' '"overlap": 1,' "$("$gait" compare --by path --json "$work/many" "$work/many" | grep -o '"overlap": [0-9.]*,')"
finish
