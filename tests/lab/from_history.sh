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
nm -S "$turns" >"$work/names" || bad 'nm'
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
# Directions are those of conditional branches alone, not of the calls and returns in between: no way leads through code that did not run.
for name, idle in ("loop", "chain"), ("chain", "loop"):
    data = json.load(open(f"{sys.argv[1]}/{name}.json"))
    low, size = next((int(words[0], 16), int(words[1], 16)) for words in map(str.split, open(f"{sys.argv[1]}/names")) if words[3:] == [idle])
    strange = sum(row["records"] for row in data["rows"] if any(low <= int(block.rsplit("+", 1)[1], 16) < low + size for block in row["blocks"]))
    assert strange == 0, f"{name}: {strange} records on ways through {idle}"
told = sum(row["alone"] for row in loop) / sum(row["records"] for row in loop)
print(f"loop: {100 * told:.1f} % fit one path alone")
assert told < 0.25 and sum(row["records"] for row in loop) > 1000
PY
# Of branch records, too: made here, of a chain that is gone through with each of 256 numbers so often that the counts tell them apart. Directions alone must give each way back, with its count; and every sample ends at the newest branch.
cat >"$work/records.py" <<'PY'
import json, random, re, subprocess, sys
program, how, at = sys.argv[1:4]
code = []
for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=chain", program], capture_output=True, text=True, check=True).stdout.splitlines():
    found = re.match(r" *([0-9a-f]+):\t(\S+)(?: +([0-9a-f]+) <)?", line)
    if found:
        code.append((int(found[1], 16), found[2], found[3] and int(found[3], 16)))
calls = [(int(line.split(":")[0], 16), line) for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", program], capture_output=True, text=True, check=True).stdout.splitlines() if re.search("call.*<chain>", line)]
first, ret = code[0][0], next(at for at, word, _ in code if word.startswith("ret"))
tests = [(at, target, code[i + 1][0]) for i, (at, word, target) in enumerate(code) if word == "je"]
assert len(tests) == 8 and len(calls) == 1, (len(tests), calls)
call = calls[0][0]
times = [1 + 3 * x % 17 for x in range(256)]
if how == "make":
    samples = [x for x in range(256) for _ in range(times[x])]
    random.Random(1).shuffle(samples)
    for x in samples:
        taken = [(site, target) for i, (site, target, _) in enumerate(tests) if not x >> i & 1]
        records = [(ret, call + 5), *reversed(taken), (call, first)]
        print(f"{call + 5:x} ", *(f"0x{a:x}/0x{b:x}/P/-/-/0" for a, b in records))
else:
    data = json.load(open(at))
    assert data["records"] == sum(times) and data["untold"] == 0, (data["records"], data["untold"])
    found = {}
    for row in data["rows"]:
        assert row["function"] == "chain" and row["alone"] == row["records"], row
        x = sum(1 << i for i, (_, _, behind) in enumerate(tests) if behind in [int(str(block).split("+")[-1], 0) for block in row["blocks"]])
        assert x not in found, f"two ways of {x}"
        found[x] = row["records"]
    assert found == dict(enumerate(times)), sorted(set(found.items()) ^ set(enumerate(times)))[:5]
    print(f"{len(found)} ways by branch records, each as often as it was gone")
PY
if command -v objdump >/dev/null; then
    /usr/bin/python3 -B "$work/records.py" "$turns" make - >"$work/brstack" || bad 'records'
    "$gait" import -q --binary "$turns" -o "$work/imported" "$work/brstack" || bad "import: status $?"
    "$gait" paths --from-history --json "$work/imported" >"$work/imported.json" || bad "paths of branch records: status $?"
    /usr/bin/python3 -B "$work/records.py" "$turns" check "$work/imported.json" || bad 'ways by branch records'
    "$gait" merge -q -o "$work/twice" "$work/imported" "$work/imported" || bad "merge: status $?"
    "$gait" paths --from-history --json "$work/twice" >"$work/twice.json" || bad "paths of two: status $?"
    /usr/bin/python3 -B - "$work" <<'PY' || bad 'two imports are not twice one'
import json, sys
once, twice = ([(row["blocks"], row["records"]) for row in json.load(open(f"{sys.argv[1]}/{name}.json"))["rows"]] for name in ("imported", "twice"))
assert sorted((blocks, 2 * n) for blocks, n in once) == sorted(twice)
PY
    # Before the call nothing is known: no record has nine directions.
    "$gait" paths --from-history=9 --json "$work/imported" >"$work/nine.json" && grep -q '"records": 0' "$work/nine.json" || bad "nine directions: $(cat "$work/nine.json")"
    "$gait" verify "$work/imported" >/dev/null || bad 'it does not verify'
else
    echo 'SKIPPED: branch records: there is no objdump (binutils)'
fi
# Of a real course: records that a processor would have made. What runs on without a branch, and returns, are in no record; they must not count as never gone.
if command -v objdump >/dev/null && gcc -O2 -static -o "$work/still" tests/programs/turns.c 2>/dev/null; then
    for case in 'chain 97' 'loop 70' 'copies 90'; do
        set -- $case
        bench/history-records --command "$work/still $1 12000" --branches 120000 "$out" >"$work/right" || bad "history-records: status $?"
        awk -v least="$2" '$1 == "still" { print "'"$1"': " $5 " % right, of those that fit one alone " $7; exit !($4 > 99 && $5 >= least && $7 >= 99.5) }' "$work/right" || bad "$1: $(cat "$work/right")"
    done
fi
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
