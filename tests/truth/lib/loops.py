#!/usr/bin/env python3
"""loops.py EXTRA TRUTH REPORT [traced]: rows of gait report --by loop against what the program says of itself.

EXTRA is 1 where the compiler tests at the end of a loop that is entered there: its head then runs once more than
its body. Exact profiles must have the very counts, and of all runs, if traced; sampled ones the lengths of runs and, within their intervals,
their means; how many of which length, by overlap.
"""
import json
import sys

extra = int(sys.argv[1])
traced = sys.argv[4:] == ['traced']
truth = {}
for line in open(sys.argv[2]):
    name, entries, iterations = line.split()
    entries, iterations = int(entries), int(iterations)
    if name == 'at_random':
        known = truth.setdefault((name, 0), [0, 0, {}])
        known[0] += entries
        known[1] += iterations + extra * entries
        known[2][iterations // entries + extra] = entries
    else:
        lengths = {3 + extra: entries // 2, 9 + extra: entries // 2} if name == 'three_or_nine' else \
            {iterations // entries + extra: entries}
        truth[name, sum(n == name for n, _ in truth)] = [entries, iterations + extra * entries, lengths]
report = json.load(open(sys.argv[3]))
exact = report['mode'] == 'exact'
rows = {}
for row in sorted((r for r in report['rows'] if r['function'] in {n for n, _ in truth}), key=lambda r: (r['function'], r['depth'])):
    rows[row['function'], sum(n == row['function'] for n, _ in rows)] = row
bad = 0


def fail(key, what):
    global bad
    print(f'{key}: {what}')
    bad = 1


def inside(row, mean):
    """Within twice the interval: what misses 95 % of them is chance one time in twenty."""
    wide = row['mean_hi'] - row['mean_lo']
    return row['mean_lo'] - wide / 2 <= mean <= row['mean_hi'] + wide / 2


def inside_factor(row, mean):
    """The same where the interval is a factor each way. Without an entry that was seen: no mean, and no upper end."""
    low, high = row['mean_lo'], row['mean_hi']
    if low is None or high is None:
        return low is not None and low <= mean
    return high < 100 * low and low * (low / high) ** 0.5 <= mean <= high * (high / low) ** 0.5


for key, (entries, iterations, lengths) in truth.items():
    row = rows.get(key)
    if not row:
        fail(key, 'no such loop')
        continue
    if exact:
        if row['entries'] != entries or row['iterations'] != iterations:
            fail(key, f"{row['entries']} entries, {row['iterations']} iterations; not {entries}, {iterations}")
        runs = row['trips'] and {bar['n']: bar['count'] for bar in row['trips']}
        if runs != (lengths if traced else None):
            fail(key, f'runs {runs} instead of {lengths}')
        continue
    # Both counts are rounded to whole ones.
    if row['mean'] and abs(row['mean'] * row['entries'] / row['iterations'] - 1) > 1e-3 + 0.5 / max(row['entries'], 1):
        fail(key, f"mean {row['mean']}, but {row['iterations']} iterations of {row['entries']} runs")
    if row['trips'] is None:
        fail(key, 'no run of it was seen')
        continue
    runs = {bar['n']: bar['count'] for bar in row['trips']}
    total = sum(runs.values()) + row['longer']['count']
    # A window has 12,000 instructions: it sees no more than the beginning of longer runs, and where others want the CPU, little
    # of that. One in 400 windows sees a run of a million begin. So what it saw of long ones can be any part of them.
    if key[0] == 'million' or (key[0] == 'thousand' and extra):
        mean = iterations / entries
        if set(runs) - set(lengths) or (row['longer']['count'] and not 1 <= row['longer']['n'] <= mean):
            fail(key, f"runs {runs}, longer than {row['longer']}")
        print(f"{key[0]:14} mean {row['mean']} [{row['mean_lo']}, {row['mean_hi']}] of {mean:.2f}")
        if not inside_factor(row, mean):
            fail(key, f"mean {row['mean']} [{row['mean_lo']}, {row['mean_hi']}]")
        continue
    same = sum(min(runs.get(n, 0) / total, count / entries) for n, count in lengths.items())
    mean = iterations / entries
    print(f"{key[0]:14} runs alike {100 * same:6.2f} %, mean {row['mean']:8.2f} [{row['mean_lo']:.2f}, {row['mean_hi']:.2f}] of {mean:.2f}, "
          f"cut {100 * row['cut']:5.1f} %")
    if same < (0.75 if key[0] == 'at_random' else 0.95):
        fail(key, f'runs {runs} instead of {lengths}')
    if not inside(row, mean) and abs(row['mean'] - mean) > 1e-6 * mean:
        fail(key, 'the mean is not in its interval')
sys.exit(bad)
