"""Reads a report by function of tests/programs/beat: both functions must have about half, with a bit for
asking for the time."""
import json
import sys

rows = {row["name"]: row["time"] for row in json.load(sys.stdin)["rows"]}
even, odd = rows.get("beat_even", 0), rows.get("beat_odd", 0)
share = even / max(even + odd, 1e-9)
print(f"beat: {100 * share:.1f} % in one of two functions that take equal time")
sys.exit(0 if 0.42 <= share <= 0.58 and even + odd > 0.8 * sum(rows.values()) else 1)
