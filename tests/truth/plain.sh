#!/bin/bash
# Plain samples against perf's own: shares of functions on real programs; callers against a program that says
# how it divides its time; and a program with a beat of its own, which must not matter.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gait" record -e cpu-clock -q -o "$work/data" -- true 2>"$work/why" || skip "plain samples are refused: $(cat "$work/why")"
bad=0

# A steady clock of the same rate would see one function only, or next to none of it.
make -s "$out/programs/beat" || fail 'the test program could not be built'
"$gait" record --plain -q -F 1000 -o "$work/data" -- "$out/programs/beat" 1000 1
"$gait" report --by function --json "$work/data" | /usr/bin/python3 -B tests/truth/lib/beat.py || bad=1

need_command perf linux-perf
pairs='lua:15 bzip2:6'
[ -z "$GAIT_LONG" ] || pairs="$pairs sqlite3:80" # a minute to build
# shellcheck disable=SC2086
need_programs $(printf '%s\n' $pairs | cut -d: -f1)
# by_perf FILE: what perf reports of the program.
by_perf() {
    GAIT_PREFIX="perf record -q -B -N -F 15000 -e cpu-clock:u -o $work/perf.data --" bench/run-program "$name" "$size" measure "$work/out" 2>/dev/null &&
        perf report -i "$work/perf.data" --no-children -g none --stdio -t '|' -F sample,dso,symbol 2>/dev/null >"$1"
}
for pair in $pairs; do
    name=${pair%:*} size=${pair#*:}
    by_perf "$work/perf" || skip "perf record is refused"
    GAIT_PREFIX="$gait record --plain -q -F 15000 -o $work/data --" bench/run-program "$name" "$size" measure "$work/out"
    "$gait" report --by function --json "$work/data" >"$work/gait"
    /usr/bin/python3 -B tests/truth/lib/shares.py "$name" "$work/perf" "$work/gait" ||
        { by_perf "$work/again" && /usr/bin/python3 -B tests/truth/lib/shares.py "$name" "$work/perf" "$work/gait" "$work/again"; } || bad=1
    "$gait" verify "$work/data" >"$work/verify" || { cat "$work/verify"; bad=1; }
done
exit $bad
