"""plan.py PROGRAM ROUNDS [PLAN|COUNTS]: writes the plan that numbers the paths of tests/programs/paths.c, or checks what it
counted against the numbers that the program draws."""

import collections
import subprocess
import sys

FIRST = 1


def symbols(path):
    lines = subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return {name: int(at, 16) for at, _, name in (line.split() for line in lines if len(line.split()) == 3)}


def write(path, to):
    at, name = symbols(path), path.rsplit("/", 1)[-1]
    operations = [
        ("0", "path_head", "set", 0, 0),
        ("path_first", "path_skip", "add", 0, 1),
        ("path_second", "path_on", "add", 0, 2),
        ("path_jump", "path_join", "add", 0, 4),
        ("path_second", "path_other", "add", 0, 8),
        ("0", "path_call", "keep", 0, 0),
        ("0", "path_callee", "set", 0, 77),
        ("0", "path_behind", "back", 0, 0),
        ("0", "path_last", "count8", FIRST, 0),
    ]
    with open(to, "w") as file:
        for start, end, action, counter, value in operations:
            file.write(f"{name} {at.get(start, 0):x} {at[end]:x} {action} {counter} {value}\n")


def expected(rounds, threads):
    counts, seed = collections.Counter(), 0
    for thread in range(threads):
        seed = thread + 1
        for _ in range(rounds):
            seed = (seed * 1103515245 + 12345) & (1 << 64) - 1
            counts[FIRST + (not seed >> 16 & 1) + (6 if seed >> 17 & 1 else 8)] += 1
    return counts


def main():
    program, rounds, threads, what, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    if what == "plan":
        write(program, path)
        return 0
    with open(path) as file:
        counted = {int(n): int(count) for n, count in (line.split() for line in file)}
    right = dict(expected(rounds, threads))
    print(f"{sum(counted.values())} paths counted, {sum(right.values())} executed" + ("" if counted == right else f": {counted} for {right}"))
    return 0 if counted == right else 1


sys.exit(main())
