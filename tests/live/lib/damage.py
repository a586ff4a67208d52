#!/usr/bin/python3
"""Damages copies of a file and runs a command on each: it must end, by itself, with a status it may have.

damage.py HOW COUNT SEED FILE COPY STATUSES COMMAND...

HOW is cut (COUNT lengths, 0: every one), flip (bits here and there), patch (a run of bytes set to zeros, ones or
noise, or copied from elsewhere in the file) or aim=OFFSET:BYTES (flips inside of that part only). The damaged bytes go to COPY;
then COMMAND is run. A line for each failure, and at most ten of them; the last line counts statuses."""
import collections
import os
import random
import subprocess
import sys

TIMEOUT = 10


def flip(data, rng, start, end):
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(start, end)] ^= 1 << rng.randrange(8)


def patch(data, rng):
    length = min(len(data), rng.choice((1, 2, 4, 8, 8, 16, 64, 512)))
    at = rng.randrange(len(data) - length + 1)
    other = rng.randrange(len(data) - length + 1)
    data[at:at + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length),
                                       data[other:other + length]))


def damaged(how, count, rng, whole):
    if how == "cut":
        lengths = range(len(whole)) if not count else sorted(rng.sample(range(len(whole)), min(count, len(whole))))
        for length in lengths:
            yield f"cut to {length} bytes", whole[:length]
        return
    start, end = 0, len(whole)
    if how.startswith("aim="):
        start, size = (int(x, 0) for x in how[4:].split(":"))
        end = start + size
    for i in range(count):
        data = bytearray(whole)
        if how == "patch":
            for _ in range(rng.choice((1, 1, 3))):
                patch(data, rng)
        else:
            flip(data, rng, start, end)
        yield f"{how} number {i}", bytes(data)


def main():
    how, count, seed, file, copy, statuses = sys.argv[1:7]
    command = sys.argv[7:]
    allowed = {int(s) for s in statuses.split(",")}
    with open(file, "rb") as f:
        whole = f.read()
    mode = os.stat(file).st_mode
    seen, wrong = collections.Counter(), 0
    for what, data in damaged(how, int(count), random.Random(f"{seed} {how}"), whole):
        with open(copy, "wb") as f:
            f.write(data)
        os.chmod(copy, mode)
        try:
            run = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
            status, said = run.returncode, run.stderr.decode(errors="replace").strip()
        except subprocess.TimeoutExpired:
            status, said = "no end", f"still running after {TIMEOUT} s"
        seen[status] += 1
        # A refusal names the file that it is about, which may be the profile that the damaged one explains.
        files = [os.path.basename(x) for x in command[1:] if os.path.isfile(x)]
        mute = status == 2 and not any(name in said for name in files)
        if status not in allowed or mute:
            wrong += 1
            if wrong <= 10:
                kept = f"{copy}.{wrong}"
                with open(kept, "wb") as f:
                    f.write(data)
                print(f"{what}, seed {seed}: status {status}: {said[-600:]} (kept as {kept})")
    print(", ".join(f"{n} ended with {s}" for s, n in sorted(seen.items(), key=str)))
    return wrong > 0


sys.exit(main())
