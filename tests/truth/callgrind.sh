#!/bin/bash
# Exact counts of every instruction of the main module equal callgrind's, on real programs.
#
# Both runs see one environment and no address randomisation, and libc and libm are pinned to their
# baseline functions: valgrind shows another CPU than the machine's, and what a library function
# returns in its last bit would be another path in the program.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command valgrind valgrind
need_command setarch util-linux
need_command objdump binutils
need_programs lua bzip2 gzip

export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-FMA,-FMA4,-BMI2,-ERMS,-FSRM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for name in lua bzip2 gzip; do
    binary=$(program_binary "$name")
    GAIT_PREFIX="setarch -R valgrind -q --tool=callgrind --dump-instr=yes --skip-plt=no --compress-pos=no --compress-strings=no --callgrind-out-file=$work/callgrind" \
        bench/run-program "$name" tiny measure "$work/truth" || fail "$name under callgrind: status $?"
    GAIT_PREFIX="setarch -R $gait record -q --exact=counts -o $work/data --" \
        bench/run-program "$name" tiny measure "$work/out" || fail "$name under gait: status $?"
    cmp "$work/truth" "$work/out" || fail "$name: output differs"
    "$gait" verify "$work/data" >"$work/log" 2>&1 || { cat "$work/log"; fail "$name: verify"; }
    "$gait" report --by instruction --raw --json -i "$work/data" >"$work/json" || fail "$name: report: status $?"
    tests/truth/lib/callgrind.py "$binary" "$work/callgrind" "$work/json" || bad=1
    rm -f "$work"/*
done
exit $bad
