"""train_python.py ROUNDS: the training input of python3: words, classes, numbers. Prints what came out."""

import sys


def numbers(seed):
    while True:
        seed = (seed * 1103515245 + 12345) % 2147483648
        yield seed >> 16


class Account:
    def __init__(self, number):
        self.number, self.entries = number, []

    def enter(self, amount):
        self.entries.append(amount)

    @property
    def balance(self):
        return sum(self.entries) % 10007


def count_words(source):
    words = {}
    for word in " ".join(f"w{next(source) % 300}" for _ in range(3000)).split():
        words[word] = words.get(word, 0) + 1
    return sorted(words.items(), key=lambda item: (-item[1], item[0]))[0]


def book(source):
    accounts = [Account(i) for i in range(40)]
    for _ in range(4000):
        accounts[next(source) % 40].enter(next(source) % 100)
    return max(a.balance for a in accounts)


def longest_common(source):
    a, b = ([next(source) % 6 for _ in range(130)] for _ in range(2))
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j], row[j + 1])
    return row[-1]


for turn in range(int(sys.argv[1])):
    stream = numbers(turn * 7919)
    for _ in range(22):
        result = count_words(stream), book(stream), longest_common(stream)
    print(turn, *result)
