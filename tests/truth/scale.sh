#!/bin/bash
# Numbers of instructions of a default recording: intervals hold the exact figures, of small hot code and of a compiler,
# which is in new code all the time and whose trails run twenty times slower than itself.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
compiler=$(g++ -print-prog-name=cc1plus 2>/dev/null)
[ -x "$compiler" ] || skip 'g++ is not installed'
printf '#include <%s>\n' regex map algorithm unordered_map functional | g++ -std=c++17 -E -x c++ - >"$work/text.ii" || exit 1
echo 'bool f(const char *s) { return std::regex_match(s, std::regex("a(b|c)*")); }' >>"$work/text.ii"
record() { "$gait" record -q -o "$work/$1" "${@:2}" >"$work/output" || bad "record $1: status $?"; }
compile=("$compiler" -quiet -std=c++17 -fsyntax-only "$work/text.ii")
rounds=("$(program rounds)" 2000)
record compile.exact --exact=counts -- "${compile[@]}"
record compile.sampled -- "${compile[@]}"
record rounds.exact --exact=counts -- "${rounds[@]}"
record rounds.sampled -- "${rounds[@]}"
for name in compile rounds; do
    for kind in exact sampled; do "$gait" report --json --by function "$work/$name.$kind" >"$work/$name.$kind.json"; done
    /usr/bin/python3 -B - "$work/$name" <<'EOF' || bad "$name"
import json, sys
def rows(kind):
    return {r['address']: r for r in json.load(open(f'{sys.argv[1]}.{kind}.json'))['rows']}
exact, sampled = rows('exact'), rows('sampled')
least = 0.02 * sum(r['instructions'] for r in exact.values()) if 'rounds' in sys.argv[1] else 0
hot = sorted((a for a in sampled if a in exact and exact[a]['instructions'] >= least), key=lambda a: -sampled[a]['instructions'])[:20]
hot = [a for a in hot if sampled[a]['instructions_lo'] is not None]
held = [a for a in hot if sampled[a]['instructions_lo'] <= exact[a]['instructions'] <= sampled[a]['instructions_hi']]
told = [sum(r['instructions'] for r in rows.values()) for rows in (sampled, exact)]
print(f'{len(held)} of {len(hot)} functions within their intervals; {told[0] / told[1]:.2f} of what ran')
assert hot and len(held) >= 0.75 * len(hot)
EOF
done
finish
