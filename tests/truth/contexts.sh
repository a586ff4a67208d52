#!/bin/bash
# Calling contexts of exact runs: those of a program with calls of every kind, which counts them itself; the whole tree, as the course of the program tells it; and how often each function was
# called, by callgrind.
cd "$(dirname "$0")/../.." || exit 1
. tests/truth/lib/programs.sh
need_command valgrind valgrind
need_command setarch util-linux
need_command nm binutils
names=lua traced=
[ -z "$GAIT_LONG" ] || names='lua bzip2 gzip sqlite3' traced='lua gzip sqlite3'
# shellcheck disable=SC2086
need_programs $names
make -s "${GAIT_OUT:-o/rel}/programs/contexts" >&2 || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
"$gait" record -q --exact=contexts -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/contexts" >"$work/counted" || fail "contexts: status $?"
"$gait" verify "$work/data" >"$work/log" 2>&1 || { cat "$work/log"; fail 'contexts: verify'; }
"$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
python3 -B tests/truth/lib/contexts.py "$work/json" "$work/counted" || bad=1
# The column of calls is how often a function was called, not what was called below it as well.
"$gait" contexts --flat --json --min 0 "$work/data" | sed -n 's/.*"function": "\(ctx_[a-z_0-9]*\)".*"count": \([0-9]\{1,3\}\),.*/\1 \2/p' | sort >"$work/own"
"$gait" contexts --flat --min 0 --limit 9999 "$work/data" | awk '$5 ~ /^ctx_/ && $3 ~ /^[0-9][0-9]?[0-9]?$/ {print $5, $3}' | sort >"$work/shown"
[ -s "$work/own" ] && cmp "$work/own" "$work/shown" || { echo 'calls of functions are not shown as counted'; bad=1; }
# Ticks weigh where they were taken: the list begins with the function that has most of its own.
"$gait" record -q --exact=contexts --ticks -o "$work/ticks" -- "${GAIT_OUT:-o/rel}/programs/contexts" >/dev/null || fail "ticks: status $?"
most=$("$gait" contexts --flat --json "$work/ticks" | sed -n 's/.*"function": "\([^"]*\)".*"self_ticks": \([0-9]*\).*/\2 \1/p' | sort -rn | sed -n '1s/[0-9]* //p')
"$gait" contexts --flat "$work/ticks" >"$work/shown"
grep -q 'weighed by ticks' "$work/shown" && sed -n 6p "$work/shown" | grep -qF "  $most" || { echo "ticks do not weigh: $most is not first"; cat "$work/shown"; bad=1; }
# The same tree, node by node, is made of a trace; but not of a fork, whose trace begins there, and not of waits, which are chance.
waits=pthread_create,pthread_join,__lll_lock_wait,__lll_lock_wake,__lll_lock_wait_private,__lll_lock_wake_private
for mode in contexts trace+contexts; do
    setarch -R "$gait" record -q --exact=$mode -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/contexts" >"$work/counted" || fail "$mode: status $?"
    "$gait" contexts --json --min 0 "$work/data" >"$work/$mode" || fail "gait contexts: status $?"
done
python3 -B tests/truth/lib/trees.py --skip "ctx_fork,ctx_child,__fork,$waits" "$work/contexts" "$work/trace+contexts" || bad=1
for name in $traced; do
    for mode in contexts trace+contexts; do
        GAIT_PREFIX="setarch -R env -u GAIT_PREFIX $gait record -q --exact=$mode -o $work/data --" \
            bench/run-program "$name" tiny measure "$work/out" || fail "$name, $mode: status $?"
        "$gait" contexts --json --min 0 "$work/data" >"$work/$mode" || fail "gait contexts: status $?"
    done
    python3 -B tests/truth/lib/trees.py "$work/contexts" "$work/trace+contexts" | sed "s/^/$name: /"
    [ "${PIPESTATUS[0]}" = 0 ] || bad=1
done
# Flame graphs are of the same calls.
"$gait" record -q --exact=contexts -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/contexts" >"$work/counted" || fail "contexts: status $?"
"$gait" export --format collapsed -i "$work/data" -o "$work/folded" || fail "export: status $?"
python3 -B tests/truth/lib/contexts.py --folded "$work/folded" "$work/counted" || bad=1
# Call sites merged: fewer contexts, the same calls in them.
"$gait" record -q --exact=contexts --merge-sites -o "$work/merged" -- "${GAIT_OUT:-o/rel}/programs/contexts" >"$work/counted" || fail "merged: status $?"
"$gait" contexts --json --min 0 "$work/data" >"$work/json"
"$gait" contexts --json --min 0 "$work/merged" >"$work/merged.json" || fail "gait contexts: status $?"
python3 -B tests/truth/lib/contexts.py "$work/merged.json" "$work/counted" || bad=1
[ "$(grep -c '"id"' "$work/merged.json")" -lt "$(grep -c '"id"' "$work/json")" ] || { echo 'no fewer contexts with call sites merged'; bad=1; }
# Too many of them: told, and those that there are have no more calls than there were.
"$gait" record -q --exact=contexts --max-contexts 60 -o "$work/data" -- "${GAIT_OUT:-o/rel}/programs/contexts" >"$work/counted" || fail "contexts: status $?"
"$gait" contexts --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
python3 -B tests/truth/lib/contexts.py --bounded "$work/json" "$work/counted" || bad=1
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-FMA,-FMA4,-BMI2,-ERMS,-FSRM
for name in $names; do
    bench/callgrind "$name" "$out" "$work/callgrind" "$work/truth" || fail "$name under callgrind: status $?"
    GAIT_PREFIX="setarch -R $gait record -q --exact=contexts --ticks -o $work/data --" \
        bench/run-program "$name" tiny measure "$work/out" || fail "$name under gait: status $?"
    cmp "$work/truth" "$work/out" || fail "$name: output differs"
    "$gait" contexts --flat --json --min 0 "$work/data" >"$work/json" || fail "gait contexts: status $?"
    python3 -B tests/truth/lib/calls.py "$(program_binary "$name")" "$work/callgrind" "$work/json" || bad=1
done
exit $bad
