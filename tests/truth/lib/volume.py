#!/usr/bin/python3 -B
"""volume.py WHOLE.json SINGLE.json: how often each instruction ran, by two reports of the same program: counted in
whole superblocks and in superblocks of one instruction. Every address must agree. Prints the number of instructions."""
import json
import sys


def counts(path):
    with open(path) as file:
        report = json.load(file)
    return {row["address"]: row["count"] for row in report["rows"] if row["count"]}, report["losses"]


whole, losses = counts(sys.argv[1])
single, single_losses = counts(sys.argv[2])
wrong = [address for address in sorted(whole.keys() | single.keys()) if whole.get(address) != single.get(address)]
for address in wrong[:8]:
    print(f"    {address}: {whole.get(address, 0)} in whole superblocks, {single.get(address, 0)} in single instructions")
# Both must have seen all of it: what ran natively would be missing on both sides.
unseen = [name for name in losses if losses[name] and name in ("exact_left", "thread_native", "child_native")]
if wrong or unseen or not whole:
    print(f"    {len(wrong)} of {len(whole)} addresses differ {unseen}")
    sys.exit(1)
print(sum(whole.values()), len(whole))
