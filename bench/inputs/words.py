"""Seeded vocabularies and sentences, shared by the generators. Only random() and getrandbits() are
used: their sequences are the same in every version of Python."""

import random


class Source:
    def __init__(self, seed):
        self._random = random.Random(seed)
        self.real = self._random.random
        self.bits = self._random.getrandbits

    def below(self, n):
        return int(self.real() * n)

    def pick(self, items):
        return items[int(self.real() * len(items))]

    def zipf(self, items):
        """The first ones often, the last ones seldom."""
        r = self.real()
        return items[int(len(items) * r * r * r)]


def vocabulary(source, n):
    onsets = "b c d f g h j k l m n p qu r s t v w br cl dr fl gr pl pr sch st str th tr".split()
    vowels = "a e i o u ai ea ee ie io oa ou".split()
    codas = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "ng", "rt", "st", "ck"]
    words = set()
    while len(words) < n:
        parts = 1 + source.below(3)
        words.add("".join(source.pick(onsets) + source.pick(vowels) + source.pick(codas) for _ in range(parts)))
    return sorted(words, key=lambda w: (len(w), w))


def sentence(source, words):
    said = [source.zipf(words) for _ in range(4 + source.below(14))]
    said[0] = said[0].capitalize()
    return " ".join(said) + source.pick([".", ".", ".", "?", "!", ";"])
