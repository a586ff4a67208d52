#!/usr/bin/python3
"""sound.py train|measure FOLDER: pieces of stereo sound, two seconds each, 16 bits a sample without a header: plucked strings that fade,
over noise, in chords for training and in runs for measuring."""

import array
import math
import sys

from words import Source

RATE, SECONDS, PIECES = 44100, 2, 8


def string_plucked(source, pitch, samples):
    """A delay line of one period, smoothed each time it comes round (Karplus and Strong)."""
    period = max(2, int(RATE / pitch))
    line = [source.real() * 2 - 1 for _ in range(period)]
    sound = []
    for i in range(samples):
        at = i % period
        sound.append(line[at])
        line[at] = 0.498 * (line[at] + line[(at + 1) % period])
    return sound


def piece(source, notes, length, hiss):
    samples = RATE * SECONDS
    sides = [[hiss * (source.real() - 0.5) for _ in range(samples)] for _ in range(2)]
    for _ in range(notes):
        start, pan = source.below(samples - 1000), source.real()
        sound = string_plucked(source, 55 * math.pow(2, source.below(48) / 12), min(int(length * RATE), samples - start))
        for i, value in enumerate(sound):
            sides[0][start + i] += pan * value
            sides[1][start + i] += (1 - pan) * value
    mixed = array.array("h", bytes(4 * samples))
    for side in range(2):
        mixed[side::2] = array.array("h", (max(-32768, min(32767, int(6000 * value))) for value in sides[side]))
    if sys.byteorder == "big":
        mixed.byteswap()
    return mixed.tobytes()


def main(which, folder):
    for index in range(PIECES):
        source = Source(f"{which} sound {index}")
        with open(f"{folder}/piece-{index}", "wb") as file:
            file.write(piece(source, 12, 1.5, 0.01 * index) if which == "train" else piece(source, 30, 0.3, 0.02 * (PIECES - index)))


main(sys.argv[1], sys.argv[2])
