#!/bin/bash
# suites.sh [SUITE...]: test suites of other projects, run natively and in every mode: each case must end as it does
# natively. tests/truth/lib/suites/*.sh say how each is run. It takes hours: only with GAIT_LONG=1 or `make check-suites`.
#   SUITE_TESTS='a b'   only these tests of the suites (a module, a stressor, a file)
#   SUITE_EVERY=N       every Nth test of each suite
#   SUITE_MODES=...     these modes only (tests/truth/lib/modes.sh)
#   SUITE_SECONDS=N     starts nothing new after that many seconds, and says how much was left
#   GAIT_JOBS=N         tests at once
# A suite's file defines
#   suite_ready FOLDER       0 if it can run here; puts what it needs into FOLDER; else prints why not
#   suite_tests FOLDER       prints the names of its tests
#   suite_run FOLDER TEST FILE PREFIX...   runs one, from a fresh folder that is its working folder; writes a line a case to FILE
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
. tests/truth/lib/modes.sh
top=$PWD lib=$PWD/tests/truth/lib/suites
cache=${cache:-${GAIT_CACHE:-$HOME/.cache/gait}/bench}
[ -n "$GAIT_LONG" ] || [ $# -gt 0 ] || skip 'suites.sh takes hours: GAIT_LONG=1 or make check-suites runs it'
[ $# -gt 0 ] || set -- $(basename -s .sh "$lib"/*.sh)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
modes=${SUITE_MODES:-cputime $modes_exact}
limit=200 left=0

# run AT MODE TEST: the verdicts of one run, in AT.
run() {
    local cwd
    cwd=$(mktemp -d "$work/cwd.XXXXXX")
    : >"$1"
    (cd "$cwd" && suite_run "$work/$project" "$3" "$1" timeout -s KILL "$limit" $(mode_prefix "$2" "$cwd/../data.${cwd##*.}") >"$1.log" 2>&1 </dev/null)
    rm -rf "$cwd" "$work/data.${cwd##*.}"*
}

# steady AT TEST: three more native runs end like the first. stress-ng's mutex failed in 2 of 8: it is not run.
steady() {
    local i
    for i in 1 2 3; do
        run "$1.again" native "$2"
        cmp -s "$1.native" "$1.again" || return 1
    done
}

# test_one TEST: natively, then in each mode. A test that differs is run again, natively and recorded, so that one that
# differs from itself is told from one that is harmed. A line a mode: suite, mode, what came of it, cases.
test_one() {
    local at=$work/$project.verdicts/${1//\//+} mode word
    run "$at.native" native "$1"
    for mode in $modes; do
        run "$at.$mode" "$mode" "$1"
        word=same
        if ! cmp -s "$at.native" "$at.$mode"; then
            if ! steady "$at" "$1"; then word=unsteady; else
                run "$at.again" "$mode" "$1"
                word=differs
                report "$at" "$mode" "$1" "$(cmp -s "$at.native" "$at.again" && echo '1 of 2 runs' || echo '2 of 2 runs')"
            fi
        fi
        echo "$project $mode $word $(wc -l <"$at.native")" >>"$work/results"
        [ "$word" = differs ] || rm -f "$at.$mode" "$at.$mode.log"
    done
}

report() {
    printf '%s\n' "$project $3, $2: differs ($4); repeat: SUITE_TESTS='$3' SUITE_MODES=$2 tests/harm/suites.sh $project" \
        "$(diff "$1.native" "$1.$2" | grep '^[<>]' | head -n 6 | cut -c1-160 | sed 's/^/    /')" \
        "$(tail -n 4 "$1.$2.log" | cut -c1-160 | sed 's/^/    | /')"
}

for project; do
    [ -e "$lib/$project.sh" ] || fail "no suite $project: $(basename -s .sh "$lib"/*.sh | xargs)"
    . "$lib/$project.sh"
    mkdir -p "$work/$project" "$work/$project.verdicts"
    suite_ready "$work/$project" || { absent="$absent $project"; continue; }
    for test in ${SUITE_TESTS:-$(suite_tests "$work/$project" | awk -v n="${SUITE_EVERY:-1}" 'NR % n == 0')}; do
        while [ "$(jobs -pr | wc -l)" -ge "${GAIT_JOBS:-$(nproc)}" ]; do wait -n; done
        [ "$SECONDS" -le "${SUITE_SECONDS:-1000000}" ] || { left=$((left + 1)); continue; }
        test_one "$test" &
    done
    wait
done
[ -e "$work/results" ] || skip "none of these suites can run here:$absent (make deps-long)"
awk '
    { key = sprintf("%-12s %-10s", $1, $2); tests[key]++; cases[key] += $4; bad[key] += $3 == "differs"; odd[key] += $3 == "unsteady"; wrong += $3 == "differs" }
    END {
        printf "%-12s %-10s %6s %8s %8s %9s\n", "suite", "mode", "tests", "cases", "differ", "unsteady"
        for (key in tests) printf "%s %6d %8d %8d %9d\n", key, tests[key], cases[key], bad[key], odd[key] | "sort"
        close("sort")
        exit wrong > 0
    }' "$work/results"
status=$?
[ -z "$absent" ] || echo "cannot run here:$absent (make deps-long)"
[ "$left" = 0 ] || { echo "$left tests were not run within SUITE_SECONDS"; status=1; }
exit $status
