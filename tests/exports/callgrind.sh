#!/bin/bash
# callgrind_annotate reads our export of an exact run, and reads in it what our report says and what it reads in
# callgrind's own file of the same run. The environment is that of callgrind.sh, for the same reasons.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command callgrind_annotate valgrind
need_command setarch util-linux
need_command objdump binutils
need_programs lua bzip2

export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-FMA,-FMA4,-BMI2,-ERMS,-FSRM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for name in lua bzip2; do
    bench/callgrind "$name" "$out" "$work/truth" "$work/out1" || fail "$name under callgrind: status $?"
    GAIT_PREFIX="setarch -R $gait record -q --exact=counts -o $work/data --" \
        bench/run-program "$name" tiny measure "$work/out2" || fail "$name under gait: status $?"
    cmp "$work/out1" "$work/out2" || fail "$name: output differs"
    "$gait" export --format callgrind -o "$work/ours" "$work/data" || fail "$name: export: status $?"
    "$gait" report --by function --raw --json "$work/data" >"$work/report.json" || fail "$name: report: status $?"
    "$gait" info --json "$work/data" >"$work/info.json" || fail "$name: info: status $?"
    for file in truth ours; do
        callgrind_annotate --auto=no --threshold=100 --show-percs=no "$work/$file" >"$work/$file.txt" 2>"$work/log" ||
            fail "$name: callgrind_annotate $file: status $?"
        [ ! -s "$work/log" ] || { cat "$work/log"; fail "$name: callgrind_annotate complains of $file"; }
    done
    tests/truth/lib/export_callgrind.py "$(program_binary "$name")" "$work" || bad=1
    rm -f "$work"/*
done
exit $bad
