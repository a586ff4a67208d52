#!/bin/bash
# On a terminal text goes through the pager and has colours; elsewhere, and as asked, it does not.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v script >/dev/null || { echo 'script is not there to make a terminal'; exit 77; }
cd "$work" || exit 1
"$gait" record -q --exact=counts -- true || exit 1
# on_terminal COMMAND: its output as a terminal gets it
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
export PAGER='sed s/^/paged:/'
unset NO_COLOR GAIT_PAGER
for view in report annotate\ --above\ 0; do
    on_terminal "$gait $view" >out
    grep -q '^paged:' out || bad "$view: no pager"
    grep -q $'\033' out || bad "$view: no colours"
    on_terminal "$gait $view --no-pager" >out
    grep -q '^paged:' out && bad "$view: --no-pager has one"
    grep -q $'\033' out || bad "$view: --no-pager takes the colours too"
    on_terminal "NO_COLOR=1 $gait $view" >out
    grep -q $'\033' out && bad "$view: NO_COLOR is not heeded"
    on_terminal "$gait $view --color never" >out
    grep -q $'\033' out && bad "$view: --color never is not heeded"
    on_terminal "$gait $view --json" >out
    grep -q '^paged:' out && bad "$view: JSON is paged"
    grep -q $'\033' out && bad "$view: JSON has colours"
    on_terminal "GAIT_PAGER='sed s/^/own:/' $gait $view" >out
    grep -q '^own:' out || bad "$view: GAIT_PAGER does not come first"
    $gait $view >out
    grep -q '^paged:' out && bad "$view: a pipe is paged"
done
# Tables fit the terminal, elsewhere names are as long as they are.
cat >long.c <<'C'
__attribute__((noinline)) unsigned a_function_with_a_name_of_more_than_forty_characters(unsigned x) { return x * 5 + 1; }
int main(void)
{
    unsigned x = 0;
    for (int i = 0; i < 1000000; i++)
        x = a_function_with_a_name_of_more_than_forty_characters(x);
    return x & 1;
}
C
gcc -O1 -o long long.c || exit 1
"$gait" record -q --exact=counts -o long.data -- ./long
on_terminal "stty cols 90; $gait report --color never --no-pager long.data" | sed -n 5,12p >out
grep -q 'a_function_with' out || { bad 'no table'; cat out; }
awk 'length > 90' out | grep . && bad 'wider than the terminal'
"$gait" report long.data | grep -q 'a_function_with_a_name_of_more_than_forty_characters ' || bad 'cut without a terminal'
# What is no table goes on below, between words; a command that can be typed stays whole; JSON is left alone.
for view in "annotate main" 'report --limit 3'; do
    on_terminal "stty cols 60; $gait $view --color never --no-pager long.data" >out
    awk 'length > 60 && !/^ +gait / && !/^ *[^ ]*$/' out | grep . && { bad "$view: a line is wider than the terminal"; }
done
on_terminal "stty cols 30; $gait report --json --limit 3 long.data" | /usr/bin/python3 -c 'import json, sys; json.load(sys.stdin)' || bad 'JSON is wrapped'
"$gait" report long.data | grep -q '^\./long: exact, [0-9]* instructions$' || bad 'wrapped without a terminal'
for view in doctor 'list formats' 'info long.data' 'verify long.data'; do
    on_terminal "stty cols 60; $gait $view" | awk 'length > 60 && !/^ *[^ ]*$/ && !/[0-9a-f]{40}$/' | grep . && bad "$view: a line is wider than the terminal"
done
on_terminal "stty cols 60; $gait report --help" | awk '/^  -/ { rows = 1 } rows && length > 60' | grep . && bad 'help is wider than the terminal'
on_terminal "stty cols 40; $gait values long.data" | awk 'length > 40 { wide = 1 } /^      [^ ]/ { on = 1 } END { exit wide || !on }' || bad 'a message is wider than the terminal'
# A reader who leaves at once is no error.
on_terminal "PAGER='head -1' $gait report --limit 100000; echo status \$?" >out
grep -q '^status 0$' out || bad "a pager that leaves early: $(tail -1 out)"
finish
