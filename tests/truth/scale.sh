#!/bin/bash
# Numbers of instructions of a default recording: intervals hold the exact figures, of small hot code and of a compiler,
# which is in new code all the time and whose trails run twenty times slower than itself.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
compiler=$(g++ -print-prog-name=cc1plus 2>/dev/null)
[ -x "$compiler" ] || skip 'g++ is not installed'
printf '#include <%s>\n' regex map functional | g++ -std=c++17 -E -x c++ - >"$work/text.ii" || exit 1
echo 'bool f(const char *s) { return std::regex_match(s, std::regex("a(b|c)*")); }' >>"$work/text.ii"
record() { "$gait" record -q -o "$work/$1" "${@:2}" >"$work/output" || bad "record $1: status $?"; }
compile=("$compiler" -quiet -std=c++17 -fsyntax-only "$work/text.ii")
rounds=("$(program rounds)" 1500)
record compile.exact --exact=counts -- "${compile[@]}"
record compile.sampled.1 -- "${compile[@]}"
record rounds.exact --exact=counts -- "${rounds[@]}"
for time in 1 2 3; do record rounds.sampled.$time -- "${rounds[@]}"; done # of one, all may miss at once
for name in compile rounds; do
    for file in "$work/$name".*; do "$gait" report --json --by function "$file" >"$file.json"; done
    /usr/bin/python3 -B - "$work/$name" <<'EOF' || bad "$name"
import glob, json, sys
def rows(file):
    return {r['address']: r for r in json.load(open(file))['rows']}
exact = rows(f'{sys.argv[1]}.exact.json')
every = sum(r['instructions'] for r in exact.values())
least = 0.02 * every if 'rounds' in sys.argv[1] else 0
held = known = 0
for file in sorted(glob.glob(f'{sys.argv[1]}.sampled.*.json')):
    sampled = rows(file)
    hot = sorted((a for a in sampled if a in exact and exact[a]['instructions'] >= least), key=lambda a: -sampled[a]['instructions'])[:20]
    hot = [sampled[a] | {'truth': exact[a]['instructions']} for a in hot if sampled[a]['instructions_lo'] is not None]
    inside = sum(r['instructions_lo'] <= r['truth'] <= r['instructions_hi'] for r in hot)
    told = sum(r['instructions'] for r in sampled.values())
    print(f'{inside} of {len(hot)} functions within their intervals; {told / every:.2f} of what ran')
    held, known = held + inside, known + len(hot)
assert known and held >= 0.6 * known
EOF
done
finish
