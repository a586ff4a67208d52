#!/bin/bash
# All events of a perf.data are kept: of each, functions have the weights that perf report gives them. The same of a file
# that perf compressed, and of a group whose first event makes the samples.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command perf linux-perf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
events='task-clock cpu-clock cpu-clock:u page-faults context-switches'
# recorded OPTION...: perf.data
recorded() {
    perf record -q -B -N "$@" -o "$work/perf.data" -- sh -c 'for i in 1 2 3 4; do ls /usr/bin; python3 -c "import json"; done' \
        >/dev/null 2>"$work/log"
}
# shellcheck disable=SC2046
recorded $(printf -- '-e %s ' $events) || skip "perf record is refused: $(tail -n 1 "$work/log")"
"$gait" import -q -o "$work/data" "$work/perf.data" || fail "import: status $?"
"$gait" merge -q -o "$work/merged" "$work/data" "$work/data" || fail "merge: status $?"
perf record -q -B -N -e page-faults -o "$work/faults.data" -- ls /usr >/dev/null 2>&1 && "$gait" import -q -o "$work/faults" "$work/faults.data" &&
    "$gait" merge -q -o "$work/mixed" "$work/data" "$work/faults" 2>"$work/log" && fail 'samples of two events were added up'
"$gait" report --event nosuch "$work/data" 2>"$work/log" && fail 'an event that is not there was taken'
grep -q 'task-clock, context-switches, cpu-clock, cpu-clock:u, page-faults' "$work/log" || fail "events are not listed: $(cat "$work/log")"
# as_perf_has_them: each event of $work/data, and of $work/merged twice that, against perf report.
as_perf_has_them() {
perf report -i "$work/perf.data" --no-group --stdio --no-children -g none -F period,dso,symbol -t '|' >"$work/perf" 2>/dev/null
for event in $events; do
    "$gait" report --json --by module --limit 1000 --event "$event" "$work/data" >"$work/ours" || fail "report: status $?"
    "$gait" report --json --by module --limit 1000 --event "$event" "$work/merged" >"$work/twice" || fail "report: status $?"
    python3 -B - "$event" "$work/perf" "$work/ours" "$work/twice" <<'CHECK' || fail "$event: not as perf has it"
import json, os, sys
event, theirs, of = sys.argv[1], {}, None
for line in open(sys.argv[2]):
    if line.startswith("# Samples:"):
        of = line.split("'")[1]
    fields = [field.strip() for field in line.split("|")]
    if of == event and len(fields) == 3 and fields[0].isdigit():
        name = os.path.basename(fields[1]).strip("[]")
        name = "kernel" if name in ("kernel.kallsyms", "guest.kernel.kallsyms") else name
        theirs[name] = theirs.get(name, 0) + int(fields[0])
KEYS = {1: ("events", "kernel_events"), 1e9: ("time", "kernel_time")}
def weights(path):
    rows = json.load(open(path))["rows"]
    unit = 1e9 if "clock" in event else 1
    return {os.path.basename(row["module"]).strip("[]"): sum(row.get(key) or 0 for key in KEYS[unit]) * unit for row in rows}
ours, twice = weights(sys.argv[3]), weights(sys.argv[4])
unknown = {"unknown", "anon", "//anon", "jit"}
bad = [(name, n, ours.get(name)) for name, n in theirs.items()
       if name not in unknown and abs(ours.get(name, 0) - n) > 1e-6 * n + 1]
bad += [(name, n, "twice", twice.get(name)) for name, n in ours.items() if abs(twice.get(name, 0) - 2 * n) > 1e-6 * n + 1]
print(f"{event}: {sum(theirs.values())} in {len(theirs)} modules")
print(*bad, sep="\n")
sys.exit(bool(bad) or not theirs)
CHECK
done
}
as_perf_has_them
# shellcheck disable=SC2046
if recorded -z $(printf -- '-e %s ' $events) && perf report --header-only -i "$work/perf.data" 2>/dev/null | grep -q '^# compressed : Zstd'; then
    "$gait" import -q -o "$work/data" "$work/perf.data" || fail "import of compressed records: status $?"
    "$gait" merge -q -o "$work/merged" "$work/data" "$work/data" || fail "merge: status $?"
    as_perf_has_them
else
    echo 'this perf cannot compress: compressed records are left to tests/unit/import'
fi
# Of a group only the first event makes samples, which tell how often the others happened.
events='cpu-clock page-faults'
recorded -e '{cpu-clock,page-faults}:S' || fail "perf record of a group: $(tail -n 1 "$work/log")"
"$gait" import -q -o "$work/data" "$work/perf.data" || fail "import of a group: status $?"
"$gait" merge -q -o "$work/merged" "$work/data" "$work/data" || fail "merge: status $?"
as_perf_has_them
