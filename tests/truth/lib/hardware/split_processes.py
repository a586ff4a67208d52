"""split_processes.py IN OUT: samples of one process, as odd_branches.py writes them, as those of three processes in turn, each with
its mappings elsewhere if the program can lie anywhere, with names, processors, times, events and kinds of branches of other
processors (BRBE). Counts stay the same."""
import random
import re
import sys

NAMES = ["my prog", "dead beef", "x"]
KINDS = ["COND", "UNCOND", "IND", "CALL", "RET", "IRQ", "SERROR", "FAULT_DATA", "ERET", "-"]
chance = random.Random(1)
lines = open(sys.argv[1]).read().split("\n")
maps = [line for line in lines if "PERF_RECORD_MMAP" in line]
spans = [(int(at, 16), int(at, 16) + int(n, 16)) for at, n in re.findall(r"\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\)", "\n".join(maps))]
anywhere = all(start > 1 << 40 for start, _ in spans)
processes = [(100, 0), (2000001, 0x1000000 if anywhere else 0), (31, 0x2345000 if anywhere else 0)]


def moved(at, by):
    return at + by if any(start <= at < end for start, end in spans) else at


def branch(word, by):
    start, end, *_ = word.split("/")
    return f"{moved(int(start, 16), by):#x}/{moved(int(end, 16), by):#x}/P/-/-/0/{chance.choice(KINDS)}/-"


with open(sys.argv[2], "w") as out:
    for pid, by in processes:
        for line in maps:
            line = re.sub(r"\b\d+/\d+:", f"{pid}/{pid}:", line, count=1)
            print(re.sub(r"\[0x([0-9a-f]+)\(", lambda found: f"[{int(found[1], 16) + by:#x}(", line), file=out)
    for n, line in enumerate(line for line in lines if line.strip() and "PERF_RECORD" not in line):
        words = line.split()
        if line == line.strip() and len(words) == 1:
            print(line, file=out)  # so many samples are as the next
            continue
        which = chance.randrange(3)
        pid, by = processes[which]
        ip = "" if "/" in words[0] else f"{moved(int(words.pop(0), 16), by):x} "
        print(f"{NAMES[which]} {pid}/{pid + n % 2} [001] {n / 7:.6f}: branches:u: {ip}" + " ".join(branch(word, by) for word in words) + "\n", file=out)
