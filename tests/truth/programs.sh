#!/bin/sh
# The programs of tests/programs print the same and end the same, native, sampled hard with each
# trigger, and exact.
gait=$GAIT_OUT/gait
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0
for program in "$GAIT_OUT"/programs/*; do
    case $program in *.d) continue ;; esac
    "$program" >"$dir/native.out" 2>"$dir/native.err" </dev/null
    native=$?
    for how in '--overhead 20% --trigger perf' '--overhead 20% --trigger cputime' --exact=counts; do
        # shellcheck disable=SC2086
        "$gait" record -q -o "$dir/data" $how -- "$program" >"$dir/out" 2>"$dir/err" </dev/null
        status=$?
        if [ $status != $native ]; then
            echo "$program [$how]: status $status, native $native"; failed=1
        fi
        cmp "$dir/native.out" "$dir/out" || { echo "$program [$how]: stdout differs"; failed=1; }
        cmp "$dir/native.err" "$dir/err" || { echo "$program [$how]: stderr differs"; failed=1; }
    done
done
exit $failed
