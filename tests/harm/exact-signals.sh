#!/bin/bash
# exact-signals.sh [NAME...]: programs that live on signals print the same and end the same natively and in every exact
# mode, and the profile verifies. counts is in programs.sh; here with GAIT_LONG=1 or names.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} gait=${GAIT_OUT:-o/rel}/gait
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0 compared=0
. tests/truth/lib/modes.sh

ended() {
    local to=$1
    shift
    timeout -s KILL "${GAIT_PROGRAM_SECONDS:-60}" "$@" >"$to" 2>&1 </dev/null
    echo "status $?" >>"$to"
}

modes='paths contexts paths+contexts trace'
[ $# = 0 ] && [ -z "$GAIT_LONG" ] || modes="counts $modes"
[ $# -gt 0 ] || set -- fork_left signal_blocked signal_calls signal_changing signal_cleared signal_deep signal_dispatch_beside signal_dispatch_odd signal_end signal_killed signal_nested signal_preempt signal_spin signal_again signal_context signal_jump signal_trap signal_undefined signal_wrapped signals_raised
for name; do
    [ -x "$out/programs/$name" ] || make -s "$out/programs/$name"
    ended "$dir/native" "$out/programs/$name" 2>/dev/null
    for mode in $modes; do
        rm -f "$dir"/data*
        ended "$dir/exact" "$gait" record -q $unnamed -o "$dir/data" --exact=$mode -- "$out/programs/$name" 2>/dev/null
        compared=$((compared + 1))
        if ! diff "$dir/native" "$dir/exact" >"$dir/diff"; then
            failed=$((failed + 1))
            echo "$name, $mode: differs from the native run"
            head -n 8 "$dir/diff" | cut -c1-160 | sed 's/^/    | /'
        elif ! "$gait" verify "$dir/data" >"$dir/verify" 2>&1; then
            failed=$((failed + 1))
            echo "$name, $mode: does not verify"
            tail -n 3 "$dir/verify" | sed 's/^/    | /'
        fi
    done
done
echo "$compared comparisons of $# programs: $failed differ"
[ "$failed" = 0 ]
