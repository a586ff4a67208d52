#!/bin/bash
# Records of hardware in files of perf say what perf says that they do, part by part: registers of AMD's IBS, packets of Arm's SPE, weights and data sources of
# Intel's PEBS, of random bits and of real files. Imported, none is missing; whatever is cut or changed is refused or counted.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command perf linux-perf
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lib=tests/truth/lib/hardware
n=150
[ "$GAIT_LONG" ] && n=5000

# alike NAME FILE: perf and gait on one file
alike() {
    perf report -D -i "$2" >"$work/perf" 2>"$work/log" || { cat "$work/log"; fail "$1: perf report -D: status $?"; }
    "$gait" import --records "$2" >"$work/gait" || fail "$1: import --records: status $?"
    said=$($python $lib/compare.py "$work/perf" "$work/gait") || fail "$1: not alike"
    "$gait" import -q -o "$work/profile" "$2" || fail "$1: import: status $?"
    echo "$1: $said"
}

# Zen 2; a Zen 3 whose registers lie; Zen 4 with more sources of data.
for machine in '23 49' '25 1' '25 97'; do
    $python $lib/make.py ibs "$work/ibs" 7 $n $machine && alike "IBS of $machine" "$work/ibs" || exit 1
done
$python $lib/make.py spe "$work/spe" 7 $n && alike SPE "$work/spe" || exit 1
$python $lib/make.py pebs "$work/pebs" 7 $n && alike PEBS "$work/pebs" || exit 1

# A part that is wrong is found: the comparison can fail.
"$gait" import --records "$work/ibs" | sed '3s/ En=0x1/ En=0x0/' >"$work/other"
perf report -D -i "$work/ibs" >"$work/perf" 2>/dev/null
$python $lib/compare.py "$work/perf" "$work/other" >/dev/null 2>&1 && fail 'the comparison does not see a wrong value'

# What records add up to, once they were in a profile: every weight is 100000.
"$gait" import -q -o "$work/profile" "$work/ibs" && "$gait" import --records "$work/ibs" >"$work/gait" || fail "import: status $?"
read -r n mean misses of < <($python $lib/means.py "$work/gait")
"$gait" pipeline --json --by all --metric 'done - map' --where 'load && origin == 2' -i "$work/profile" >"$work/json" || fail "pipeline: status $?"
$python - "$work/json" "$mean" "$misses" <<'CHECK' || fail "pipeline: not $n loads of $mean cycles, $misses misses of $of"
import json, sys
row, = json.load(open(sys.argv[1]))["rows"]
asked, missed = row["asked"], row["events"]["l1_misses"]
sys.exit(not (abs(asked["mean"] - float(sys.argv[2])) < 0.001 and asked["lo"] < asked["mean"] < asked["hi"]
              and missed["count"] == 100000 * int(sys.argv[3]) and missed["lo"] < missed["count"] < missed["hi"]))
CHECK
"$gait" pipeline -q --metric 'done -' -i "$work/profile" >"$work/log" 2>&1 && fail 'half an expression was taken'
grep -q 'character 7' "$work/log" || fail "half an expression: $(cat "$work/log")"

# Cut anywhere: a reason or what is left, never more.
for cut in 7 100 120 300 1000 5001 9003; do
    for what in ibs spe pebs; do
        head -c $cut "$work/$what" >"$work/cut"
        timeout 10 "$gait" import -q -o "$work/profile" "$work/cut" 2>"$work/log"
        status=$?
        [ $status = 0 ] || [ $status = 2 ] || { cat "$work/log"; fail "$what, cut at $cut: status $status"; }
    done
done

fixtures=../shared/fixtures/perf
if [ -r $fixtures/perf.data.weight_struct ]; then
    alike 'PEBS of a real machine' $fixtures/perf.data.weight_struct || exit 1
    for tool in ibs spe; do
        $python ../shared/tools/mk$tool.py "$work/one" && alike "one of $tool" "$work/one" || exit 1
    done
else
    echo "$fixtures is not there: real files were not compared"
fi
