#!/usr/bin/python3
"""Holds a view's JSON to the contract: check_json.py NAME MODE <JSON. A line for each breach."""
import json
import re
import sys

ADDRESS = re.compile(r".+\+0x[0-9a-f]+\Z")
# What a row must have, by schema and key.
FIELDS = {
    "report/function": "name linkage address count lo hi instructions time time_lo time_hi",
    "report/line": "file line count lo hi instructions time",
    "report/inline": "name linkage file inlined count lo hi instructions time",
    "report/block": "address size count lo hi",
    "report/edge": "from to kind count lo hi",
    "report/instruction": "address count lo hi time cpi",
    "report/call": "from to count lo hi",
    "contexts": "id parent function call_site count lo hi time time_lo time_hi metrics",
    "compare": "overlap matched_truth matched_other interval_coverage keys",
    "diff": "state before before_lo before_hi after change change_lo change_hi share_change sure",
}
breaches = []


def breach(text):
    if len(breaches) < 10:
        breaches.append(text)


def triples(row):
    for key, value in row.items():
        if isinstance(value, dict):
            yield from triples(value)
        elif key + "_lo" in row:
            yield key, value, row[key + "_lo"], row[key + "_hi"]
    if "count" in row and "lo" in row:
        yield "count", row["count"], row["lo"], row["hi"]


def check_row(row, exact):
    for key, value, lo, hi in triples(row):
        if None in (value, lo, hi):
            continue
        slack = 1e-8 * max(abs(value), abs(lo), abs(hi), 1e-9)
        if not lo - slack <= value <= hi + slack:
            breach(f"{key} {value} is not in [{lo}, {hi}]: {row}")
        if exact and not lo == value == hi:
            breach(f"{key} has an interval in an exact profile: {row}")
    for key in ("address", "from", "to", "call_site"):
        if row.get(key) is not None and not ADDRESS.match(row[key]):
            breach(f"{key} is no address: {row[key]}")


def weight_of(name, by, weight, row):
    if name == "diff":
        return abs(row["change"])
    if name == "contexts" or weight == "time":
        return row["time"]
    return row["instructions"] if by in ("function", "line", "inline") else row["count"]


def check_contexts(form, rows):
    below = {}
    for at, row in enumerate(rows):
        if row["id"] != at or (row["parent"] is not None and not 0 <= row["parent"] < at):
            breach(f"ids do not count up, or a parent stands behind its child: {row}")
        if row["parent"] is not None:
            below[row["parent"]] = below.get(row["parent"], 0) + row["time"]
    for row in rows:
        own = row["metrics"]["self_time"] if form == "top-down" else 0
        if below.get(row["id"], 0) + own > row["time"] + 1e-6:
            breach(f"the parts of a context are more than its total: {row}")
        if form == "top-down" and abs(below.get(row["id"], 0) + own - row["time"]) > 1e-6:
            breach(f"what a context and its callees took is not its total: {row}")


def main():
    name, mode = sys.argv[1:3]
    view = json.load(sys.stdin)
    if view.get("schema") != f"gait/{name}/1":
        breach(f"schema is {view.get('schema')}")
    for key, kind in (("command", str), ("mode", str), ("weight", str), ("raw", bool), ("modules", list),
                      ("losses", dict), ("rows", list)):
        if not isinstance(view.get(key), kind):
            breach(f"{key} is {view.get(key)!r}")
            return
    if view["mode"] != mode or view["weight"] not in ("count", "time"):
        breach(f"mode {view['mode']}, weight {view['weight']}")
    for module in view["modules"]:
        if not {"id", "path", "build_id"} <= set(module):
            breach(f"module {module}")
    by, rows = view.get("by"), view["rows"]
    if not rows:
        breach("no rows")
    for row in rows:
        missing = set(FIELDS.get(name, FIELDS.get(f"{name}/{by}", "")).split()) - set(row)
        if missing:
            breach(f"lacks {missing}: {row}")
            return
        check_row(row, mode == "exact" and name != "compare")
    if name in ("report", "contexts", "diff"):
        weights = [weight_of(name, by, view["weight"], row) for row in rows]
        for i, (a, b) in enumerate(zip(weights, weights[1:])):
            if a is None or b is None or b > a + 1e-9 * abs(a):
                breach(f"rows {i} and {i + 1} are not sorted by weight: {a}, {b}")
                break
    if name == "contexts":
        check_contexts(view["form"], rows)


main()
print("\n".join(breaches))
sys.exit(bool(breaches))
