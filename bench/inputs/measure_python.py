"""measure_python.py ROUNDS: the measuring input of python3, with other work than the training input:
a tokenizer, a heap, big integers, generators. Prints what came out."""

import sys


def numbers(seed):
    while True:
        seed = (seed * 1664525 + 1013904223) % 4294967296
        yield seed >> 12


def evaluate(tokens):
    def term():
        token = tokens.pop()
        if token != "(":
            return int(token)
        value = total()
        tokens.pop()
        return value

    def total():
        value = term()
        while tokens and tokens[-1] in "+-*":
            sign, right = tokens.pop(), term()
            value = value + right if sign == "+" else value - right if sign == "-" else value * right % 10007
        return value

    return total()


def expressions(source):
    value = 0
    for _ in range(60):
        text = "1"
        for _ in range(18):
            text = f"({text}) {'+-*'[next(source) % 3]} {next(source) % 90 + 1}"
        value ^= evaluate(text.replace("(", "( ").replace(")", " )").split()[::-1])
    return value


def heap(source):
    items, sum_out = [], 0
    for value in (next(source) % 10000 for _ in range(900)):
        items.append(value)
        at = len(items) - 1
        while at and items[(at - 1) // 2] > items[at]:
            items[at], items[(at - 1) // 2], at = items[(at - 1) // 2], items[at], (at - 1) // 2
        if len(items) > 60:
            sum_out += items.pop()
    return sum_out


def digits(source):
    value = 3 ** (1200 + next(source) % 100)
    return sum(map(int, str(value))), value.bit_length()


def pipeline(source):
    squares = (n * n for n in (next(source) % 5000 for _ in range(4000)))
    return sum(n % 97 for n in squares if n % 3) + len({n % 1000 for n in range(3000)})


for turn in range(int(sys.argv[1])):
    stream = numbers(turn * 104729)
    for _ in range(36):
        result = expressions(stream), heap(stream), digits(stream), pipeline(stream)
    print(turn, *result)
