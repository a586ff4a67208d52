#!/usr/bin/python3
"""documents.py train|measure FOLDER: JSON documents with rows of strings, numbers and lists; in another mix for measuring."""

import json
import sys

from words import Source, sentence, vocabulary

FILES, ROWS = 8, 1500


def row(source, words, which):
    made = {"name": source.zipf(words).capitalize(), "town": source.zipf(words[:30]), "price": source.below(100000) / 100, "count": source.below(40),
            "tags": [source.zipf(words) for _ in range(source.below(4 if which == "train" else 9))]}
    if source.below(3 if which == "measure" else 6) == 0:
        made["note"] = sentence(source, words) + "\n\u00e9"
    return made


def main(which, folder):
    for index in range(FILES):
        source = Source(f"{which} json {index}")
        words = vocabulary(source, 400)
        with open(f"{folder}/{index}.json", "w") as file:
            json.dump({"rows": [row(source, words, which) for _ in range(ROWS)]}, file, indent=None if which == "train" else 1)


main(sys.argv[1], sys.argv[2])
