#!/bin/bash
# Keys of JSON, and words in it, are those of docs/JSON.md, in that order.
. tests/golden/lib/golden.sh
make -s -C "$top" "${GAIT_OUT:-o/rel}"/programs/{conflicts,habits,latencies,strolls,waste} >&2 || exit 1
programs=$(dirname "$gait")/programs
record() { expect 0 "$gait" record -q -F 2000 --seed 1 $more --events edge,call,address,value,latency,stack -o "$1" -- "$programs/$1" "${@:2}"; }
more=--context record conflicts planted 10000
record habits 3000000
record latencies 500000
record strolls
record waste planted 20000
mkdir json
views() { # DATA VIEW...: as json/DATA+VIEW
    local data=$1 view
    shift
    for view; do
        expect 0 "$gait" ${view//DATA/$data} --json $data
        cp out "json/$data+${view// /_}"
    done
}
views conflicts conflicts values
views waste waste
views strolls windows 'windows --show 1' 'windows --function leaf'
views latencies latencies 'values --kind address+latency'
views habits fix whatif loops values 'values --no-values' 'values --kind thread,cpu,node,lock' report 'report --by line' 'report --by block' 'report --by instruction' 'report --by edge' \
    'report --by call' 'report --by inline' 'report --by module' 'report --by thread' contexts timeline 'compare DATA'
/usr/bin/python3 -B - "$top/docs/JSON.md" <<'EOF' || fail 'JSON is not as documented'
import glob, json, re, sys
tables = [[[cell.strip() for cell in row.strip('|').split('|')] for row in table.strip().splitlines()[2:]]
          for table in re.findall(r'(?:^\|.*\n)+', open(sys.argv[1]).read(), re.M)]
views, inside, words = tables
common = 'schema command mode by weight raw user_time kernel_time off_time modules losses'.split()
bad = 0
def same(what, want, got):
    """A key with ? may be missing."""
    global bad
    if [key.rstrip('?') for key in want if key[-1] != '?' or key[:-1] in got] != got:
        print(f'{what}: documented {want}, written {got}')
        bad = 1
def load(view):
    """Of all files of the view: heads, and rows."""
    names = glob.glob('json/*+' + view.replace(' ', '_').replace('compare', 'compare_*'))
    assert names, view
    return [json.load(open(name)) for name in names]
for view, own, row_keys in views:
    for head in load(view):
        same(view, common + own.split() + ['rows'] + ['kernel_rows?', 'kernel_unsampled?', 'kernel_unsampled_share?'] * (view == 'report')
             + ['verdict', 'advice', 'limits', 'missing'] * (view.startswith('report') and view.split()[-1] not in ('module', 'thread')), list(head))
        for one in head.get('verdict', []) + head.get('advice', []) + head.get('limits', []):
            same('advice', ['text', 'command?'], list(one))
        assert head['rows'], view
        for row in head['rows']:
            same(view + ' row', row_keys.split(), list(row))
for where, want in inside:
    view, path = where.split(': ')
    seen = 0
    for head in load(view):
        for row in head['rows']:
            of = row
            for step in path.split():
                of = of[step]
            for one in of if isinstance(of, list) else [of]:
                seen += 1
                same(where, want.split(), list(one))
    assert seen, where
for key, allowed in words:
    view, name = key.split(': ')
    met = set()
    for file in glob.glob(f'json/*+{view}*'):
        met |= set(re.findall(f'"{name}": "([^"]*)"', open(file).read()))
    if not met or met - set(allowed.split()):
        print(f'{key}: documented {allowed}, written {met}')
        bad = 1
sys.exit(bad)
EOF
exit $bad
