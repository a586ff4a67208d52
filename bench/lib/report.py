"""Documents that a bench writes a part of: tables as they were printed, below a head line; what stands above it stays."""

import os
import time

HEAD = "## Tables"


def report_write(path, title, command, texts):
    above = f"# {title}\n\n"
    if os.path.exists(path):
        with open(path) as file:
            above = file.read().partition(f"{HEAD}\n")[0]
    with open(path, "w") as file:
        file.write(f"{above}{HEAD}\n\nAs `{command}` printed them ({time.strftime('%Y-%m-%d')}).\n\n" + "\n".join(f"```\n{text}```\n" for text in texts))
