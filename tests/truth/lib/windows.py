"""windows.py GAIT WORK: windows of WORK/sampled.data against the stream of the trace (WORK/stream) and the disassembly (WORK/code).

The stream has every conditional branch, indirect jump and call of the run, and where it led, in order. The instructions of a
window give the same list; it must stand in the stream, once. Between two of its entries the code leaves no choice: the
disassembly says what comes next, and a stack of calls says where returns lead."""
import json
import mmap
import re
import struct
import subprocess
import sys

gait, work = sys.argv[1:]
data = work + '/sampled.data'
EDGE, CALL, KIND = 1, 2, 56
MAGIC = 16


def ask(*words):
    return json.loads(subprocess.run([gait, 'windows', '--json', *words, data], check=True, capture_output=True).stdout)


def disassembly():
    """address -> (next address, kind, target); kinds: plain, cond, jump, ijump, call, icall, ret."""
    code, function, owner = {}, None, {}
    lines = []
    for text in open(work + '/code'):
        if named := re.match(r'([0-9a-f]+) <([^>]+)>:', text):
            function = named[2]
        if at := re.match(r' *([0-9a-f]+):\t(\S+)\s*(\S*)', text):
            lines.append((int(at[1], 16), at[2], at[3]))
            owner[int(at[1], 16)] = function
    for (at, name, operand), after in zip(lines, lines[1:] + [(0, '', '')]):
        target = int(operand, 16) if re.fullmatch('[0-9a-f]+', operand) else None
        kind = ('ret' if name.startswith(('ret', 'repz')) and 'ret' in name + operand else
                ('call' if target else 'icall') if name.startswith('call') else
                ('jump' if target else 'ijump') if name.startswith('jmp') else 'cond' if name.startswith('j') else 'plain')
        code[at] = (after[0], kind, target)
    return code, owner


def follow(number, places, code):
    """The list as the stream has it, depth at each instruction, and calls as [from, to or None, depth]."""
    entries, depths, stack, calls, depth, below = [], [], [], [], 0, 0
    for i, at in enumerate(places):
        depths.append(depth)
        after, kind, target = code[at]
        to = places[i + 1] if i + 1 < len(places) else None
        if to is None:
            break
        if kind in ('cond', 'ijump', 'call', 'icall'):
            entries.append(struct.pack('<QQ', (CALL if 'call' in kind else EDGE) << KIND | at, to))
        allowed = {'plain': [after], 'cond': [after, target], 'jump': [target], 'call': [target]}.get(kind)
        assert not allowed or to in allowed, f'window {number}: {at:#x} does not lead to {to:#x}'
        if 'call' in kind:
            stack.append((after, len(calls)))
            calls.append([i + 1, None, depth + 1])
            depth += 1
        elif kind == 'ret':
            if stack:
                back, call = stack.pop()
                assert back == to, f'window {number}: returns to {to:#x}, expected {back:#x}'
                calls[call][1] = i + 1
            else:
                below += 1
            depth -= 1
    return b''.join(entries), [d + below for d in depths], [(a, b, d + below) for a, b, d in calls]


def loops_check(window, places, depths):
    """Iterations begin where the loop's head runs, in the same call, each time that it does."""
    n = 0
    for row in window['rows']:
        if row['kind'] != 'loop':
            continue
        head = int(window['loops'][row['loop']]['address'].split('+')[-1], 16)
        inside = [i for i in range(row['from'], row['to']) if places[i] == head and depths[i] == row['depth']]
        starts = row['starts']
        assert starts[0] == row['from'], row
        if places[starts[0]] != head or depths[starts[0]] != row['depth']:  # it began before, or in its middle
            starts = starts[1:]
        assert starts == inside, (window['window'], row, inside)
        assert row['iterations'] == len(row['starts'])
        n += len(inside)
    return n


