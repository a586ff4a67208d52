#!/usr/bin/python3
"""image.py train|measure FOLDER: bands of 4096 x 128 RGB pixels without a header, to be stacked into
pictures of any height: smooth gradients, hard-edged shapes, and grain. FOLDER sorts as they stack."""

import sys

from words import Source

WIDTH, HEIGHT, BANDS = 4096, 128, 4


def row_of_waves(source, y, waves):
    row = bytearray()
    for x in range(WIDTH):
        for phase, across, down in waves:
            value = (x * across + y * down + phase) & 511
            row.append(value if value < 256 else 511 - value)
    return row


def draw_boxes(rows, source, n):
    for _ in range(n):
        left, top = source.below(WIDTH - 40), source.below(HEIGHT - 20)
        width, height = 8 + source.below(min(200, WIDTH - left - 8)), 8 + source.below(min(120, HEIGHT - top - 8))
        colour = bytes(source.below(256) for _ in range(3)) * width
        for row in rows[top:top + height]:
            row[3 * left:3 * (left + width)] = colour


def add_grain(rows, source, every):
    for row in rows:
        for at in range(source.below(every), len(row), every):
            row[at] = source.bits(8)


def band(source, boxes, grain):
    waves = [(source.below(512), 1 + source.below(3), 1 + source.below(3)) for _ in range(3)]
    rows = [row_of_waves(source, y, waves) for y in range(HEIGHT)]
    draw_boxes(rows, source, boxes)
    add_grain(rows, source, grain)
    return b"".join(rows)


def main(which, folder):
    for index in range(BANDS):
        source = Source(f"{which} image {index}")
        boxes, grain = (60, 11) if which == "train" else (25 + 30 * index, 7 + index)
        with open(f"{folder}/band-{index}", "wb") as file:
            file.write(band(source, boxes, grain))


main(sys.argv[1], sys.argv[2])
