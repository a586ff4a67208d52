#!/bin/bash
# programs.sh [NAME...]: the programs of tests/programs, or only those, print the same and end the same natively,
# sampled hard with each trigger, and exact; and what was recorded verifies.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} gait=${GAIT_OUT:-o/rel}/gait
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0 known=0 compared=0

# Known to differ, each with the reason: "PROGRAM MODE|any reason". Must become empty. One that no longer differs is
# said, and its line deleted.
expected() {
    grep -Eq "^$1 (any|$2) " <<'LIST'
actions any what the program set for SIGTRAP and faults is told with the agent's own flags and masks
code_moved any private mappings of files that are moved by mremap keep their old copies in samples
code_moved exact a file that was deleted has no binary to verify against
code_self exact a run that leaves the cache in the middle leaves one arrival too many
code_written any text changed through /proc/self/mem, raw mprotect or a process that borrows memory keeps its copies
coroutines_small any the signal frame of a sample is written below a stack of 1 KiB
faults exact a run that leaves the cache in the middle leaves one arrival too many
jit exact a run that leaves the cache in the middle leaves one departure too few
jit_reuse exact a run that leaves the cache in the middle leaves one departure too few
libraries any what ran in a library is told of another that lay at the same address before
memory_locked any the agent's sparse mappings are paged in by mlockall
odd exact a run that leaves the cache in the middle leaves one arrival too many
segment_gs exact arch_prctl tells the agent's %gs
signal_context exact handlers see a pc inside of the cache
signal_fork exact a child goes on in its parent's cache and counters
signal_nested any SIGTRAP is never blocked while sampled
signal_trap any a breakpoint of the program's own, with a handler: killed
signal_wait any SIGTRAP is never blocked while sampled: nobody can wait for it
thread_exec exact what was under way in the main thread when another execs leaves one arrival too many
trampolines exact a run that leaves the cache in the middle leaves one departure too few
LIST
}

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
    ended "$dir/$mode" "$gait" record -q -o "$dir/data" $(options_of "$mode") -- "$out/programs/$name" 2>/dev/null
    for part in status out err; do
        cmp -s "$dir/native.$part" "$dir/$mode.$part" || wrong="$wrong $part"
    done
    [ -n "$wrong" ] || "$gait" verify "$dir/data" >"$dir/verify" 2>&1 || wrong=' verify'
    compared=$((compared + 1))
    if [ -z "$wrong" ]; then
        expected "$name" "$mode" && echo "$name, $mode: does not differ, though it is known to"
        return
    fi
    expected "$name" "$mode" && { known=$((known + 1)); return; }
    failed=$((failed + 1))
    echo "$name, $mode: differs:$wrong; native $(cat "$dir/native.status"), $mode $(cat "$dir/$mode.status")"
    [ "$wrong" = ' verify' ] && tail -n 3 "$dir/verify" | sed 's/^/    | /'
    for part in out err; do
        diff <(head -c 4000 "$dir/native.$part" | cat -v) <(head -c 4000 "$dir/$mode.$part" | cat -v) | head -n 6 | cut -c1-160 | sed 's/^/    | /'
    done
}

[ $# -gt 0 ] || set -- $(ls tests/programs | sed -n 's/\.cc*$//p')
for name; do
    [ -x "$out/programs/$name" ] || make -s "$out/programs/$name"
    ended "$dir/native" "$out/programs/$name" 2>/dev/null
    for mode in perf cputime exact; do attempt "$name" "$mode"; done
done
echo "$compared comparisons of $# programs: $failed differ, $known more are known to differ"
[ "$failed" = 0 ]
