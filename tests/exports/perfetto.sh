#!/bin/bash
# gait export --format perfetto: Chrome's trace format as a reader of its own takes it, with what gait windows shows.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
strolls=$(program strolls)
"$gait" record -q -F 2000 --seed 1 -o "$work/data" -- "$strolls" >/dev/null || bad "record: status $?"
cd "$work" || exit 1
status 0 'all windows' "$gait" export --format perfetto -o all.json data
silent 'all windows'
status 0 'one window' "$gait" export --format perfetto --window 2 data
cp stdout one.json
status 0 'again' "$gait" export perfetto --window 2 -o again.json data
cmp -s one.json again.json || bad 'not the same twice'
"$gait" windows --json data >list.json
"$gait" windows --json --show 2 data >window.json
/usr/bin/python3 -B - <<'EOP' || bad 'what a reader finds'
import json
def read(name):
    """Checks the format; returns {(pid, tid): [events]}, and labels."""
    trace = json.load(open(name))
    assert set(trace) == {'displayTimeUnit', 'otherData', 'traceEvents'} and trace['displayTimeUnit'] in ('ms', 'ns')
    tracks, labels = {}, {}
    for event in trace['traceEvents']:
        assert isinstance(event['name'], str) and event['name'], event
        assert isinstance(event['pid'], int) and isinstance(event['tid'], int), event
        if event['ph'] == 'M':
            assert event['name'] in ('process_name', 'thread_name'), event
            labels[event['pid'], event['tid']] = event['args']['name']
            continue
        assert event['ph'] == 'X' and event['cat'] in ('call', 'loop'), event
        for key in 'ts', 'dur':
            assert isinstance(event[key], int) and event[key] >= 0, event
        tracks.setdefault((event['pid'], event['tid']), []).append(event)
    assert all(track in labels and (track[0], 0) in labels for track in tracks)
    return tracks, labels
def nested(events):
    """In the order of the file, each event lies in the last one that has not ended, or after it. Their depths."""
    open_ends, last, depths = [], 0, []
    for event in events:
        assert event['ts'] >= last, event
        last, end = event['ts'], event['ts'] + event['dur']
        # An event that takes nothing, at the end of another, may be of either.
        while open_ends and open_ends[-1] <= event['ts'] and end > open_ends[-1]:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], event
        depths.append(len(open_ends))
        open_ends.append(end)
    return depths
listed = {row['window']: row for row in json.load(open('list.json'))['rows']}
tracks, labels = read('all.json')
assert {pid for pid, _ in tracks} == set(listed) and {tid for _, tid in tracks} == {1, 2}
for (pid, tid), events in tracks.items():
    nested(events)
    row = listed[pid]
    if tid == 1:
        assert max(e['ts'] + e['dur'] for e in events) == row['instructions'], row
        assert sum(e['args']['own'] for e in events) == row['instructions'], row
        assert sum(e['cat'] == 'call' and not e['args'].get('begun_before') and not e['args'].get('tail_call')
                   for e in events) == row['calls'], row
        assert sum(e['cat'] == 'loop' for e in events) == row['loops'], row
        assert all(e['ts'] == e['args']['from'] and e['dur'] == e['args']['instructions'] for e in events)
    else:
        assert 'modelled' in labels[pid, tid] and all(e['dur'] == e['args']['modelled_cycles'] for e in events)
one, _ = read('one.json')
assert set(one) == {(2, 1), (2, 2)} and one[2, 1] == tracks[2, 1] and one[2, 2] == tracks[2, 2]
window = json.load(open('window.json'))
shown = [(row['kind'], row['from'], row['to'] - row['from'], row.get('iterations')) for row in window['rows']]
assert shown == [(e['cat'], e['ts'], e['dur'], e['args'].get('iterations')) for e in one[2, 1]]
names = [window['functions'][row['function']]['name'] for row in window['rows'] if row['kind'] == 'call']
assert names == [e['name'] for e in one[2, 1] if e['cat'] == 'call']
assert all(f'×{e["args"]["iterations"]}' in e['name'] for e in one[2, 1] if e['cat'] == 'loop')
print(len(tracks) // 2, 'windows,', sum(map(len, tracks.values())), 'events')
EOP
status 129 'no such window' "$gait" export --format perfetto --window 100000 data
says 'expected the number of a window, 1 to'
status 129 'window 0' "$gait" export --format perfetto --window 0 data
status 129 'a window of stacks' "$gait" export --format collapsed --window 1 data
says '--window is for --format perfetto'
"$gait" record -q --exact=counts -o exact -- "$strolls" 100 >/dev/null || bad "record --exact: status $?"
status 2 'of counts' "$gait" export --format perfetto -o none exact
says 'no windows in it'
[ ! -e none ] || bad 'a file was left'
finish
