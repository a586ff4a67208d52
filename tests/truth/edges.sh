#!/bin/bash
# No edge is reported that the disassembly cannot make, exact or sampled.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command objdump binutils
need_programs lua bzip2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for name in lua bzip2; do
    for how in --exact=counts '--overhead 20%'; do
        GAIT_PREFIX="$gait record -q $how -o $work/data --" bench/run-program "$name" small measure "$work/out" || fail "$name $how: status $?"
        "$gait" report --by edge --raw --json -i "$work/data" >"$work/json" || fail "$name $how: report: status $?"
        echo "record $how:"
        tests/truth/lib/edges.py "$(program_binary "$name")" "$work/json" || bad=1
    done
done
exit $bad
