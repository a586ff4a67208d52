#!/bin/bash
# record --compress: exits, values and latencies through one compressor in the program itself. What passes it says of the program what all of it would.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
gcc -O2 -g -o "$work/habits" tests/programs/processes/habits.c || { bad 'the test program could not be built'; exit 1; }
all=edge,call,value,latency
"$gait" record -q --exact=counts -o "$work/truth" -- "$work/habits" 1000000 >/dev/null || bad "the truth: status $?"
# NAME DESIGN OPTION...
compress() {
    local name=$1 design=$2
    shift 2
    "$gait" record -q -F 2000 --seed 1 --compress "$design" -o "$work/$name" "$@" -- "$work/habits" 10000000 >"$work/stdout" || bad "$name: status $?"
    "$gait" verify "$work/$name" >"$work/verify" || { bad "$name: verify"; cat "$work/verify"; }
    "$gait" values --json --module habits "$work/$name" >"$work/$name.json" || bad "$name: values"
    "$gait" info --json "$work/$name" >"$work/$name.info" || bad "$name: info"
}
compress whole 'H[P16]256,phase' --events $all
"$gait" pipeline "$work/whole" >/dev/null 2>"$work/stderr"
[ $? = 2 ] && grep -q 'no windows in it: --compress keeps' "$work/stderr" || bad 'why there are no windows'
compress tagged 'T2[16]256x2+A16,converge' --events $all
compress only 'H[P16]256,phase' --events $all --only divided
compress here 'H[P16]256,phase' --events $all --only load
"$gait" compare --json --by edge "$work/truth" "$work/whole" >"$work/overlap" || bad 'compare'
"$gait" latencies --json "$work/whole" >"$work/latencies" || bad 'latencies'
/usr/bin/python3 -B - "$work" <<'EOF' || bad 'figures'
import json, re, sys
work = sys.argv[1]
def load(name): return json.load(open(f'{work}/{name}'))
def functions(name): return {row['function'] for row in load(name + '.json')['rows']}
def told(name): return re.match(r'(\d+) (\w+) became (\d+) messages, which stand for (\d+); (\d+) of', load(name + '.info')['facts']['compressed'][0]).groups()
tuples, what, messages, stand_for, settled = told('whole')
overlap = load('overlap')['rows'][0]['overlap']
row = next(r for r in load('whole.json')['rows'] if r['function'] == 'divided' and r['kind'] == 'divisor')
print(tuples, messages, overlap, row['values'][0]['share'], told('tagged'), told('only'), told('here'))
assert abs(int(stand_for) - int(tuples)) < 16 * 256
assert what == 'tuples' and 12 < int(tuples) / int(messages) < 20 and settled == '0'
# Edges that have passed are the program's, in their proportions; so are values.
assert overlap > 0.9 * (100 if overlap > 1 else 1)
assert abs(row['values'][0]['share'] - 0.95) < 0.08 and row['values'][0]['value'] == '0x7', row
assert load('latencies')['rows']
# Places that have converged are left out before the compressor.
assert int(told('tagged')[4]) > 0 and int(told('tagged')[2]) < int(told('tagged')[0]) / 4
# What is not kept never comes to it.
assert functions('only') == {'divided'} and functions('whole') > {'divided', 'loaded', 'walked'}
assert int(told('only')[0]) < int(tuples) / 2
# Sorts of instructions need whole windows: values alone are compressed, where they are read.
# (Not so at the end of main, which some windows have: what pop loads is a result.)
often = [r for r in load('here.json')['rows'] if r['total'] > 1000]
assert told('here')[1] == 'values' and {r['kind'] for r in often} == {'load'}, [(r['kind'], r['address'], r['total']) for r in often]
EOF
finish
