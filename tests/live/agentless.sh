#!/bin/bash
# A program that cannot load the agent runs all the same, and gait says what it is.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
echo 'int main(void) { return 4; }' >"$work/static.c"
gcc -static -o "$work/static" "$work/static.c" 2>/dev/null || skip 'no static libc to link with'
status 4 'static program' "$gait" record -o "$work/data" -- "$work/static"
says 'never loaded the agent'
readable "$work/data"
status 4 'static program, exact' "$gait" record --exact=counts -o "$work/data" -- "$work/static"
says 'never loaded the agent'
"$gait" info "$work/data" | grep -q '1 x no_agent' || bad 'the loss is not in the profile'
finish
