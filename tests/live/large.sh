#!/bin/bash
# A program with so much code that reading it costs more than a recording may: it has paths all the same, since nobody
# reads it before it is looked at.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
build() { # BYTES NAME
    printf '.section .text.filler,"ax"\n.fill %s, 1, 0x90\n.section .note.GNU-stack,"",@progbits\n' "$1" >"$work/filler.s"
    printf 'volatile unsigned long x;\nint main(void) { for (long i = 0; i < 2000000000; i++) x = x * 3 + 1; return 0; }\n' >"$work/main.c"
    gcc -O1 -o "$work/$2" "$work/main.c" "$work/filler.s" || bad "$2 could not be built"
}
build 17000000 large
build 1000 small
for name in large small; do
    "$gait" record -q -o "$work/$name.data" -- "$work/$name" || bad "record $name: status $?"
    "$gait" info --json "$work/$name.data" >"$work/$name.info" || bad "info: status $?"
done
grep -q path_large "$work"/*.info && bad 'paths are said to be missing'
for name in large small; do
    "$gait" paths "$work/$name.data" 2>&1 | grep -q 'of main' || bad "no paths of the $name program"
done
finish
