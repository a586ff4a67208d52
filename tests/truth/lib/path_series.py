"""path_series.py ROWS K ROUNDS WITHIN <SYMBOLS: the series of K rounds of tests/programs/paths.c in ROWS (gait paths --iterations K --json)
against those that its random numbers make. WITHIN: 0, and counts are equal, or how far a share may be off, as a part of it."""

import collections
import json
import sys

rows_file, k, rounds, within = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
at = {words[2]: int(words[0], 16) for words in map(str.split, sys.stdin) if len(words) == 3}


def ways():
    number = 1
    for _ in range(rounds):
        number = (number * 1103515245 + 12345) % (1 << 64)
        yield (number >> 16 & 1, number >> 17 & 1)


expected, last = collections.Counter(), collections.deque(maxlen=k)
for way in ways():
    last.append(way)
    if len(last) == k:
        expected[tuple(last)] += 1

seen = collections.Counter()
for row in json.load(open(rows_file))["rows"]:
    blocks = [int(block.rsplit("+0x", 1)[1], 16) for block in row["blocks"]]
    if not at["path_rounds"] <= blocks[0] < at["path_callee"]:
        continue
    assert len(row["ids"]) == k and row["ids"][0] == row["id"], row
    ends = [i for i, block in enumerate(blocks) if block == at["path_skip"]]  # every round comes there once
    assert len(ends) == k, row
    # The block before it adds the first bit, and none is there if that is 0; the one behind it is where the second leads.
    series = tuple((int(i > 0 and blocks[i - 1] not in (at["path_head"], at["path_rounds"])),
                    int(blocks[i + 1] == at["path_on"])) for i in ends)
    seen[series] += row["count"]

wrong = 0
for series in sorted(set(expected) | set(seen)):
    if within:
        share, wanted = seen[series] / max(1, sum(seen.values())), expected[series] / sum(expected.values())
        good = abs(share - wanted) <= within * wanted
    else:
        good = seen[series] == expected[series]
    if not good:
        wrong += 1
        if wrong > 5:
            continue
        print(f"{series}: {seen[series]} of {sum(seen.values())}, should be {expected[series]} of {sum(expected.values())}")
print(f"{k} in a row: {len(expected)} series, {wrong} wrong")
sys.exit(bool(wrong))
