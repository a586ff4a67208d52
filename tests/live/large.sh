#!/bin/bash
# Runs with others
# A program with more code than reading it for paths may cost: that is said, and the end of the recording stays short.
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
grep -q '"path_large": 1' "$work/large.info" || { bad 'nothing says that the large module was not read'; cat "$work/large.info"; }
grep -q path_large "$work/small.info" && bad 'the small module was not read'
"$gait" paths "$work/small.data" 2>&1 | grep -q 'of main' || bad 'no paths of the small program'
finish
