#!/bin/bash
# When code ran: a program says when its phases began; timeline and --time must agree, sampled and plain.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
phases=$(program phases)
"$gait" record -q -F 1000 --seed 1 -o "$work/sampled.data" -- "$phases" 500 >"$work/sampled.times" || bad record
datas=sampled
if "$gait" record -q --plain -F 1000 -o "$work/plain.data" -- "$phases" 500 >"$work/plain.times" 2>"$work/plain.err"; then
    datas+=' plain'
else
    echo "no plain recording here: $(tail -1 "$work/plain.err")"
fi
for data in $datas; do
    "$gait" verify "$work/$data.data" >"$work/verify" || { bad "verify $data"; cat "$work/verify"; }
    /usr/bin/python3 -B - "$gait" "$work/$data.data" $(cat "$work/$data.times") <<'EOF' || bad "$data"
import json, subprocess, sys
gait, data = sys.argv[1:3]
def ask(*words):
    return json.loads(subprocess.run([gait, words[0], '--json', *words[1:], data], check=True, capture_output=True).stdout)
bad = 0
def check(what, good, *more):
    global bad
    if not good:
        bad = 1
        print('not so:', what, *more)
start = ask('info')['start_ns']
began, changed, ended = ((int(at) - start) / 1e9 for at in sys.argv[3:6])
line = ask('timeline')
times = {row['function']: row['times'] for row in line['rows']}
first, second = times.get('first_phase', []), times.get('second_phase', [])
check('both phases were seen', first and second, list(times))
# A sample is taken when its time has passed, or some milliseconds later: 30 are plenty.
slack = 0.03
# Slices get wider as the run gets longer, which on a busy machine it does.
margin = max(0.2, 1.5 * max(slice['to'] - slice['from'] for slice in line['slices']))
for i, slice in enumerate(line['slices']):
    if slice['to'] < changed - slack:
        check(f"second phase at {slice['from']}, before {changed}", second[i] == 0, second[i])
    if slice['from'] > changed + slack:
        check(f"first phase at {slice['from']}, after {changed}", first[i] == 0, first[i])
check('slices cover the run', line['slices'][0]['from'] <= began + margin and line['slices'][-1]['to'] >= ended - margin,
      line['slices'][0], line['slices'][-1], began, ended)
whole = ask('contexts')['selected']['time']
check('slices add up', abs(sum(slice['user'] for slice in line['slices']) - whole) < 0.02 * whole, whole)
check('threads add up', abs(sum(sum(thread['user']) for thread in line['threads']) - whole) < 0.02 * whole)
def parts(part):
    answer = ask('report', '--time', part)
    return {row['name']: row['time'] or 0 for row in answer['rows']}, answer
before, answer = parts(f':{changed - margin:.3f}')
check('the part before', before['first_phase'] > 0.1 and not before.get('second_phase'), before)
check('no off-CPU time of a part', answer['off_time'] is None, answer['off_time'])
check('it says which', answer['part']['from'] <= began + margin and abs(answer['part']['to'] - changed + margin) < margin, answer['part'])
after, answer = parts(f'{changed + margin:.3f}:')
check('the part after', after['second_phase'] > 0.1 and not after.get('first_phase'), after)
both = ask('contexts', '--time', '0:')['selected']['time']
check('all of it', abs(both - whole) < 1e-6 * whole, both, whole)
names = {row['function'] for row in ask('contexts', '--time', f'{changed + margin:.3f}:')['rows']}
check('contexts of a part', 'second_phase' in names and 'first_phase' not in names, names)
# What windows counted is known by whole batches, and the answer says of which part of the run they are.
begin = {row['name']: int(row['address'].split('+0x')[1], 16) for row in ask('report')['rows'] if row['name'].endswith('_phase')}
def counted(part):
    answer = ask('report', '--by', 'edge', '--time', part)
    at = [int(row['from'].split('+0x')[1], 16) for row in answer['rows'] if row['count'] and row['from'].startswith('phases+')]
    return {name for name in begin if any(begin[name] <= one < begin[name] + 64 for one in at)}, answer['part']
if line['mode'] == 'sampled':
    for part, own, other in (f':{(began + changed) / 2:.3f}', 'first_phase', 'second_phase'), (f'{(changed + ended) / 2:.3f}:', 'second_phase', 'first_phase'):
        names, told = counted(part)
        check('its batches lie in one phase', told['counts_to'] < changed + slack if own == 'first_phase' else told['counts_from'] > changed - slack, told, changed)
        check('edges of a part', own in names and other not in names, part, names, told)
        loops = {row['function'] for row in ask('report', '--by', 'loop', '--time', part)['rows'] if row['iterations']}
        check('loops of a part', own in loops and other not in loops, part, loops)
        # One part in many of a recording is searched for paths: a short part may have none, and says so.
        asked = subprocess.run([gait, 'paths', '--json', '--time', part, data], capture_output=True, text=True)
        if asked.returncode == 2:
            check('a part without paths says so', 'part' in asked.stderr, asked.stderr)
            continue
        paths = {row['function'] for row in json.loads(asked.stdout)['rows'] if row['count']}
        check('paths of a part', own in paths and other not in paths, part, paths)
    for words in ['report', '--by', 'edge'], ['report', '--by', 'loop'], ['report', '--by', 'line'], ['paths'], ['pipeline']:
        all_rows, part_rows = ask(*words)['rows'], ask(*words, '--time', '0:')['rows']
        check(' '.join(words) + ' of all of it', part_rows == all_rows, [pair for pair in zip(all_rows, part_rows) if pair[0] != pair[1]][:1])
sys.exit(bad)
EOF
done
"$gait" timeline "$work/sampled.data" >"$work/text" || bad timeline
grep -q 'first_phase' "$work/text" && grep -q 'second_phase' "$work/text" || { bad 'text'; cat "$work/text"; }
"$gait" merge -o "$work/both.data" "$work/sampled.data" "$work/sampled.data" && "$gait" timeline "$work/both.data" >/dev/null || bad 'merged'
status 129 'a bad part' "$gait" report --time 3:1 "$work/sampled.data"
says 'expected FROM:TO'
if [ -e "$work/plain.data" ]; then
    status 2 'edges of a part without windows' "$gait" report --time 0: --by edge "$work/plain.data"
    says 'does not have when windows counted'
fi
"$gait" merge -o "$work/one.data" "$work/sampled.data" || bad 'merge of one'
for words in 'report --by edge' 'report --by loop'; do
    "$gait" $words --json --time :0.3 -q "$work/sampled.data" >"$work/grown" || bad "$words"
    "$gait" $words --json --time :0.3 -q "$work/one.data" >"$work/whole" || bad "$words of a whole file"
    cmp "$work/grown" "$work/whole" || bad "$words: a file that grew and a whole one differ"
done
status 2 'a part without samples' "$gait" report --time 1000: "$work/sampled.data"
says 'nothing was sampled'
for words in values latencies conflicts; do
    status 2 "$words of a part, and none recorded" "$gait" $words --time 0:1 "$work/sampled.data"
    says 'COMMAND records them'
done
"$gait" record -q --exact=counts -o "$work/exact.data" -- "$phases" 1 >/dev/null || bad 'record exact'
status 2 'an exact profile' "$gait" timeline "$work/exact.data"
says 'does not have when'
for words in 'report --by edge' paths values latencies conflicts pipeline; do
    status 2 "$words of a part of an exact run" "$gait" $words --time 0:1 "$work/exact.data"
    says 'an exact recording does not have when'
done
finish
