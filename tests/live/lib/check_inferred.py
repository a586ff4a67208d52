"""check_inferred same RAW INFERRED | told JSON | entered FUNCTIONS NAME COUNT | called FUNCTIONS FDATA | nearly RAW INFERRED | flow FUNCTIONS BLOCKS EDGES | overlap RAW INFERRED | points JSON... | raw true|false JSON

same: two reports with the same counts. told: passages that began and ended inside of functions. entered: a function, so often. called: functions are entered as often as they are called. nearly: with counts that differ by no more than being under way. flow: as much enters and leaves each block as it ran, in reports of one module.
overlap: a comparison of inferred counts is no worse than that of raw ones. points: comparisons of plain samples find something. raw: what the JSON says of itself."""

import collections
import json
import sys


def load(path):
    with open(path) as file:
        return json.load(file)


def same(raw, inferred):
    before, after = load(raw), load(inferred)
    assert before["raw"] and not after["raw"], (before["raw"], after["raw"])
    assert before["rows"], "no rows"
    assert before["rows"] == after["rows"], [pair for pair in zip(before["rows"], after["rows"]) if pair[0] != pair[1]][:3]


def told(path):
    report = load(path)
    assert report["begun_inside"] > 0 and report["ended_inside"] > 0, (report.get("begun_inside"), report.get("ended_inside"))


def entered(path, name, count):
    rows = [row for row in load(path)["rows"] if row["name"] == name]
    assert len(rows) == 1, f"{len(rows)} functions {name}"
    assert rows[0]["count"] == int(count), f"{name} entered {rows[0]['count']} times"


def called(functions, fdata):
    calls, own, looked = collections.Counter(), set(), 0
    with open(fdata) as file:
        for words in map(str.split, file):
            if len(words) == 8 and words[3:6:2] == ["1", "0"]:
                name = words[4].split("/")[0]  # local ones are numbered
                calls[name] += int(words[7])
                if words[1] == words[4]:
                    own.add(name)  # itself, or a loop to its first instruction
    for row in load(functions)["rows"]:
        if row["linkage"] in calls and row["linkage"] not in own:
            near(row["count"], calls[row["linkage"]], f"{row['linkage']}: entered, called")
            looked += 1
    assert looked > 1, "no calls"


def nearly(raw, inferred):
    """No more than a passage apart, whatever the counts."""
    before, after = ({row["address"]: row["count"] for row in load(path)["rows"]} for path in (raw, inferred))
    assert before, "no rows"
    assert max(before.values()) > 1000, "nothing ran"
    for address in before.keys() | after.keys():
        apart = abs(before.get(address, 0) - after.get(address, 0))
        assert apart <= 3, f"{address}: {before.get(address)}, {after.get(address)}"


def near(a, b, what):
    """Counts are scaled and rounded when they are written."""
    assert abs(a - b) <= 8 + 1e-6 * max(a, b), f"{what}: {a}, {b}"


def flow(functions, blocks, edges):
    entries = {row["address"]: row["count"] for row in load(functions)["rows"]}
    arrive, leave, ends = collections.Counter(), collections.Counter(), set()
    for row in load(edges)["rows"]:
        arrive[row["to"]] += row["count"]
        leave[row["from"]] += row["count"]
    own = {}
    for row in load(blocks)["rows"]:
        module, start = row["address"].rsplit("+0x", 1)
        own[row["address"]] = (row["count"], module, int(start, 16), int(start, 16) + row["size"])
    entered = left = 0
    for address, (count, module, start, end) in own.items():
        near(count, arrive[address] + entries.get(address, 0), f"{address}: ran, arrived")
        out = sum(n for place, n in leave.items() if place.rsplit("+0x", 1)[0] == module and start <= int(place.rsplit("+0x", 1)[1], 16) < end)
        assert out <= count + 8 + 1e-6 * count, f"{address}: ran {count}, left by edges {out}"
        entered += entries.get(address, 0)
        left += count - out
    assert entered > 0
    near(entered, left, "entries and departures of all functions")


def overlap(raw, inferred):
    before, after = (load(path)["rows"][0]["overlap"] for path in (raw, inferred))
    print(f"overlap: raw {100 * before:.2f} %, inferred {100 * after:.2f} %")
    assert after >= before - 0.001, "inferred counts are farther from the truth"


def points(*paths):
    shares = [load(path)["rows"][0]["overlap"] for path in paths]
    print("plain samples:", *(f"{100 * share:.1f} %" for share in shares))
    assert all(0.3 < share <= 1 for share in shares), "hardly anything in common"


def raw(wanted, path):
    assert load(path)["raw"] == (wanted == "true"), f"raw is not {wanted}"


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]](*sys.argv[2:])
    except AssertionError as error:
        sys.exit(f"FAILED: {' '.join(sys.argv[1:])}: {error}")
