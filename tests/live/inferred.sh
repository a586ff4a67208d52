#!/bin/bash
# Runs alone: it is about samples, of which a busy machine gives fewer.
# Counts that fit together: of exact profiles those that were counted, of sampled ones what enters a block leaves it,
# and they are no farther from the truth than raw ones.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
check() { /usr/bin/python3 -B tests/live/lib/check_inferred.py "$@" || failures=$((failures + 1)); }
rounds=$out/programs/rounds
exceptions=$out/programs/exceptions

status 0 'exact' "$gait" record -q --exact=counts -o "$work/truth" -- "$rounds" 400
status 134 'exact with exceptions, one not caught' "$gait" record -q --exact=counts -o "$work/thrown" -- "$exceptions"
for by in edge block function; do
    for pair in "truth rounds" "thrown exceptions"; do
        set -- $pair
        for how in --raw --inferred --inferred=levin --inferred=profi; do
            status 0 "report by $by $how" "$gait" report --json --by $by --module "$2" $how "$work/$1"
            cp "$work/stdout" "$work/json$how"
        done
        for method in '' =levin =profi; do check same "$work/json--raw" "$work/json--inferred$method"; done
    done
done

status 0 'sampled' "$gait" record -q --overhead 20% --seed 1 -o "$work/sampled" -- "$rounds" 400
for by in edge block function; do
    status 0 "report by $by" "$gait" report --json --by $by --module rounds "$work/sampled"
    cp "$work/stdout" "$work/$by"
done
check flow "$work/function" "$work/block" "$work/edge"
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
status 1 'inferred lines' "$gait" report --by line --inferred "$work/sampled"
says 'no inferred counts here'
status 129 'another method' "$gait" report --by edge --inferred=guesses "$work/sampled"
says 'confidence, levin, profi or static'
finish
