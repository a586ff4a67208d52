#!/usr/bin/python3
"""cxx.py train|measure FOLDER: C++ files for a checker to read: classes, templates, loops, arrays, and
now and then a mistake worth reporting."""

import sys

from words import Source, vocabulary

FILES, CLASSES = 64, 2


def statement(source, words, depth):
    a, b, n = source.zipf(words), source.zipf(words), source.below(64)
    pad = "    " * depth
    kind = source.below(9 if depth < 5 else 6)
    if kind < 6:
        return pad + [f"int v_{a}{n} = {n}; total += v_{a}{n};", f"total += m_{b} * {n};", f"if (p && p[{n % 8}] > {n}) total -= {n};",
                      f"std::string s_{b}{n} = name(); total += s_{b}{n}.size();", f"values.push_back(total % {n + 1});",
                      f"total = total > {n} ? total / {n + 1} : {n};"][kind]
    inner = "\n".join(statement(source, words, depth + 1) for _ in range(1 + source.below(4)))
    head = [f"for (int i{depth} = 0; i{depth} < {n}; ++i{depth}) {{", f"if (m_{a} == {n} && total != {n}) {{", f"while (total > {n * 100}) {{ total /= 2;"][kind - 6]
    return f"{pad}{head}\n{inner}\n{pad}}}"


def class_text(source, words, name, base):
    body = [f"class {name}{' : public ' + base if base else ''} {{", "public:", f"    explicit {name}(int n) : {base + '(n), ' if base else ''}p(nullptr) {{ " +
            ("p = new int[8];" if source.below(3) else "") + " }", f"    virtual ~{name}() {{ delete[] p; }}",
            f'    std::string name() const {{ return "{name}"; }}']
    for index in range(3 + source.below(5)):
        lines = "\n".join(statement(source, words, 2) for _ in range(2 + source.below(7)))
        body.append(f"    int work{index}(int total) {{\n        std::vector<int> values;\n{lines}\n        return total + (int)values.size();\n    }}")
    if source.below(4) == 0:
        body.append("    int broken() { int a[4]; a[4] = 1; int unset; return a[0] + unset; }")
    body += ["private:", "    int *p;"] + [f"    int m_{field} = {index};" for index, field in enumerate(words)] + ["};", ""]
    return "\n".join(body)


def file_text(source, words):
    out = ["#include <string>", "#include <vector>", "template <class T> T biggest(T a, T b) { return a < b ? b : a; }", ""]
    names = []
    for index in range(CLASSES):
        name = source.zipf(words).capitalize() + str(index)
        out.append(class_text(source, words, name, source.pick(names) if names and source.below(2) else ""))
        names.append(name)
    calls = "\n".join(f"    {name} o{i}({i}); sum = biggest(sum, o{i}.work{i % 3}(sum));" for i, name in enumerate(names))
    out.append(f"int main() {{\n    int sum = 0;\n{calls}\n    return sum;\n}}\n")
    return "\n".join(out)


def main(which, folder):
    for index in range(FILES):
        source = Source(f"{which} cxx {index}")
        with open(f"{folder}/{index:02d}.cpp", "w") as file:
            file.write(file_text(source, vocabulary(source, 24 if which == "train" else 30)))


main(sys.argv[1], sys.argv[2])
