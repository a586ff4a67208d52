#!/usr/bin/python3
"""history.py train|measure FOLDER: repository.git, a history in which files grow, are edited, copied and
renamed. Names and dates are fixed, so that it is the same everywhere."""

import os
import subprocess
import sys

from words import Source, sentence, vocabulary

COMMITS = 1200


def edit(source, words, lines):
    for _ in range(1 + source.below(8)):
        at = source.below(len(lines) + 1)
        if lines and source.below(3) == 0:
            del lines[min(at, len(lines) - 1)]
        else:
            lines.insert(at, sentence(source, words))


def changes(source, words, files):
    """The paths changed by one commit."""
    touched = []
    for _ in range(1 + source.below(4)):
        if len(files) < 30 or source.below(60) == 0:
            path = f"{source.zipf(words)}/{source.pick(words)}.txt"
            files[path] = list(files[source.pick(sorted(files))]) if files and source.below(2) else [sentence(source, words) for _ in range(150)]
        else:
            path = source.zipf(sorted(files))
        edit(source, words, files[path])
        touched.append(path)
    return sorted(set(touched))


def stream(source):
    words, files = vocabulary(source, 800), {}
    for number in range(COMMITS):
        who = f"A U Thor <author@example.org> {1000000000 + number * 3600} +0000"
        message = sentence(source, words) + "\n"
        yield f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata {len(message)}\n{message}"
        for path in changes(source, words, files):
            text = "\n".join(files[path]) + "\n"
            yield f"M 100644 inline {path}\ndata {len(text)}\n{text}\n"


def main(which, folder):
    repository = f"{folder}/repository.git"
    clean = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", HOME="/nonexistent")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", repository], check=True, env=clean)
    feed = "".join(stream(Source(f"{which} history"))).encode()
    subprocess.run(["git", "-C", repository, "fast-import", "--quiet"], input=feed, check=True, env=clean)


main(sys.argv[1], sys.argv[2])
