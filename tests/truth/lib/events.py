"""events.py PROGRAM EVENTS...: every event of tests/programs/events.c, as record --dump-events wrote it, against what
the sequence of its numbers says. EVENTS: the words of --events that were given."""

import collections
import subprocess
import sys

MASK = (1 << 64) - 1
MULTIPLY, ADD = 6364136223846793005, 1442695040888963407
RAX, RCX, RDX, R11, R12 = 0, 1, 2, 11, 12


def symbols(path):
    lines = subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return {name: int(at, 16) for at, _, name in (line.split() for line in lines if len(line.split()) == 3)}


class Checker:
    def __init__(self, path, events):
        self.at = symbols(path)
        self.names = {at: name[6:] for name, at in self.at.items() if name.startswith("event_")}
        self.events = events
        self.seen = collections.Counter()
        self.wrong = 0
        self.number = self.stack = self.base = None

    def expect(self, what, got, expected):
        self.seen[what] += 1
        if got != expected:
            self.wrong += 1
            if self.wrong < 10:
                print(f"{what}: expected {expected:x}, got {got:x}")

    def window(self):
        self.number = self.stack = None

    def stack_at(self, what, address):
        """The stack is where it was at the first push of the window."""
        if self.stack is None:
            self.stack = address
        self.expect(what, address, self.stack)

    def follow(self, name, kind, detail, words):
        if (name, kind) == ("mul", "result"):
            if self.number is not None:
                self.expect("mul", words[0], self.number * MULTIPLY & MASK)
            self.product = words[0]
            self.number = None
        elif (name, kind) == ("add", "result"):
            self.number = words[0]
            if self.product is not None:
                self.expect("add", words[0], (self.product + ADD) & MASK)
            self.product = None

    def values(self, name, kind, detail, words):
        number, index = self.number, self.number >> 54
        key = (name, kind, detail)
        expected = {
            ("index", "result", R11): [index],
            ("store", "operand", R12): [number],
            ("load", "result", RAX): [number],
            ("exchange", "result", RAX): [number],
            ("pop", "result", RCX): [number],
            ("move", "vector", 9): [number, 0],
            ("vector", "vector", 9): [number, number],
            ("bits", "result", RCX): [3 * (number >> 63)],
            ("divide", "operand", R11): [index | 1],
            ("divide", "result", RAX): [number // (index | 1)],
            ("divide", "result", RDX): [number % (index | 1)],
            ("fill", "count", 0): [number & 31],
        }.get(key)
        if expected:
            for got, right in zip(words, expected):
                self.expect(f"{name} {kind}", got, right)

    def addresses(self, name, kind, words):
        if name in ("store", "load", "exchange") and kind == "address" and self.number is not None:
            self.expect(f"{name} {kind}", words[0], self.base + self.at["event_table"] + 8 * (self.number >> 54))
        elif name in ("store", "load", "exchange") and kind == "address":
            slot = words[0] - self.base - self.at["event_table"]
            self.expect(f"{name} {kind}", int(slot % 8 == 0 and 0 <= slot < 8192), 1)
        elif (name, kind) == ("test", "address"):
            self.expect("relative address", words[0], self.base + self.at["event_table"] + 8)
        elif (name, kind) == ("fill", "destination"):
            self.expect("destination", words[0], self.base + self.at["event_buffer"])
        elif (name, kind) in (("push", "push"), ("pop", "pop"), ("call", "push"), ("return", "pop")):
            self.stack_at(f"{name} stack", words[0])
        elif (name, kind) == ("thread", "address"):
            self.expect("thread address", words[0], self.thread or words[0])
            self.thread = words[0]

    thread = None
    product = None

    def line(self, fields):
        if fields[0] == "window":
            self.window()
            self.product = None
            return
        pc, place, kind, detail, words = int(fields[1], 16), fields[2], fields[3], int(fields[4]), [int(w, 16) for w in fields[6:]]
        module, offset = place.rsplit("+0x", 1)
        name = self.names.get(int(offset, 16)) if module == "events" else None
        if not name:
            return
        self.base = pc - int(offset, 16)
        if kind == "latency" and words[0]:
            self.expect("latency", int(10 <= words[0] < 10000000), 1)
        if "value" in self.events:
            self.follow(name, kind, detail, words)
            if self.number is not None:
                self.values(name, kind, detail, words)
        if "address" in self.events:
            self.addresses(name, kind, words)

    def wanted(self):
        wanted = []
        if "value" in self.events:
            wanted += ["mul", "add", "index result", "store operand", "load result", "exchange result", "pop result",
                       "move vector", "vector vector", "bits result", "divide operand", "divide result"]
        if "address" in self.events:
            wanted += ["store address", "load address", "exchange address", "relative address", "destination", "push stack",
                       "pop stack", "call stack", "return stack", "thread address"]
        if {"value", "address"} <= set(self.events):
            wanted.append("fill count")
        return wanted + (["latency"] if "latency" in self.events else [])


def main():
    checker = Checker(sys.argv[1], sys.argv[2:])
    for line in sys.stdin:
        checker.line(line.split())
    missing = [what for what in checker.wanted() if not checker.seen[what]]
    print(f"{sum(checker.seen.values())} events of {len(checker.seen)} sorts, {checker.wrong} wrong"
          + (f"; never seen: {', '.join(missing)}" if missing else ""))
    return 1 if checker.wrong or missing else 0


sys.exit(main())
