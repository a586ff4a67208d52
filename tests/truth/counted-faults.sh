#!/bin/bash
# Exact runs of all kinds count the same of instructions that fault or load %ss, and what they count in all is what
# their functions come to, the way back from signal handlers among them. It is looked at in a static program: there its
# symbol, which has no size, is sure to be found.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel}
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
[ -x "$out/programs/counted_faults" ] || make -s "$out/programs/counted_faults"
gcc -O2 -g -D_GNU_SOURCE -static -o "$at/static" tests/programs/counted_faults.c || exit 1
failed=0
for mode in counts paths contexts paths+contexts trace; do
    for program in "$out/programs/counted_faults" "$at/static"; do
        name=$(basename "$program")
        rm -rf "$at/data"
        if ! timeout 60 "$out/gait" record -q --exact=$mode -o "$at/data" -- "$program" >"$at/said" 2>"$at/log"; then
            echo "FAIL $mode of $name: $(cat "$at/said" "$at/log")"
            failed=1
        fi
        "$out/gait" verify "$at/data" >"$at/verify" || { echo "FAIL $mode of $name: does not verify"; cat "$at/verify"; failed=1; }
        "$out/gait" info --json "$at/data" >"$at/info"
        "$out/gait" report --by function --limit 100000 --json "$at/data" >"$at/report"
        python3 - "$at" $mode "$name" <<'PY' || failed=1
import json, re, sys
at, mode, name = sys.argv[1:]
turns = 300
wanted = {"breakpoints": 3 * turns + 2, "undefined": 3 * turns + 2, "stack_segment": 6 * turns + 5,
          "stack_segment_memory": 5 * turns + 2, "repaired": 5 * turns + 2}
if name == "static":
    wanted["__restore_rt"] = 2 * 3 * turns
rows = json.load(open(at + "/report"))["rows"]
found = {row["name"]: row["instructions"] for row in rows if row["name"] in wanted}
total = int(re.search(r'"instructions": (\d+), "instructions_per_second"', open(at + "/info").read()).group(1))
of_rows = sum(row["instructions"] for row in rows)
print(f"{mode} of {name}: {total} instructions, {of_rows} of functions, {found}")
if found != wanted:
    sys.exit(f"FAIL {mode} of {name}: expected {wanted}")
if total != of_rows:
    sys.exit(f"FAIL {mode} of {name}: the total is {total}, functions come to {of_rows}")
PY
    done
done
exit $failed
