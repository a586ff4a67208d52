#!/bin/bash
# Exact counts of every instruction of the main module equal callgrind's, on real programs.
#
# Both runs see one environment and no address randomisation. Under callgrind (bench/callgrind) libc and libm are pinned to their
# baseline functions: valgrind shows another CPU than the machine's, and what a library function returns in its
# last bit would be another path in the program. gait runs with those, and with other sets of string functions,
# which give the program the same answers; with GAIT_LONG=1 with all that glibc can pick. Never with FMA, which
# gives others. Counts inside of the sets are in string-sets.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command valgrind valgrind
need_command setarch util-linux
need_command objdump binutils
need_programs lua bzip2 gzip

baseline=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-FMA,-FMA4,-BMI2,-ERMS,-FSRM
narrow=-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512BW
sets="$baseline -FMA,-FMA4"
[ -n "$GAIT_LONG" ] && sets="$sets $narrow $narrow,-RTM,-Prefer_No_VZEROUPPER -FMA,-FMA4,-AVX512F -FMA,-FMA4,-RTM
    $narrow,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSE4_1,-SSE4_2,-Fast_Unaligned_Copy"
tunables() { export GLIBC_TUNABLES=glibc.cpu.hwcaps=$1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for name in lua bzip2 gzip; do
    binary=$(program_binary "$name")
    bench/callgrind "$name" "$out" "$work/callgrind" "$work/truth" || fail "$name under callgrind: status $?"
    for set in $sets; do
        tunables "$set"
        GAIT_PREFIX="setarch -R $gait record -q --exact=counts -o $work/data --" \
            bench/run-program "$name" tiny measure "$work/out" || fail "$name under gait: status $?"
        cmp "$work/truth" "$work/out" || fail "$name: output differs with $set"
        "$gait" verify "$work/data" >"$work/log" 2>&1 || { cat "$work/log"; fail "$name: verify with $set"; }
        "$gait" report --by instruction --raw --json -i "$work/data" >"$work/json" || fail "$name: report: status $?"
        echo "string functions: $set"
        tests/truth/lib/callgrind.py "$binary" "$work/callgrind" "$work/json" || bad=1
    done
    rm -f "$work"/*
done
exit $bad
