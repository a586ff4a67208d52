"""What a bench leaves behind: documents of which it writes a part, tables as they were printed, below a head line (what stands above it stays); and recordings."""

import contextlib
import os
import re
import tempfile
import time

HEAD = "## Tables"


def report_write(path, title, command, texts):
    above = f"# {title}\n\n"
    if os.path.exists(path):
        with open(path) as file:
            above = file.read().partition(f"{HEAD}\n")[0]
    with open(path, "w") as file:
        file.write(f"{above}{HEAD}\n\nAs `{command}` printed them ({time.strftime('%Y-%m-%d')}, {machine()}).\n\n" + "\n".join(f"```\n{text}```\n" for text in texts))


def aligned(rows):
    """Rows as text: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip() for row in rows) + "\n"


def machine():
    """What a document calls this machine."""
    if os.environ.get("GAIT_MACHINE"):
        return os.environ["GAIT_MACHINE"]
    with open("/proc/cpuinfo") as file:
        facts = dict(line.rstrip("\n").replace("\t", "").split(": ", 1) for line in file.read().split("\n\n")[0].splitlines() if ": " in line)
    return f"{facts['model name'].strip()}, family {facts['cpu family']} model {facts['model']}"


def report_put(path, text, command):
    """Replaces the table of that name (what stands before the first colon) in a document, or adds it at its end. Each has a line of its own on when and where it was made."""
    name = text.partition(":")[0]
    block = f"```\n{text}```\n*{time.strftime('%Y-%m-%d')}, {machine()}; `{command}`.*\n"
    with open(path) as file:
        old = file.read()
    pattern = re.compile(r"^```\n" + re.escape(name) + r":.*?^```\n(\*[^\n]*\*\n)?", re.M | re.S)
    new = pattern.sub(lambda _: block, old, count=1) if pattern.search(old) else old.rstrip("\n") + "\n\n" + block
    with open(path, "w") as file:
        file.write(new)


@contextlib.contextmanager
def kept_folder(path):
    """A folder for what a bench records: this one, so that what it has need not be recorded again, or one that goes when it ends."""
    if path:
        os.makedirs(path, exist_ok=True)
        for name in os.listdir(path):
            if name.endswith((".out", ".again", ".part")):  # of runs that were cut short
                os.unlink(f"{path}/{name}")
        yield path
        return
    with tempfile.TemporaryDirectory() as work:
        yield work


def kept(path, make):
    """The file, which make(part) writes if it is not there."""
    if not os.path.exists(path):
        make(f"{path}.part")
        os.rename(f"{path}.part", path)
    return path
