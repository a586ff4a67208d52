#!/usr/bin/python3
"""csource.py train|measure FOLDER: C files without includes, and all static, so that any number of them can be compiled in one run."""

import sys

from words import Source, vocabulary

FILES, FUNCTIONS = 100, {"train": 24, "measure": 16}


def expression(source, names, depth):
    kind = source.below(8 if depth < 3 else 3)
    if kind < 2:
        return source.pick(names)
    if kind == 2:
        return source.pick([str(source.below(1000)), hex(source.bits(16)), f"{source.below(90)}u", "sizeof(int)"])
    a, b = expression(source, names, depth + 1), expression(source, names, depth + 1)
    return [f"({a} {source.pick(['+', '-', '*', '&', '|', '^'])} {b})", f"({a} << ({b} & 7))", f"({a} < {b} ? {a} : {b})", f"table[{a} & 15]", f"(int)(1.5 * {a})"][kind - 3]


def statement(source, names, depth):
    pad, kind = "    " * depth, source.below(7 if depth < 4 else 3)
    value = expression(source, names, 0)
    if kind < 3:
        return pad + [f"{source.pick(names)} = {value};", f"table[{source.below(16)}] += {value};", f"node.{source.pick(['a', 'b'])} ^= {value};"][kind]
    inner = "\n".join(statement(source, names, depth + 1) for _ in range(1 + source.below(3)))
    head = [f"if ({value} > {source.below(99)}) {{", f"for (int i = 0; i < {source.below(9)}; i++) {{", f"while ({value} & 1) {{", "do {"][kind - 3]
    return f"{pad}{head}\n{inner}\n{pad}}}" + (" while (0);" if kind == 6 else "")


def function(source, words, name):
    names = [f"{source.zipf(words)}_{i}" for i in range(4)]
    body = "\n".join(statement(source, names, 1) for _ in range(4 + source.below(8)))
    return f"/* {name} */\nstatic int {name}(int {names[0]}, int {names[1]})\n{{\n    int {names[2]} = 1, {names[3]} = {source.below(9)};\n{body}\n    return {names[2]} MIX {names[3]};\n}}\n"


def main(which, folder):
    for index in range(FILES):
        source = Source(f"{which} csource {index}")
        words = vocabulary(source, 60)
        text = "#define MIX " + source.pick(["+", "^"]) + "\nstatic int table[16];\nstatic struct { int a; long b; } node;\n"
        text += "".join(function(source, words, f"f{index}_{i}") for i in range(FUNCTIONS[which]))
        with open(f"{folder}/{index:04d}.c", "w") as file:
            file.write(text)


main(sys.argv[1], sys.argv[2])
