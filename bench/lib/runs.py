"""Runs of bench programs, natively and recorded, timed in CPU seconds of the program and of gait together."""

import json
import math
import os
import random
import shlex
import statistics
import subprocess
import sys

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST = {"cppcheck": 64, "cjpeg": 500, "djpeg": 500}  # it reads no file twice; no image is higher
TRIGGERS = ["perf", "cputime"]


def compiler_run(work, prefix):
    """gcc's own compiler, cc1, on a unit of ours, under that prefix: its status."""
    text = f"{work}/unit.i"
    if not os.path.exists(text):
        subprocess.run(["gcc", "-E", "-Isrc", "-D_GNU_SOURCE", "-o", text, "src/consumers/path_walk.c"], check=True, cwd=f"{BENCH}/..")
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return subprocess.run([*prefix, compiler, "-quiet", "-O2", text, "-o", "/dev/null"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


class Runs:
    def __init__(self, gait, work):
        self.gait, self.work = os.path.abspath(gait), work

    def run(self, program, size, prefix="", which="measure", binary=""):
        """CPU seconds of one run, of another binary if one is named; the outputs of all runs of a program, input and size must agree."""
        times, out = f"{self.work}/times", f"{self.work}/{program}-{size}-{which}.out"
        first = not os.path.exists(out)
        to = out if first else out + ".again"
        env = dict(os.environ, GAIT_PREFIX=f"{shlex.quote(BENCH)}/lib/cputime {shlex.quote(times)} {prefix}", GAIT_BINARY=binary)
        subprocess.run([f"{BENCH}/run-program", program, str(size), which, to], env=env, check=True, stderr=subprocess.DEVNULL)
        if not first and subprocess.run(["cmp", out, to]).returncode:
            sys.exit(f"{program} under '{prefix}' wrote something else than before")
        with open(times) as file:
            user, system, _, _ = map(float, file.read().split())
        return user + system

    def record(self, program, size, name, *options):
        """CPU seconds and the file."""
        data = f"{self.work}/{name}.data"
        return self.run(program, size, shlex.join([self.gait, "record", "-q", "-o", data, *options, "--"])), data

    def programs(self, names):
        """Those that can be built here; says which cannot, whose sources may no longer be offered."""
        built = []
        for name in names.split(","):
            if subprocess.run([f"{BENCH}/build", name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                built.append(name)
            else:
                print(f"{name} cannot be built here (bench/build {name} says why): no figures for it", file=sys.stderr)
        return built

    def ask(self, *words):
        done = subprocess.run([self.gait, *words, "--json"], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def info(self, data):
        return self.ask("info", data)["rows"][0]

    def times(self, program, size):
        """How often the program repeats its work in a run of that size."""
        told = subprocess.run(["bash", "-c", f". {BENCH}/lib/recipe.sh; bench={BENCH}; recipe_load {program} && recipe_times {size}"],
                              stdout=subprocess.PIPE, check=True, text=True)
        return int(told.stdout)

    def repetitions(self, program, seconds):
        """How often the program must repeat its work to take so long on this machine."""
        each = min(self.run(program, "small") for _ in range(2))
        times = math.ceil(1.05 * seconds / each * self.times(program, "small"))
        return max(1, min(times, MOST.get(program, times)))

    def triggers(self):
        """Those that this machine grants; says which it does not."""
        granted = []
        for trigger in TRIGGERS:
            data = f"{self.work}/try.data"
            subprocess.run([self.gait, "record", "-q", "--trigger", trigger, "-o", data, "--", "true"], stderr=subprocess.DEVNULL)
            if os.path.exists(data) and self.ask("info", data)["facts"].get("trigger") == [trigger]:
                granted.append(trigger)
            else:
                print(f"--trigger {trigger} is refused on this machine: no figures for it", file=sys.stderr)
        return granted


def bootstrap(rounds, figure, draws=1000):
    """The figure of these rounds, and the 95 % interval of what it would be of others like them."""
    chance = random.Random(1)
    again = sorted(figure([chance.choice(rounds) for _ in rounds]) for _ in range(draws))
    return figure(rounds), again[int(0.025 * draws)], again[int(0.975 * draws) - 1]


def medians(rounds):
    """Of each column."""
    return [statistics.median(column) for column in zip(*rounds)]
