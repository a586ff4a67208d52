#!/bin/bash
# The profile: where it goes, who may read it, what becomes of an older one, what a full disk does.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1

status 0 first "$gait" record -- true
says 'wrote gait.data'
same mode 600 "$(stat -c %a gait.data)"
readable gait.data
cp gait.data first
status 0 second "$gait" record -q -- true
cmp -s first gait.data.old || bad 'the older profile was not moved to gait.data.old'
same 'nothing else is left' 'first gait.data gait.data.old stderr stdout verify' "$(ls | xargs)"

cp gait.data before
status 127 'no such program' "$gait" record -q -- /no/such/program
cmp -s before gait.data || bad 'a program that was not found cost the older profile'
printf '#!/no/such/interpreter\n' >script
chmod +x script
status 127 'no interpreter' "$gait" record -q -- ./script
cmp -s before gait.data || bad 'a program that could not be executed cost the older profile'

(umask 0; "$gait" record -q -o open.data -- true)
same 'mode with an open umask' 600 "$(stat -c %a open.data)"
status 0 'to a device' "$gait" record -q -o /dev/null -- true
[ -c /dev/null ] || bad '/dev/null is no device any more'

# The soft limit on file sizes stands for a full disk: writing fails while the program runs.
busy='i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo done'
(ulimit -S -f 2; "$gait" record -F 2000 -o small.data -- sh -c "$busy" >stdout 2>stderr; echo $? >status)
same 'full disk: the program ran' 'done' "$(cat stdout)"
same 'full disk: status' 125 "$(cat status)"
grep -q 'could not be written' stderr || bad 'a full disk was not told'
readable small.data

# Standard input and standard output.
"$gait" record -q -F 2000 -o stacks.data -- sh -c "$busy" >/dev/null
for view in report 'contexts --json' 'info --json' verify; do
    "$gait" $view stacks.data >by_name 2>&1
    "$gait" $view - <stacks.data >by_input 2>&1 || bad "$view of standard input"
    sed -i 's/standard input/stacks.data/; s/ -i -$/ -i stacks.data/' by_input
    cmp -s by_name by_input || { bad "$view says other things of standard input"; diff by_name by_input | head; }
    cat stacks.data | "$gait" $view - >by_pipe 2>&1 || bad "$view of a pipe"
done
"$gait" merge -o - open.data gait.data | cat >merged.data || bad 'merge to standard output'
readable merged.data
"$gait" pack -o - open.data >packed.data || bad 'pack to standard output'
readable packed.data
[ ! -e - ] || bad 'a file named - is there now'
status 2 'nothing in standard input' "$gait" report - </dev/null
says 'standard input: not a gait profile'
status 125 'record to standard output' "$gait" record -o - -- true
says 'stdout is the program'
rm -f by_name by_input by_pipe
finish
