#!/usr/bin/env python3
"""coverage.py EXACT SAMPLED...: how often the 95 % intervals of sampled recordings hold what an exact one counted.

Arguments are folders with annotate.json and edges.json of one recording each. Branches: all conditional ones that were
sampled and went both ways or were executed at least 1000 times, by the exact count. Counts: edges with at least 1e-3 of all.
Prints one line of figures, and adds them up: the last line of several calls is the pool (COVERAGE_POOL names its file).
"""
import json
import os
import sys


def branches(folder):
    return {row['address']: row for row in json.load(open(f'{folder}/annotate.json'))['rows'] if row.get('taken') is not None}


def edges(folder):
    return {(row['from'], row['to'], row['kind']): row for row in json.load(open(f'{folder}/edges.json'))['rows'] if row['count']}


exact_branches, exact_edges = branches(sys.argv[1]), edges(sys.argv[1])
total = sum(row['count'] for row in exact_edges.values())
ran = sum(row['count'] for row in exact_branches.values())
heavy = {key: row for key, row in exact_edges.items() if row['count'] >= 1e-3 * total}
sums = dict.fromkeys(('runs', 'branches', 'branches_in', 'branches_below', 'edges', 'edges_in', 'edges_below', 'half', 'seen'), 0.0)
for folder in sys.argv[2:]:
    sums['runs'] += 1
    for address, row in branches(folder).items():
        truth = exact_branches.get(address)
        if not truth or truth['count'] < 1e-4 * ran or row['taken_lo'] is None:
            continue
        sums['branches'] += 1
        inside = row['taken_lo'] - 1e-9 <= truth['taken'] <= row['taken_hi'] + 1e-9
        sums['branches_in'] += inside
        sums['branches_below'] += not inside and truth['taken'] < row['taken_lo']
    found = edges(folder)
    for key, truth in heavy.items():
        row = found.get(key)
        sums['edges'] += 1
        if not row or row['lo'] is None:
            continue
        sums['edges_in'] += row['lo'] <= truth['count'] <= row['hi']
        sums['edges_below'] += truth['count'] < row['lo']
        sums['half'] += (row['hi'] - row['lo']) / 2 / max(row['count'], 1)
        sums['seen'] += 1


def show(name, sums):
    print(f"{name:12} {sums['runs']:3.0f} runs; branches {100 * sums['branches_in'] / max(sums['branches'], 1):6.2f} % of {sums['branches']:.0f} "
          f"({100 * sums['branches_below'] / max(sums['branches'], 1):.2f} % below); counts {100 * sums['edges_in'] / max(sums['edges'], 1):6.2f} % of {sums['edges']:.0f} "
          f"({100 * sums['edges_below'] / max(sums['edges'], 1):.2f} % below), half-width {100 * sums['half'] / max(sums['seen'], 1):.1f} %")


show(os.environ.get('COVERAGE_NAME', ''), sums)
pool = os.environ.get('COVERAGE_POOL')
if pool:
    before = json.load(open(pool)) if os.path.exists(pool) else dict.fromkeys(sums, 0.0)
    json.dump({key: before[key] + sums[key] for key in sums}, open(pool, 'w'))
    show('pool', json.load(open(pool)))
