"""What a bench leaves behind: documents of which it writes a part, tables as they were printed, below a head line (what stands above it stays); and recordings."""

import contextlib
import os
import tempfile
import time

HEAD = "## Tables"


def report_write(path, title, command, texts):
    above = f"# {title}\n\n"
    if os.path.exists(path):
        with open(path) as file:
            above = file.read().partition(f"{HEAD}\n")[0]
    with open(path, "w") as file:
        file.write(f"{above}{HEAD}\n\nAs `{command}` printed them ({time.strftime('%Y-%m-%d')}).\n\n" + "\n".join(f"```\n{text}```\n" for text in texts))


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
