#!/bin/bash
# Takes long
# programs.sh [NAME...]: the programs of tests/programs, or only those, print the same and end the same natively,
# sampled hard with each trigger, and exact; and what was recorded verifies.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} gait=${GAIT_OUT:-o/rel}/gait
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0 expected=0 compared=0
. tests/truth/lib/known.sh
. tests/truth/lib/modes.sh

# part_of WRONG: the word of tests/truth/lib/known.sh for what differs.
part_of() { [ "$1" = ' verify' ] && echo profile || echo output; }

# ended FILE COMMAND...: what it printed and how it ended, in a session of its own.
ended() {
    local to=$1
    shift
    setsid timeout -s KILL "${GAIT_PROGRAM_SECONDS:-30}" "$@" >"$to.out" 2>"$to.err" </dev/null
    echo "status $?" >"$to.status"
}

options_of() { case $1 in exact) echo --exact=counts ;; *) echo "--overhead 20% --trigger $1" ;; esac; }

attempt() {
    local name=$1 mode=$2 part wrong=''
    rm -f "$dir"/data*
    # shellcheck disable=SC2046
    ended "$dir/$mode" "$gait" record -q $unnamed -o "$dir/data" $(options_of "$mode") -- "$out/programs/$name" 2>/dev/null
    for part in status out err; do
        cmp -s "$dir/native.$part" "$dir/$mode.$part" || wrong="$wrong $part"
    done
    [ -n "$wrong" ] || "$gait" verify "$dir/data" >"$dir/verify" 2>&1 || wrong=' verify'
    compared=$((compared + 1))
    if [ -z "$wrong" ]; then
        known "$name" "$mode" output profile && echo "$name, $mode: does not differ, though it is known to"
        return
    fi
    known "$name" "$mode" output "$(part_of "$wrong")" && { expected=$((expected + 1)); return; }
    failed=$((failed + 1))
    echo "$name, $mode: differs:$wrong; native $(cat "$dir/native.status"), $mode $(cat "$dir/$mode.status")"
    [ "$wrong" = ' verify' ] && tail -n 3 "$dir/verify" | sed 's/^/    | /'
    for part in out err; do
        diff <(head -c 4000 "$dir/native.$part" | cat -v) <(head -c 4000 "$dir/$mode.$part" | cat -v) | head -n 6 | cut -c1-160 | sed 's/^/    | /'
    done
}

# Not those that other tests start with arguments, or stop, nor what prints its own CPU time (tally), the time of day (phases), or takes seconds
# and prints nothing (kernel_turns) or only computes (cache_blocks, costs, latencies, paces).
[ $# -gt 0 ] || set -- $(find tests/programs -name plugs -prune -o -name '*.c*' -printf '%f\n' | sed -n 's/\.cc*$//p' | sort | grep -vxE 'beat|busy|cache_blocks|costs|jit_hidden|kernel_turns|latencies|paces|phases|preempted|scribbles|sealed|tally')
for name; do
    [ -x "$out/programs/$name" ] || make -s "$out/programs/$name"
    ended "$dir/native" "$out/programs/$name" 2>/dev/null
    # Of the two triggers one in turn: half of them in one round, the others in the next. GAIT_LONG: both.
    triggers=(perf cputime)
    turn=$((1 - ${turn:-$(($$ % 2))}))
    [ -n "$GAIT_LONG" ] || triggers=("${triggers[turn]}")
    for mode in "${triggers[@]}" exact; do attempt "$name" "$mode"; done
done
echo "$compared comparisons of $# programs: $failed differ, $expected more are known to differ"
[ "$failed" = 0 ]
