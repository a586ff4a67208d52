"""means.py RECORDS: of IBS operations in what `gait import --records` prints, the mean cycles from tag to completion of those that loaded, how many there are,
and how many of those that load missed the first cache: what is asked for is of loads in every column."""
import sys

cycles, misses = [], []
for line in open(sys.argv[1]):
    _, origin, *parts = line.split()
    if origin != "ibs_op":
        continue
    part = {k: int(v, 16) for k, v in (p.split("=") for p in parts)}
    if part["LdOp"]:
        misses.append(part["DcMiss"])
    if part["LdOp"] and part["TagToRetCtr"] >= part["CompToRetCtr"]:
        cycles.append(part["TagToRetCtr"] - part["CompToRetCtr"])
print("%d %.6f %d %d" % (len(cycles), sum(cycles) / len(cycles), sum(misses), len(misses)))
