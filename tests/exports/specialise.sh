#!/bin/bash
# gait optimize --with specialise: a divisor that is nearly always 1000 becomes a constant in a copy, the program is faster and does the same; a
# copy that does something else, and one that gains nothing, leave everything as it was.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
mkdir "$work/gains" "$work/differs" && cd "$work/gains" || exit 1
cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>

/* Remainders by a number (nearly always 1000), and a "brace {" in a string. */
__attribute__((noinline)) static unsigned mixed(const char *what, unsigned x, double part, unsigned by)
{
    unsigned sum = what[0] == '{';
    for (int i = 0; i < 16; i++) {
        sum += x / by + x % by;
        x = x / 3 + sum * 1664525;
    }
    return sum + (unsigned)part;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    unsigned all = 0;
    for (long i = 0; i < rounds; i++)
        all += mixed("x", (unsigned)i, 1.5, i % 64 ? 1000 : 7);
    printf("%u\n", all);
    return 0;
}
C
printf 'program: program.c\n\t$(CC) $(CFLAGS) -o $@ $<\n' >Makefile
cp program.c as_it_was.c
make -s CC=gcc CFLAGS='-O2 -g' program || bad 'the test program could not be built'
said=$(./program 1000)
status 129 'without --build' "$gait" optimize --with specialise -- ./program 1000
says 'needs --build'
"$gait" optimize -q --with specialise --runs 4 --json --build 'make -s -B' -- ./program 500000 >json 2>errors || { bad "specialise: status $?"; cat errors; }
/usr/bin/python3 -B - <<'PY' || { bad 'the gain'; cat json; }
import json
told = json.load(open('json'))
print(told['before'], told['after'], told['gain'], told['gain_lo'], told['gain_hi'], told['note'])
assert told['with'] == 'specialise' and told['checked'], told
assert 'argument 3 ' in told['note'] and '1000 in 98 %' in told['note'], told['note'] # the third in a general register
source = open('program.c').read()
assert told['kept'] == (told['gain_lo'] > 0)
assert told['kept'] == ('if (by == 1000)\n        return mixed__copied(what, x, part, 1000);\n    return mixed__copied(what, x, part, by);' in source), source
PY
grep -q '"kept": *false' json || cmp -s program.c.before as_it_was.c || bad 'the source as it was is lost'
same 'what the program says' "$said" "$(./program 1000)"
# __func__ tells the copy from the function.
cd "$work/differs" || exit 1
sed 's/unsigned sum = what/static int told;\n    if (!told++)\n        puts(__func__);\n    unsigned sum = what/' ../gains/as_it_was.c >program.c
cp ../gains/Makefile . && cp program.c as_it_was.c
make -s CC=gcc CFLAGS='-O2 -g' program && cp program program_as_it_was
"$gait" optimize -q --with specialise --runs 2 --build 'make -s -B' -- ./program 100000 >text 2>errors && bad 'another output is no error'
cmp -s program.c as_it_was.c || bad 'the source was not put back'
cmp -s program program_as_it_was || bad 'the program was not put back'
[ -e program.c.before ] && bad 'a copy of the source was left behind'
# Nothing to specialise.
sed 's/i % 64 ? 1000 : 7/(unsigned)i % 97 + 1/; s/1.5, /(double)i, /; s/"x", /argv[i % 2], /' as_it_was.c >program.c
status 2 'no frequent argument' "$gait" optimize -q --with specialise --build 'make -s -B' -- ./program 100000
says 'nearly always the same number'
finish
