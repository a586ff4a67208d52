#!/bin/bash
# A program that cannot load the agent runs all the same, and gait says what it is.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
echo 'int main(void) { return 4; }' >"$work/static.c"
gcc -static -o "$work/static" "$work/static.c" 2>/dev/null || skip 'no static libc to link with'
cp "$work/static" "$work/setgid" && chmod g+s "$work/setgid"
status 4 'setgid program, exact' "$gait" record --exact=counts -o "$work/data" -- "$work/setgid"
says 'did not load the agent'
"$gait" info "$work/data" | grep -q '1 x no_agent' || bad 'the loss is not in the profile'

readable "$work/data"

# What becomes such a program has ended well: nothing of it was cut short.
status 4 'exec of a static program, exact' "$gait" record --exact=counts -o "$work/data" -- sh -c "exec $work/static"
"$gait" info "$work/data" | grep -q '1 x no_agent' || bad 'the loss of an exec is not in the profile'
"$gait" info "$work/data" | grep -q ' killed' && bad 'an exec is called killed'

# There is nothing to report; what to type instead can be typed.
status 4 'setgid program, odd words' "$gait" record --exact=counts -o "$work/it's" -- "$work/setgid" 'a b'
says 'it is setuid or setgid'
grep -q 'next: gait report' "$work/stderr" && bad 'an empty profile is said to be worth a report'
instead=$(sed -n 's/.*: gait record --plain/record --plain/p' "$work/stderr")
case $modes in *plain*) (eval "'$gait' $instead") >"$work/out" 2>&1; same 'what to type instead' 4 $? ;; esac
[ -n "$instead" ] || bad 'nothing is said of --plain'

# AddressSanitizer's runtime ends a program if another library comes before it in the list of loaded ones: the agent
# comes last there, for the program and for what it starts.
echo 'int main(void) { return 5; }' >"$work/asan.c"
if gcc -fsanitize=address -o "$work/asan" "$work/asan.c" 2>/dev/null && "$work/asan"; [ $? = 5 ]; then
    for mode in sampled exact; do
        status 5 "$mode, with ASan" "$gait" record $(options_of $mode) -o "$work/asan.data" -- "$work/asan"
        status 5 "$mode, with ASan in a child" "$gait" record $(options_of $mode) -o "$work/asan.data" -- env "$work/asan"
    done
    "$gait" info --json "$work/asan.data" | grep -qE '"instructions": *[1-9]' || bad 'nothing was recorded with ASan'
fi
finish
