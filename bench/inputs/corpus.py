#!/usr/bin/python3
"""corpus.py train|measure FOLDER: files of several kinds for the compressors, a megabyte each. Training
and measuring differ in seed, in vocabulary and in the mix of kinds."""

import struct
import sys

from words import Source, sentence, vocabulary

FILE_BYTES = 1 << 20
KINDS = {"train": "prose code table records log noise prose table", "measure": "prose log code bases records code noise prose"}


def prose(source):
    words = vocabulary(source, 3000)
    while True:
        yield " ".join(sentence(source, words) for _ in range(2 + source.below(6))) + "\n\n"


def code(source):
    words = vocabulary(source, 300)
    while True:
        name, argument = source.zipf(words), source.zipf(words)
        lines = [f"static int {name}_{source.zipf(words)}(struct {argument} *{argument})", "{"]
        for _ in range(3 + source.below(12)):
            a, b = source.zipf(words), source.zipf(words)
            lines.append(source.pick([
                f"    int {a} = {argument}->{b};", f"    if ({a} < {source.below(256)}) {{", f"        return {a} + {b};",
                "    }", f"    {a}_{b}({argument}, {source.below(16)});", f"    for (int i = 0; i < {b}; i++)",
                f"        {argument}->{a}[i] += {b};"]))
        yield "\n".join(lines + ["    return 0;", "}", "", ""])


def table(source):
    row, value = 0, 500.0
    while True:
        row += 1
        value += source.real() * 4 - 2
        yield f"{row},{value:.3f},{source.below(100)},{source.pick(['north', 'south', 'east', 'west'])},{source.bits(20)}\n"


def log(source):
    words, second = vocabulary(source, 200), 0
    while True:
        second += source.below(3)
        yield (f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d} {source.pick(['info', 'info', 'warn', 'error'])} "
               f"{source.zipf(words)}[{source.below(4000)}]: {source.zipf(words)} {source.zipf(words)} in {source.below(900)} ms\n")


def bases(source):
    while True:
        bits = source.bits(120)
        yield "".join("acgt"[bits >> shift & 3] for shift in range(0, 120, 2)) + "\n"


def records(source):
    position, speed = 0, 0
    while True:
        speed += source.below(7) - 3
        position = (position + speed) & 0xFFFFFFFF
        yield struct.pack("<IhBBIQ", position, max(-32768, min(32767, speed)), source.below(4), 0, source.below(1000), position * 3)


def noise(source):
    """Stretches that do not compress between stretches that do."""
    words = vocabulary(source, 500)
    while True:
        yield source.bits(8 * 4096).to_bytes(4096, "little")
        yield (sentence(source, words) + "\n") * (1 + source.below(40))


def fill(pieces):
    held = bytearray()
    while len(held) < FILE_BYTES:
        piece = next(pieces)
        held += piece if isinstance(piece, bytes) else piece.encode()
    return held[:FILE_BYTES]


def main(which, folder):
    for index, kind in enumerate(KINDS[which].split()):
        source = Source(f"{which} {index}")
        with open(f"{folder}/{index:02d}-{kind}", "wb") as file:
            file.write(fill(globals()[kind](source)))


main(sys.argv[1], sys.argv[2])
