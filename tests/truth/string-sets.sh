#!/bin/bash
# Exact counts inside glibc, with every set of string functions that it can pick on this machine, equal those of
# single steps: every instruction, every count. Callgrind cannot be asked: it shows programs another processor.
#
# Of gait, a run with one round more less a run without it: what comes before and behind is the same. All sets with
# GAIT_LONG=1, else the processor's best and those that ask whether they are in a transaction.
cd "$(dirname "$0")/../.." || exit 1
out=${GAIT_OUT:-o/rel} gait=${GAIT_OUT:-o/rel}/gait
make -s "$out/programs/string_sets" "$out/programs/stepper" >&2 || exit 1
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
failed=0

narrow=-AVX512F,-AVX512VL,-AVX512BW
sets="best: avx2_rtm:$narrow"
[ -n "$GAIT_LONG" ] && sets="$sets
    evex:-AVX512F
    evex_no_rtm:-AVX512F,-RTM
    avx2:$narrow,-RTM,-Prefer_No_VZEROUPPER
    avx_unaligned:$narrow,-RTM,-Prefer_No_VZEROUPPER,-AVX2
    sse4:$narrow,-AVX2,-AVX,-AVX_Fast_Unaligned_Load
    ssse3:$narrow,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSE4_1,-SSE4_2,-Fast_Unaligned_Copy
    sse2:$narrow,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSE4_1,-SSE4_2,-SSSE3,-BMI2
    sse2_no_erms:$narrow,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSE4_1,-SSE4_2,-SSSE3,-BMI2,-ERMS,-FSRM"

counts() { # counts ROUNDS FILE
    setarch -R "$gait" record -q --exact=counts -o "$dir/data" -- "$out/programs/string_sets" "$1" >"$dir/said" || return 1
    "$gait" report --by instruction --raw --json -i "$dir/data" >"$2"
}

for set in $sets; do
    name=${set%%:*}
    export GLIBC_TUNABLES=glibc.cpu.hwcaps=${set#*:}
    [ "$name" = best ] && unset GLIBC_TUNABLES
    setarch -R "$out/programs/stepper" "$out/programs/string_sets" 2 >"$dir/steps.$name" || { echo "FAILED: $name: the steps ended early"; exit 1; }
    counts 2 "$dir/two" && counts 3 "$dir/three" || { echo "FAILED: $name: the exact run"; exit 1; }
    python3 - "$name" "$dir" <<'P' || failed=$((failed + 1))
import json, os, sys
name, where = sys.argv[1:]

def stepped(path):
    counts = {}
    for line in open(path):
        word = line.split()
        if len(word) == 3 and word[0] == "libc.so.6":
            counts[int(word[1], 16)] = int(word[2])
    return counts

def counted(path):
    report, counts = json.load(open(path)), {}
    if report["losses"].get("exact_left"):
        sys.exit(f"{name}: the exact run went on natively")
    for row in report["rows"]:
        module, _, offset = row["address"].rpartition("+0x")
        if module == "libc.so.6":
            counts[int(offset, 16)] = row["count"]
    return counts

truth = stepped(f"{where}/steps.{name}")
two, three = counted(f"{where}/two"), counted(f"{where}/three")
ours = {at: three.get(at, 0) - two.get(at, 0) for at in two.keys() | three.keys()}
wrong = [at for at in truth.keys() | ours.keys() if truth.get(at, 0) != ours.get(at, 0)]
others = set()
for file in os.listdir(where):
    if file.startswith("steps.") and file != f"steps.{name}":
        others |= stepped(f"{where}/{file}").keys()
print(f"{name}: {sum(truth.values())} instructions at {len(truth)} places of libc, {len(truth.keys() - others)} of them in no set before: {len(wrong)} differ")
for at in sorted(wrong)[:10]:
    print(f"    libc+{at:#x}: stepped {truth.get(at, 0)}, counted {ours.get(at, 0)}")
sys.exit(bool(wrong) or sum(truth.values()) < 5000)
P
done
[ "$failed" = 0 ]
