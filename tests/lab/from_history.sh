#!/bin/bash
# gait paths --from-history: the ways to followed instructions by the directions of branches, of programs of which it is known what these tell (tests/programs/turns.c): eight branches at random in a
# row are 2^8 ways of which each record fits one; a loop's directions fit several.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
turns=$(program turns)
for how in chain loop; do
    "$gait" record -q --exact=trace --core 21264 --pairs 40 --seed 1 -o "$work/$how" -- "$turns" $how 20000 >/dev/null || bad "record: status $?"
    "$gait" paths --from-history --json --module turns "$work/$how" >"$work/$how.json" || bad "paths: status $?"
    "$gait" report --by edge --raw --json "$work/$how" >"$work/$how.edges" || bad "report: status $?"
done
"$gait" paths --from-history=4 --json --module turns "$work/chain" >"$work/four.json" || bad "four directions: status $?"
/usr/bin/python3 -B - "$work" <<'PY' || bad 'paths'
import collections, json, sys
def rows(name, function):
    data = json.load(open(f"{sys.argv[1]}/{name}.json"))
    assert data["schema"] == "gait/history-paths/1" and data["untold"] < 0.01 * data["records"], (data["untold"], data["records"])
    return [row for row in data["rows"] if row["function"] == function]
def ways(rows):
    """Different paths to the block that most of them end at, and their records."""
    ends = collections.defaultdict(list)
    for row in rows:
        ends[row["blocks"][-1]].append(row["records"])
    return max(ends.values(), key=sum)
chain, four, loop = rows("chain", "chain"), rows("four", "chain"), rows("loop", "loop")
alone = sum(row["alone"] for row in chain) / sum(row["records"] for row in chain)
ended, short = ways(chain), ways(four)
print(f"chain: {100 * alone:.1f} % fit one path alone; {len(ended)} ways to its end with 8 directions, {len(short)} with 4")
assert alone > 0.85
# All are as likely: none of 256, or of 16, is missing, and none is twice as frequent as the mean of so many records allows.
assert len(ended) == 256 and max(ended) < sum(ended) / 256 + 6 * (sum(ended) / 256) ** 0.5, (len(ended), max(ended), sum(ended))
assert len(short) == 16 and max(short) < 1.3 * sum(short) / 16, short
# The way goes along edges that ran: each block but the first is where one leads to.
targets = {row["to"] for row in json.load(open(f"{sys.argv[1]}/chain.edges"))["rows"]}
assert all(block in targets for row in chain for block in row["blocks"][1:]), "a block that no edge leads to"
told = sum(row["alone"] for row in loop) / sum(row["records"] for row in loop)
print(f"loop: {100 * told:.1f} % fit one path alone")
assert told < 0.25 and sum(row["records"] for row in loop) > 1000
PY
"$gait" paths --from-history "$work/chain" --limit 2 >"$work/text" || bad "text: status $?"
grep -q 'of them fit one path alone, others show the likeliest' "$work/text" && grep -q '^      blocks 0x' "$work/text" || bad "text: $(cat "$work/text")"
for wrong in 0 65 x -1 ''; do
    status 129 "--from-history=$wrong" "$gait" paths --from-history=$wrong "$work/chain"
    says 'from 1 to 64'
done
status 129 'with contexts' "$gait" paths --from-history --contexts "$work/chain"
status 2 'no function of that name' "$gait" paths --from-history --function nowhere_at_all "$work/chain"
"$gait" record -q --exact=paths -o "$work/none" -- true || bad 'record'
status 2 'without records' "$gait" paths --from-history "$work/none"
says 'no record has the directions of branches'
finish
