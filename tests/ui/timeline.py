#!/usr/bin/python3 -B
"""CPU time over the run: what is chosen in the overview is what other pages show."""
from lib.ui import Keys, check, gait_json, profile, run, same

data = profile('program')
line = gait_json('timeline', '--limit', '8', data)
slices = line['slices']


def overview(page):
    page.open()
    check('a picture', page.run("return document.querySelectorAll('.time-plot rect').length") >= len(slices))
    page.click('.timeline .group button', 'by thread')
    names = page.texts('.time-key span')
    check('threads', any(str(line['threads'][0]['tid']) in name for name in names), names)
    page.click('.timeline .group button', 'by function')
    check('functions', page.texts('.time-key span')[0].startswith(line['rows'][0]['function'][:12]), page.texts('.time-key span'))


def drag(page, first, last):
    """From the middle of one slice to that of another; the part as the address has it."""
    box = page.run("const box = document.querySelector('.time-plot svg').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]")
    begin, end = slices[0]['from'], slices[-1]['to']
    at = lambda i: box[0] + box[2] * ((slices[i]['from'] + slices[i]['to']) / 2 - begin) / (end - begin)
    y = box[1] + box[3] / 2
    page.cdp('Input.dispatchMouseEvent', type='mousePressed', x=at(first), y=y, button='left', clickCount=1)
    page.cdp('Input.dispatchMouseEvent', type='mouseMoved', x=at(last), y=y, button='left')
    page.cdp('Input.dispatchMouseEvent', type='mouseReleased', x=at(last), y=y, button='left', clickCount=1)
    return f"{slices[first]['from']:.3f}:{slices[last]['to']:.3f}"


def brush(page):
    page.open()
    last = max(1, len(slices) // 2)
    part = drag(page, 1, last)
    page.wait('return decodeURIComponent(location.hash).includes(arguments[0])', 'time=' + part)
    page.ready()
    check('the part is said', 'of the run' in page.text('#part'))
    page.shot('timeline-part')
    page.click('#nav a', 'Functions')
    page.ready()
    want = gait_json('report', '--by', 'function', '--time', part, data)
    best = max(want['rows'], key=lambda row: row['time'] or 0)
    top = page.rows()[0]
    shown = float(top['time'].split()[0]) * {'s': 1, 'ms': 1e-3, 'µs': 1e-6}[top['time'].split()[1]]
    check('functions of the part', top['function'] == best['name'] and abs(shown - best['time']) < 0.006 * best['time'], (top, best))
    check('the command', f'--time {part}' in page.text('.command code'), page.text('.command code'))
    page.click('#nav a', 'Flame graph')
    page.ready()
    selected = gait_json('contexts', '--cpu-time', '--time', part, data)['selected']['time']
    same('the flame graph is of the part', round(selected, 6), round(page.run("return document.querySelector('.page-flame').page.tree.root.w"), 6))
    for title, words in ('Edges', ['report', '--by', 'edge']), ('Loops', ['report', '--by', 'loop']), ('Paths', ['paths']), ('Pipeline', ['pipeline']):
        page.click('#nav a', title)
        page.ready()
        check(title + ' are of the part', 'whole run' not in page.text('h1') and f'--time {part}' in page.text('.command code'), page.text('.command code'))
        answer = gait_json(*words, '--time', part, data)
        check(title + ' say of when', f"executions: of {answer['part']['counts_from']:.2f} to {answer['part']['counts_to']:.2f} s" in page.text('h1'), page.text('h1'))
        drawn = page.run("return Number(document.querySelector('#page table').getAttribute('aria-rowcount'))")
        check(title + ': as many as the command prints', drawn == len(answer['rows']), (drawn, len(answer['rows'])))
    page.click('#nav a', 'Waits')
    page.ready()
    want = gait_json('waits', '--time', part, data)
    check('waits are of the part', f"{want['count']:,} waits" in page.text() and 'whole run' not in page.text('h1'), page.text('h1'))
    page.click('#part a')
    page.ready()
    check('and back', 'time=' not in page.run('return location.hash'))


def keyboard(page):
    page.open()
    page.run("document.querySelector('.time-plot').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    check('a slice is described', f"{slices[1]['from']:.2f} to" in page.text('.time-tools .said'), page.text('.time-tools .said'))
    page.keys(Keys.SHIFT + Keys.ARROW_RIGHT)
    page.keys(Keys.ENTER)
    page.wait('return decodeURIComponent(location.hash).includes(arguments[0])', f"time={slices[1]['from']:.3f}:{slices[2]['to']:.3f}")
    page.ready()
    page.run("document.querySelector('.time-plot').focus()")
    page.keys(Keys.ESCAPE)
    page.wait("return !location.hash.includes('time=')")
    page.open('overview', time='<img src=x>')
    check('a part that is none is ignored', not page.run("return document.querySelector('#part').innerText"))


run([data], overview, brush, keyboard)
