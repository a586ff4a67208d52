#!/bin/bash
# record --only, sampled: walks begin mostly in what is kept; figures are those of a recording that keeps everything.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/rounds" tests/programs/rounds.c || { bad 'the test program could not be built'; exit 1; }
share() { "$gait" report --by "$1" --module rounds --json "$work/$2" | /usr/bin/python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
print(" ".join("%s %s %s" % tuple(next((r[k] or 0 for r in rows if r.get("name", r.get("function")) == name), 0) for k in (sys.argv[1], sys.argv[1] + "_lo", sys.argv[1] + "_hi")) for name in sys.argv[2:]))' "${@:3}"; }
"$gait" record -q -F 1000 --seed 1 -o "$work/all" -- "$work/rounds" 4000 >/dev/null
"$gait" record -q -F 1000 --seed 1 --only nested,three_or_nine -o "$work/part" -- "$work/rounds" 4000 >/dev/null
"$gait" verify "$work/part" >"$work/verify" || { bad 'verify'; cat "$work/verify"; }
"$gait" report -v "$work/part" >"$work/report"
grep -q '^only nested,three_or_nine was kept' "$work/report" || bad 'the report does not say what was kept'
grep -q 'interrupt outside the selected code' "$work/report" || bad 'no interrupt was declined'
"$gait" report --json "$work/part" | grep -q '"only": "nested,three_or_nine"' || bad 'JSON does not say what was kept'
"$gait" report --json "$work/part" | grep -q '"name": "million"' && bad 'something else was kept'
# Shares of time: both intervals hold what the other says, or nearly. Of two runs on a busy machine
# one may take longer: so each is compared with its own user time. There samples are less
# independent, too: shares of 13 runs at a load of 13 had 1.4 times the deviation that intervals say.
share_of_time() {
    local user
    user=$("$gait" info --json "$work/$1" | grep -o '"whole_user_time": [0-9.]*' | cut -d ' ' -f 2)
    share function "$1" time nested | awk -v user="$user" '{ print $1 / user, $2 / user, $3 / user }'
}
read -r a a_lo a_hi <<<"$(share_of_time all)"
read -r b b_lo b_hi <<<"$(share_of_time part)"
echo "time of nested: $a ($a_lo to $a_hi) of all, $b ($b_lo to $b_hi) of the part"
awk "BEGIN { more = ($a_hi - $a_lo) / 2; exit !($a_lo > 0 && $a_lo <= $b_hi + more && $b_lo <= $a_hi + more) }" || bad 'another share of the time'
# Executions within the part: 60 times 7 instructions a call beside 6 times 3.
ratio() { read -r x _ _ y _ _ <<<"$(share function "$1" instructions nested three_or_nine)"; awk "BEGIN { printf \"%.2f\", $x / $y }"; }
whole=$("$gait" record -q --exact=counts -o "$work/exact" -- "$work/rounds" 10 >/dev/null; ratio exact)
part=$(ratio part)
echo "instructions of nested for each of three_or_nine: $part, exactly $whole"
awk "BEGIN { exit !($part > 0.85 * $whole && $part < 1.15 * $whole) }" || bad 'other counts'
"$gait" merge -o "$work/both" "$work/all" "$work/part" 2>"$work/err" && bad 'a part was merged with the whole'
grep -q 'different parts' "$work/err" || bad "merge: $(cat "$work/err")"
"$gait" record --plain --only main -o "$work/plain" -- true 2>"$work/err" && bad '--plain takes --only'
grep -q 'only is for walks' "$work/err" || bad "--plain: $(cat "$work/err")"
finish
