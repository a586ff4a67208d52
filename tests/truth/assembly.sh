#!/bin/bash
# Every instruction that annotate shows is one that GNU as takes, and becomes the same instruction again:
# all of the libraries that a small program calls, against objdump.
cd "$(dirname "$0")/../.." || exit 1
gait=$PWD/${GAIT_OUT:-o/rel}/gait
for tool in as objdump gcc; do command -v $tool >/dev/null || { echo "no $tool"; exit 77; }; done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >some.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int order(const void *a, const void *b) { return *(const short *)a - *(const short *)b; }
int main(int argc, char **argv)
{
    static short list[500];
    static char text[4096];
    long double sum = argc;
    for (int i = 0; i < 500; i++)
        list[i] = (short)(i * 7919);
    qsort(list, 500, sizeof *list, order);
    for (int i = 1; i < 500; i++)
        sum += sinl(list[i]) + pow(fabs(list[i]), 0.3) + sqrtf((float)i) + atan2(i, argc);
    snprintf(text, sizeof text, "%.20Lg %d %s %f", sum, list[3], argv[0], (double)sum);
    puts(strstr(text, "e") ? text : strrchr(text, ' '));
    return 0;
}
C
gcc -O2 -g -o some some.c -lm || exit 1
"$gait" record -q --exact=counts -- ./some >/dev/null || exit 1
"$gait" annotate '*' --all --limit 1000000 --json >all.json || exit 1
/usr/bin/python3 - <<'PY'
import json, re, subprocess, sys
view = json.load(open("all.json"))
paths = {m["path"].rsplit("/", 1)[-1]: m["path"] for m in view["modules"]}
texts = {}  # of instructions that name no label: one of each form, with a place where it stands
for row in view["rows"]:
    text = re.sub(r" +#.*", "", row["assembly"])
    module, offset = row["address"].rsplit("+0x", 1)
    if not module.startswith("[") and not re.match(r"(j\w+|call|loop\w*) [^*]", text):
        texts.setdefault(re.sub("0x[0-9a-f]+", "N", text), (text, module, int(offset, 16)))
texts = list(texts.values())

def disassemble(path, *options):
    out = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", *options, path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ *([0-9a-f]+):\t(.*)", out, re.M)
    return {int(at, 16): text for at, text in found}

def plain(text):
    text = re.sub(r"\s*[#<].*", "", text)
    text = re.sub(r"^((rex\.?\w*|data16|cs|ds|es|bnd|notrack|addr32) +)+", "", text.strip())
    return re.sub(r"\b0x0\(", "(", re.sub(r"\s+", " ", text)).strip()

with open("again.s", "w") as f:
    for text, _, _ in texts:
        f.write(".p2align 5\n%s\n" % text)
done = subprocess.run(["as", "-o", "again.o", "again.s"], capture_output=True, text=True)
refused = done.stderr.strip().splitlines()[:20]
if refused:
    print("as says:", *refused, sep="\n  ")
    lines = open("again.s").read().split("\n")
    for line in refused[1:6]:
        print("   ", lines[int(line.split(":")[1]) - 1])
    sys.exit(1)
again = disassemble("again.o")
there = {module: disassemble(paths[module]) for module in {m for _, m, _ in texts}}
bad = 0
for i, (text, module, offset) in enumerate(texts):
    want = there[module].get(offset)
    if want is None or want.strip() == "xchg %ax,%ax":
        continue
    if plain(again[32 * i]) != plain(want) and plain(want) != "xchg %ax,%ax":
        bad += 1
        if bad < 10:
            print("%s+0x%x: %s: as makes it %s, objdump has %s" % (module, offset, text, again[32 * i], want))
print("%d forms of instructions, %d rows, %d differ" % (len(texts), len(view["rows"]), bad))
sys.exit(bad > 0 or len(texts) < 1000)
PY
