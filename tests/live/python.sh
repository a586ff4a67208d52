#!/bin/bash
# Python functions stand in stacks, with the lines that run, in every view, and on a machine without the sources.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
cd "$work" || exit 1
cat >t.py <<'P'
import sys, threading
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
class Work:
    def squares(self, n):
        return sum(self.one(i) for i in range(n))
    def one(self, i):
        return i * i % 7
def sort(n):
    return sorted(range(n), key=lambda i: -i)
def main(k):
    for _ in range(k):
        fib(18); Work().squares(5000); sort(5000)
        thread = threading.Thread(target=fib, args=(16,)); thread.start(); thread.join()
main(int(sys.argv[1]))
P
tried=
for python in python3 "$HOME"/.pyenv/versions/3.1[123].*/bin/python3; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
    case $version in 3.11|3.12|3.13) ;; *) continue ;; esac
    case $tried in *"$version"*) continue ;; esac
    # A launcher of a version manager is a script: gait follows it, but it is no Python itself.
    python=$("$python" -c 'import sys; print(sys.executable)')
    tried="$tried $version"
    "$gait" record -q -F 499 -o "$version.data" -- "$python" t.py 400 || bad "$version: record"
    "$gait" report --by python --json "$version.data" >by.json || bad "$version: --by python"
    "$gait" report --by python,line --json "$version.data" >lines.json || bad "$version: --by python,line"
    "$gait" contexts --json "$version.data" >contexts.json || bad "$version: contexts"
    "$gait" export --format collapsed -o stacks "$version.data" || bad "$version: export"
    "$gait" report "$version.data" | grep -q 'gait report --by python' || bad "$version: the report does not say how to see Python functions"
    "$gait" report --json "$version.data" >functions.json || bad "$version: report"
    python3 - "$version" <<'P' || failures=$((failures + 1))
import json, sys
bad = 0
def check(what, good):
    global bad
    if not good:
        print(f'FAILED: {sys.argv[1]}: {what}')
        bad = 1
rows = {(r['python'], r['file'].rsplit('/')[-1], r['line']): r for r in json.load(open('by.json'))['rows']}
for name, line in ('fib', 2), ('Work.one', 9), ('Work.squares.<locals>.<genexpr>', 8), ('sort.<locals>.<lambda>', 12):
    check(f'{name} has no time', rows.get((name, 't.py', line), {'time': 0})['time'] > 0)
main = rows.get(('main', 't.py', 13))
check('main includes nearly all', main and main['total'] > 0.6 * sum(r['time'] + r['kernel_time'] for r in rows.values()))
functions = json.load(open('functions.json'))
loops = [r for r in functions['rows'] if r['linkage'] == '_PyEval_EvalFrameDefault']
check('what Python runs is run by the interpreter', len(loops) != 1 or loops[0]['total'] > 0.6 * functions['user_time'])
check('shares add up', abs(sum(r['share'] for r in rows.values()) - 1) < 0.01)
lines = {(r['python'], r['line']): r for r in json.load(open('lines.json'))['rows'] if r['file'].endswith('t.py')}
check('lines of fib', {l for n, l in lines if n == 'fib'} <= {2, 3, 4, 5} and ('fib', 5) in lines)
check('the line of fib that calls includes the others', lines[('fib', 5)]['total'] >= max(lines[k]['time'] for k in lines if k[0] == 'fib'))
# Stacks with the interpreter in them have names, and begin where threads do.
named = whole = python = 0
for line in open('stacks'):
    frames, weight = line.rsplit(' ', 1)
    frames = frames.split(';')[1:]
    if any(f in ('<module>', 'Thread._bootstrap', '_install', '_find_and_load') for f in frames):
        named += int(weight)
        python += int(weight)
        whole += int(weight) * (frames[0] in ('_start', 'clone3', '__clone3', 'clone', '__clone', 'start_thread'))
    elif any(f.startswith('_PyEval_EvalFrame') for f in frames) and not frames[-1].endswith('_[k]'):
        python += int(weight) # in user code: the kernel's own samples have no Python frames
check(f'{100 * named / python:.2f} % of Python stacks have names', named >= 0.95 * python) # the interpreter links a frame a few instructions late; long runs have 99 %
check(f'{100 * whole / named:.2f} % of them are whole', whole >= 0.98 * named)
print(f'{sys.argv[1]}: {100 * named / python:.2f} % of Python stacks have names, {100 * whole / named:.2f} % of these are whole')
sys.exit(bad)
P
    # A running one: the tool finds the interpreter in its files.
    "$python" t.py 3000 & pid=$!
    for _ in $(seq 200); do [ "/proc/$pid/exe" -ef "$python" ] && break; sleep 0.05; done # until then it is this shell
    "$gait" record -q -F 499 --duration 1 -o attached.data -p $pid || bad "$version: record -p"
    kill $pid; wait $pid 2>/dev/null
    "$gait" report --by python attached.data | grep -q 'fib (' || { bad "$version: no Python functions of a running process"; "$gait" report --by python attached.data; }
    # A plain one says what to type for names: the same command, or the same process.
    "$gait" record --plain -q -o plain.data -- "$python" t.py 20 || bad "$version: plain"
    "$gait" report plain.data | grep -qF "gait record -- $python t.py 20" || bad "$version: no command that names Python functions"
    "$python" t.py 3000 & running=$!
    "$gait" record --plain -q --duration 0.5 -o plain.data -p $running || bad "$version: plain, attached"
    kill $running
    wait $running 2>/dev/null
    "$gait" report plain.data | grep -q 'gait record -p PID' || bad "$version: no command that names Python functions of a process"
    # A profile explains itself, here too.
    "$gait" report --by python "$version.data" >here
    mv t.py away.py
    "$gait" report --by python "$version.data" >there
    mv away.py t.py
    same "$version: without the source" "$(cat here)" "$(cat there)"
    "$gait" merge -o merged.data "$version.data" "$version.data" || bad "$version: merge"
    same "$version: functions of a merged profile" "$("$gait" report --by python --json "$version.data" | grep -c '"python"')" "$("$gait" report --by python --json merged.data | grep -c '"python"')"
done
[ -n "$tried" ] || skip 'no CPython 3.11, 3.12 or 3.13'
status 2 'no Python in it' sh -c "'$gait' record -q -o none.data -- true && '$gait' report --by python none.data"
says 'no Python function was seen'
finish
