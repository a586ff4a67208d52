#!/bin/bash
# Counts that fit together: of exact profiles those that were counted, of sampled ones what enters a block leaves it,
# and they are no farther from the truth than raw ones.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
check() { /usr/bin/python3 -B tests/live/lib/check_inferred.py "$@" || failures=$((failures + 1)); }
rounds=$out/programs/rounds
exceptions=$out/programs/exceptions

status 0 'exact' "$gait" record -q --exact=counts -o "$work/truth" -- "$rounds" 100
status 134 'exact with exceptions, one not caught' "$gait" record -q --exact=counts -o "$work/thrown" -- "$exceptions"
# counted BY MODULE FILE METHOD...: inferred counts are those that were counted.
counted() {
    local by=$1 module=$2 file=$3 how only
    shift 3
    only=(${module:+--module "$module"})
    status 0 "report by $by" "$gait" report --json --by "$by" "${only[@]}" --raw "$file"
    cp "$work/stdout" "$work/raw"
    for how in "$@"; do
        status 0 "report by $by $how" "$gait" report --json --by "$by" "${only[@]}" "$how" "$file"
        check same "$work/raw" "$work/stdout"
    done
}
counted edge rounds "$work/truth" --inferred --inferred=levin --inferred=profi
counted block rounds "$work/truth" --inferred
# The loader's functions too, in which the recording itself began and ended: that is told, and not mended.
counted function '' "$work/truth" --inferred
check told "$work/stdout"
counted edge exceptions "$work/thrown" --inferred
counted function exceptions "$work/thrown" --inferred

# One that was ended has a place where it stopped, and each function on its stack one that it did not leave.
timeout -s TERM 1 "$gait" record -q --exact=counts -o "$work/ended" -- "$rounds" 100000000 >"$work/stdout" 2>&1
for how in --raw --inferred; do
    status 0 "report of one that was ended $how" "$gait" report --json --by block --module rounds $how "$work/ended"
    cp "$work/stdout" "$work/json$how"
done
check nearly "$work/json--raw" "$work/json--inferred"

status 0 'sampled' "$gait" record -q -F 2000 --seed 1 -o "$work/sampled" -- "$rounds" 100
for by in edge block function; do
    status 0 "report by $by" "$gait" report --json --by $by --module rounds "$work/sampled"
    cp "$work/stdout" "$work/$by"
done
check flow "$work/function" "$work/block" "$work/edge"
check entered "$work/function" main 1
status 0 'calls as BOLT reads them' "$gait" export --format bolt -o "$work/fdata" "$work/sampled"
check called "$work/function" "$work/fdata"
for by in edge function; do
    for how in --raw --inferred; do
        status 0 "compare $how" "$gait" compare --json --by $by $how "$work/truth" "$work/sampled"
        cp "$work/stdout" "$work/json$how"
    done
    check overlap "$work/json--raw" "$work/json--inferred"
done
status 0 'compare' "$gait" compare --json "$work/truth" "$work/sampled"
check raw false "$work/stdout"
status 0 'report of an exact one' "$gait" report --json --by edge "$work/truth"
check raw true "$work/stdout"
status 0 'report by line' "$gait" report --json --by line "$work/sampled"
check raw true "$work/stdout"
status 0 'report as text' "$gait" report --by edge "$work/sampled"
grep -q 'made consistent (inferred)' "$work/stdout" || bad 'text does not say that counts are inferred'
# Samples of single places have no edges; flow makes some.
if "$gait" record -q -e cpu-clock -F 2000 -o "$work/plain" -- "$rounds" 100 >"$work/stdout" 2>"$work/stderr"; then
    status 2 'compare plain samples as they are' "$gait" compare "$work/truth" "$work/plain"
    says '--inferred makes counts of them'
    status 1 'report plain samples inferred' "$gait" report --by block --inferred "$work/plain"
    for how in static levin confidence; do
        status 0 "compare plain samples, $how" "$gait" compare --json --module rounds --inferred=$how "$work/truth" "$work/plain"
        cp "$work/stdout" "$work/json=$how"
    done
    check points "$work"/json={static,levin,confidence}
else
    echo "plain samples are not looked at: $(cat "$work/stderr")"
fi
status 1 'inferred lines' "$gait" report --by line --inferred "$work/sampled"
says 'no inferred counts for this view'
status 129 'another method' "$gait" report --by edge --inferred=guesses "$work/sampled"
says 'confidence, levin, profi, static, classes or perfect'
finish
