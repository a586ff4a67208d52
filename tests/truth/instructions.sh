#!/bin/bash
# Exact runs go on behind every instruction that has no copy, in every mode: what the program prints is the same,
# nothing runs natively for good, and all modes count the same instructions.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} gait=${GAIT_OUT:-o/rel}/gait
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0 compared=0
bad() { echo "FAILED: $*"; failed=$((failed + 1)); }

field() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$dir/info" | head -n 1; }

# exact NAME MODE COMMAND...: as natively, and no loss but steps.
exact() {
    local name=$1 mode=$2
    shift 2
    timeout 60 "$gait" record -q --exact="$mode" -o "$dir/data" -- "$@" >"$dir/exact" 2>"$dir/err"
    echo "status $?" >>"$dir/exact"
    cmp -s "$dir/native" "$dir/exact" || { bad "$name, $mode: prints something else"; diff "$dir/native" "$dir/exact" | head -n 5; }
    "$gait" info --json "$dir/data" >"$dir/info" || { bad "$name, $mode: info"; return; }
    grep -q exact_left "$dir/info" && bad "$name, $mode: ran natively for good: $(grep '"losses"' "$dir/info")"
    compared=$((compared + 1))
}

native() { timeout 60 "$@" >"$dir/native" 2>"$dir/err"; echo "status $?" >>"$dir/native"; }

# What timers and other threads do differs from run to run: counts of those are not compared.
for name in instructions instructions_faults instructions_storm vectors_512 transactions tiles segment_gs; do
    make -s "$out/programs/$name" || exit 1
    native "$out/programs/$name"
    counted=
    for mode in counts contexts trace paths; do
        exact "$name" $mode "$out/programs/$name"
        case $name:$mode in *storm:* | transactions:* | tiles:* | segment_gs:* | *:paths) continue ;; esac
        : "${counted:=$(field instructions)}"
        [ "$(field instructions)" = "$counted" ] || bad "$name, $mode: $(field instructions) instructions, $counted in another mode"
    done
    # Where the machine has transactions, it is told that they were aborted.
    [ "$name" != transactions ] || ! grep -qw rtm /proc/cpuinfo || [ "$(field aborted)" -gt 0 ] || bad 'transactions: nothing is said of them'
    [ "$name" = instructions_faults ] && [ "$(field stepped_uncounted)" -lt 100 ] && bad "$name: no steps"
    echo "$name: ${counted:-?} instructions, $(field stepped) and $(field stepped_uncounted) stepped"
done

# Without the time stamp counter the dispatcher cannot run: the thread goes on natively, and says so.
cat >"$dir/forbids.c" <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <x86intrin.h>
static sigjmp_buf back;
static void on_fault(int signal) { siglongjmp(back, signal); }
int main(void)
{
    signal(SIGSEGV, on_fault);
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    int seen = sigsetjmp(back, 1);
    if (!seen)
        printf("%d\n", __rdtsc() > 0);
    printf("signal %d\n", seen);
}
C
gcc -O2 -o "$dir/forbids" "$dir/forbids.c" || exit 1
native "$dir/forbids"
timeout 20 "$gait" record -q --exact=counts -o "$dir/data" -- "$dir/forbids" >"$dir/exact" 2>"$dir/err"
echo "status $?" >>"$dir/exact"
cmp -s "$dir/native" "$dir/exact" || bad "a thread without the time stamp counter: $(tail -n 1 "$dir/exact")"
"$gait" info --json "$dir/data" | grep -q exact_left || bad 'a thread without the time stamp counter: it does not say that it left'

# The functions for strings that glibc takes where there are transactions and no AVX-512 ask whether they are in one.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW
native sort CONTRIBUTING.md
for mode in counts contexts; do
    exact "sort without AVX-512" $mode sort CONTRIBUTING.md
    echo "sort without AVX-512, $mode: $(field instructions) instructions"
done
echo "$compared exact runs: $failed failures"
[ "$failed" = 0 ]
