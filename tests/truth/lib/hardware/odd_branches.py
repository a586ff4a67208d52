"""odd_branches.py PROGRAM OUT SEED: branch records as perf script prints them, of random walks over the code of PROGRAM: returns
that lead anywhere, and one record in 20 damaged: ends beside instructions, in other code, in the kernel or nowhere; records
that are doubled, lost, or lead backwards; stacks of all depths, samples that skid; and some samples stand for many, whose
number is on the line before."""
import random
import re
import subprocess
import sys

ANYWHERE, OTHER, KERNEL = "\0", 0x7F0000000000, 0xFFFFFFFF81000000
STEPS, SAMPLES, DAMAGED = 20000, 300, 0.05


def segments_of(program):
    """Its code: (offset, address, bytes), and where it is loaded."""
    lines = subprocess.run(["readelf", "-lhW", program], capture_output=True, text=True, check=True).stdout.splitlines()
    base = 0x555555554000 if any("Type:" in line and "DYN" in line for line in lines) else 0
    found = [[int(field, 16) for field in line.split()[1:6]] for line in lines if line.split()[:1] == ["LOAD"] and " R E " in line]
    return [(offset, address, bytes_) for offset, address, _, bytes_, _ in found], base


def code_of(program):
    """Of each instruction: None, or how it goes on."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    code = {}
    for at, words in re.findall(r"^\s*([0-9a-f]+):\t(.*)$", text, re.M):
        words = words.replace("bnd ", "").replace("notrack ", "").split() + ["", ""]
        target = int(words[1], 16) if re.fullmatch("[0-9a-f]+", words[1]) else ANYWHERE
        kind = "jump" if words[0] == "jmp" else words[0][:4] if words[0].startswith(("call", "ret")) else "cond" if words[0][:1] == "j" else None
        code[int(at, 16)] = kind and (kind, target)
    return code


class Walker:
    def __init__(self, program, seed):
        self.random = random.Random(seed)
        self.segments, self.base = segments_of(program)
        self.code = code_of(program)
        self.at = sorted(self.code)
        self.next = dict(zip(self.at, self.at[1:]))

    def anywhere(self):
        return self.random.choice(self.at)

    def walk(self, n):
        """So many branches, the newest first."""
        at, calls, branches = self.anywhere(), [], []
        for _ in range(STEPS):
            how = self.code[at]
            if not how or how[0] == "cond" and self.random.random() < 0.5:
                at = self.next.get(at) or self.anywhere()
                continue
            to = calls.pop() if how[0] == "ret" and calls else how[1]
            to = self.anywhere() if to == ANYWHERE else to
            if how[0] == "call" and at in self.next:
                calls.append(self.next[at])
            branches.insert(0, (at, to))
            at = to if to in self.code else self.anywhere()
            if len(branches) == n:
                break
        return [(source + self.base, to + self.base) for source, to in branches]

    def damage(self, source, to):
        """What stands there instead."""
        beside, far = self.random.randint(-8, 8), self.random.randrange(1 << 20)
        return self.random.choice([
            [(source + beside, to)], [(source, to + beside)], [(self.anywhere() + self.base, to)], [(source, self.anywhere() + self.base)],
            [(source, to)] * 2, [(to, source)], [(KERNEL + far, to)], [(source, KERNEL + far)], [(OTHER + far, to)], [(source, OTHER + far)],
            [(0, 0)], [], [(to, to)], [(self.at[-1] + self.base + far % 64, to)]])

    def sample(self):
        branches = self.walk(self.random.choice([32, 32, 16, 8, 2, 1]))
        ip = branches[0][1] + self.random.randint(0, 12)
        shown = [one for branch in branches for one in (self.damage(*branch) if self.random.random() < DAMAGED else [branch])]
        return f"     {ip:x} " + "".join(f" {source:#x}/{to:#x}/P/-/-/{self.random.randrange(30)}" for source, to in shown)


def main():
    walker = Walker(sys.argv[1], int(sys.argv[3]))
    with open(sys.argv[2], "w") as out:
        for offset, address, size in walker.segments:
            low, high, at = address & ~0xFFF, address + size + 0xFFF & ~0xFFF, offset & ~0xFFF
            print(f"PERF_RECORD_MMAP2 100/100: [{low + walker.base:#x}({high - low:#x}) @ {at and hex(at)} 08:01 1 0]: r-xp {sys.argv[1]}", file=out)
        print(f"PERF_RECORD_MMAP2 100/100: [{OTHER:#x}({1 << 20:#x}) @ 0 08:01 2 0]: r-xp /nowhere/other.so", file=out)
        for i in range(SAMPLES):
            if i % 7 == 0:
                print(i * i * 40 + 2, file=out)
            print(walker.sample(), file=out)


main()
