#!/bin/bash
# Paths in calling contexts (--exact=paths+contexts): all contexts together they are those of --exact=paths; each context has its own, and they add up. Calls of a function
# in a context, as the tree has them, are its paths there that begin at the entry.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v python3 >/dev/null || skip 'no python3'
command -v setarch >/dev/null || skip 'no setarch'
ways=$(program ways)
# counted NAME STATUS COMMAND...
counted() {
    local name=$1 wanted=$2 mode
    shift 2
    for mode in paths paths+contexts; do
        setarch -R "$gait" record -q --exact=$mode -o "$work/$mode" -- "$@" >"$work/out.$mode" </dev/null
        same "$name, $mode: status" "$wanted" $?
    done
    cmp -s "$work/out.paths" "$work/out.paths+contexts" || bad "$name: the program's output differs"
    python3 -B tests/truth/lib/path_contexts.py "$gait" "$work/paths" "$work/paths+contexts" >"$work/said" || bad "$name"
    sed "s/^/$name: /" "$work/said"
}
cases='recursion mutual deep longjmp exceptions tails signals gotos many fork'
counted 'all cases' 3 "$ways" $cases exit
"$gait" contexts --json --min 0 "$work/paths+contexts" >"$work/tree"
"$gait" paths --contexts --json "$work/paths+contexts" >"$work/paths.json"
python3 -B tests/truth/lib/path_entries.py "$work/tree" "$work/paths.json" ways >"$work/said" || bad 'calls and entries'
cat "$work/said"
# The same of a trace, context by context: but for children that were forked, whose traces begin anew, and what returns from handlers.
setarch -R "$gait" record -q --exact=trace+paths+contexts -o "$work/traced" -- "$ways" $cases exit >"$work/out.traced"
same 'traced: status' 3 $?
python3 -B tests/truth/lib/paths_each.py "$gait" "$work/paths+contexts" "$work/traced" >"$work/said" || bad 'paths in contexts of a trace'
cat "$work/said"
status 2 'paths in contexts that were not recorded' "$gait" paths --contexts "$work/paths"
status 129 'contexts and iterations' "$gait" paths --contexts --iterations 2 "$work/paths+contexts"
# Children that borrow memory return to frames of their parent, where another child has been: what that put by is not theirs.
vfork=$(program children_vfork)
"$vfork" >"$work/native"
timeout 60 "$gait" record -q --exact=contexts -o "$work/vfork" -- "$vfork" >"$work/counted"
same 'children of vfork: status' 0 $?
cmp -s "$work/native" "$work/counted" || bad 'children of vfork: output differs'
if [ -n "$GAIT_LONG" ]; then
    head -c 200000 "$out/gait" >"$work/input"
    counted gzip 0 gzip -nc "$work/input"
fi
finish