def window_check(number, code, owner, stream, lengths):
    window = ask('--show', str(number))
    expanded = [window['code'][first + k] for first, n in window['course']['steps'] for k in range(n)]
    assert len(expanded) == window['instructions'] == len(window['course']['cycles'])
    # Of every window: one that begins in the loader, or ends in libc, has calls too.
    for row in window['rows']:
        if row['kind'] == 'call' and not row.get('before') and window['functions'][row['function']]['name'] == 'nested':
            lengths.append((row['to'] - row['from'], bool(row.get('after'))))
    if any(not insn['address'].startswith('strolls+') for insn in expanded):
        return None
    places = [int(insn['address'].split('+')[-1], 16) for insn in expanded]
    for insn, at in zip(window['code'], (int(insn['address'].split('+')[-1], 16) for insn in window['code'])):
        assert window['functions'][insn['function']]['name'] == owner[at], insn
    entries, depths, calls = follow(number, places, code)
    assert len(entries) > 16 * 50
    at = stream.find(entries)
    while at >= 0 and (at - MAGIC) % 16:
        at = stream.find(entries, at + 1)
    assert at >= 0, f'window {number}: not in the trace'
    again = stream.find(entries, at + 16)
    if again < 0:
        shown = [row for row in window['rows'] if row['kind'] == 'call']
        begun = sorted((row['from'], None if row.get('after') else row['to'], row['depth'])
                       for row in shown if not row.get('before') and not row.get('tail'))
        # A tail call ends the call that made it; the instructions go on until the return.
        tails = sum(bool(row.get('tail')) for row in shown)
        if not tails:
            assert begun == sorted(calls), f'window {number}: calls'
        assert len(begun) == len(calls) == window['calls'], f'window {number}: {len(begun)} calls, expected {len(calls)}'
        assert [a for a, _, _ in begun] == [a for a, _, _ in sorted(calls)], f'window {number}: where calls begin'
        covered = [0] * len(places)
        for row in shown:
            for i in range(row['from'], row['to']):
                covered[i] = max(covered[i], row['depth'])
        assert covered == depths, f'window {number}: depths'
    assert sum(row['own'] for row in window['rows']) == window['instructions']
    iterations = loops_check(window, places, depths)
    return at, again, len(places), iterations


def main():
    code, owner = disassembly()
    listed = ask()
    rows = {row['window']: row for row in listed['rows']}
    assert list(rows) == [row['window'] for row in sorted(listed['rows'], key=lambda row: -row['unlike'])]
    lengths, places, compared, iterations, elsewhere, alike = [], [], 0, 0, 0, 0
    with open(work + '/stream', 'rb') as file:
        stream = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        assert stream[:13] == b'gait tuples 1'
        for number in sorted(rows):
            found = window_check(number, code, owner, stream, lengths)
            if not found:
                elsewhere += 1
                continue
            at, again, n, met = found
            compared += n
            iterations += met
            if again < 0:
                places.append(at)
            else:
                alike += 1  # long loops look the same everywhere
    assert elsewhere <= 3, f'{elsewhere} windows are not of the program'
    assert len(places) >= 8 and places == sorted(places), 'windows are not in the order of the trace'
    # What runs at one time only is what is most unusual.
    rare = [row for row in listed['rows'] if row['function'] == 'rare']
    # Start-up and waits for memory may be as unusual, two times.
    first = listed['rows'][:len(rare) // 2 + 2]
    assert rare and sum(row in rare for row in first) >= len(rare) // 2, first
    assert any('in rare' in one['text'] for one in rare[0]['unusual']), rare[0]
    told = ask('--function', 'nested')
    assert (told['calls'], told['cut']) == (sum(not cut for _, cut in lengths), sum(cut for _, cut in lengths)), told
    assert sum(row['calls'] for row in told['rows']) == told['calls']
    for row in told['rows']:
        assert row['calls'] == sum(row['from'] <= n <= row['to'] for n, cut in lengths if not cut), row
    complete = sorted(n for n, cut in lengths if not cut)
    assert abs(complete.index(told['p50']) / len(complete) - 0.5) < 0.25, told
    print(f'{len(places)} windows stand in the trace, in order; {alike} more in several places; {elsewhere} are of other code; '
          f'{compared} instructions, {iterations} iterations, {len(lengths)} lengths')


main()
