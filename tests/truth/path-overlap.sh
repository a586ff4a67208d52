#!/bin/bash
# Ticks along the two ways through a loop against the same program when it goes only one of them: independent loads, near and far, chains, divisions, calls.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
make -s "${GAIT_OUT:-o/rel}/programs/overlap" >&2 || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
overlap=${GAIT_OUT:-o/rel}/programs/overlap
bad=0
rounds_of() { # so that each takes about as long
    case $1 in
    near | tiny) echo 16000000 ;;
    mixed | chains | divides | calls) echo 4000000 ;;
    *) echo 1200000 ;;
    esac
}
# natively KIND ORDER...: by turns with each other: what else the machine does is then in all of them.
natively() {
    local rounds _ only
    rounds=$(rounds_of "$1")
    for _ in 1 2 3; do
        for only in first second "${@:2}"; do
            echo "$only $("$overlap" "$1" "$only" "$rounds" told)" || fail "overlap: status $?"
        done
    done >"$work/told"
}
# recorded KIND ORDER: against what was told natively right before.
recorded() {
    local rounds hertz
    rounds=$(rounds_of "$1")
    "$gait" record -q --exact=paths --ticks -o "$work/data" -- "$overlap" "$1" "$2" "$rounds" || fail "record: status $?"
    "$gait" paths --json "$work/data" >"$work/json" || fail "gait paths: status $?"
    hertz=$("$gait" info --json "$work/data" | sed -n 's/.*"tsc_hz": \["\([0-9]*\)".*/\1/p')
    python3 -B tests/truth/lib/path_overlap.py "$1" "$2" "$work/json" "$work/told" "$hertz"
}
for kind in ${*:-near far mixed either chains divides calls tiny}; do
    natively "$kind" runs turns
    for order in runs turns; do
        # What others do to the memory that is far is not in all of three tries; what is wrong is.
        recorded "$kind" "$order" || { natively "$kind" runs turns && recorded "$kind" "$order"; } ||
            { natively "$kind" runs turns && recorded "$kind" "$order"; } || bad=1
    done
done
exit $bad
