#!/usr/bin/python3 -B
"""The flame graph: frames are as wide as `gait contexts` says; zoom, search, keyboard and address work."""
from lib.ui import Browser, Keys, attempt, check, finish, gait_json, profile, viewing

data, real = profile('program'), profile('real')
# The page under test hangs itself on its element.
PAGE = "const page = document.querySelector('.page-flame').page; "


def percent(text):
    return float(text.split(' %')[0].split()[-1].lstrip('<'))


def box_of(page, node):
    """The middle of a frame, in the window."""
    return page.run(PAGE + "const box = page.view.frameBox(page.tree.find(arguments[0])), at = page.view.element.querySelector('canvas').getBoundingClientRect();"
                    "return [at.left + Math.max(box.left, 0) + Math.min(box.width, at.width) / 2, at.top + box.top + box.height / 2, box.left, box.width, at.width]", node)


def mouse(page, kind, x, y, **more):
    page.cdp('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)


def click(page, x, y):
    for kind in 'mousePressed', 'mouseReleased':
        mouse(page, kind, x, y, button='left', clickCount=1)


def settle(page):
    """Until motion ends."""
    page.wait(PAGE + 'return !page.view.moves')


def numbers(page):
    """Frames are as wide as contexts are heavy, and the tip has the numbers of the command."""
    for params, options in ({}, ['--cpu-time']), ({'form': 'bottom-up'}, ['--bottom-up', '--cpu-time']), ({'threads': '1'}, ['--by-thread', '--cpu-time']), ({'base': 'user'}, []):
        answer = gait_json('contexts', *options, data)
        fragment = str(options)
        page.open('flame', **params)
        page.wait(PAGE + 'return page.view.timings.length')  # drawn, as wide as its place
        # At once: the view may be made wider or narrower between two questions.
        shown, wide = page.run(PAGE + "return [[...page.tree.nodes.values()].map((node) => [node.id, page.view.frameBox(node).width]), page.view.element.querySelector('canvas').clientWidth]")
        all_time = answer['selected']['time']
        want = {row['id']: row['time'] / all_time * wide for row in answer['rows']}
        check(fragment + ': as many frames', len(shown) == len(want), (len(shown), len(want)))
        off = [(id, want[id], width) for id, width in shown if abs(want[id] - width) >= 0.01]
        check(fragment + ': widths', not off, (wide, off[:4]))
        row = max((row for row in answer['rows'] if row['time'] < 0.9 * all_time), key=lambda row: row['time'])
        x, y, *_ = box_of(page, row['id'])
        mouse(page, 'mouseMoved', x, y)
        tip = page.wait("const tip = document.querySelector('.tip'); return !tip.hidden && tip.innerText")
        check(fragment + ': name in the tip', tip and row['function'] in tip, tip)
        if not tip:
            continue
        share, lo, hi = (100 * row[key] / all_time for key in ('time', 'time_lo', 'time_hi'))
        cells = page.run("return [...document.querySelectorAll('.tip tr:first-of-type td')].map((td) => td.innerText)")
        got = cells[0].replace('(95 %:', '').replace(')', '').replace('%', '').replace('to', '').split()
        check(fragment + ': share and interval', all(abs(float(a.lstrip('<')) - b) <= 0.06 for a, b in zip(got, (share, lo, hi))), (cells, share, lo, hi))
        page.shot('flame-' + (options[0][2:] if options else 'user'))


def zoom(page):
    rows = gait_json('contexts', '--cpu-time', data)['rows']
    page.open('flame')
    target = next(row for row in rows if row['time'] < 0.8 * rows[0]['time'])
    x, y, *_ = box_of(page, target['id'])
    click(page, x, y)
    settle(page)
    _, _, left, width, wide = box_of(page, target['id'])
    check('a click zooms in', abs(left) < 1 and abs(width - wide) < 1, (left, width, wide))
    check('the zoom is in the address', f"zoom={target['id']}" in page.run('return location.hash'))
    page.shot('flame-zoomed')
    page.open(page.run('return location.hash.slice(1)'), fresh=True)
    _, _, left, width, wide = box_of(page, target['id'])
    check('the address zooms', abs(left) < 1 and abs(width - wide) < 1, (left, width, wide))
    page.run(PAGE + "page.view.scroll.focus()")
    page.keys(Keys.ESCAPE)
    settle(page)
    check('Escape shows all', page.run(PAGE + 'return page.view.range.w === page.tree.root.w') and 'zoom' not in page.run('return location.hash'))
    before = page.run(PAGE + 'return page.view.range.w')
    mouse(page, 'mouseWheel', x, y, deltaX=0, deltaY=-240)
    settle(page)
    check('the wheel zooms', page.run(PAGE + 'return page.view.range.w') < 0.8 * before)
    page.keys(Keys.ESCAPE)
    settle(page)
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    path = page.run(PAGE + 'return page.view.selected.id')
    said = page.run("return document.querySelector('.flame-detail').innerText")
    check('keys select', path in [row['id'] for row in rows] and rows[path]['function'] in said, said)
    page.keys(Keys.ENTER)
    settle(page)
    _, _, left, width, wide = box_of(page, path)
    check('Enter zooms', abs(left) < 1 and abs(width - wide) < 1, (path, left, width, wide))
    # The median: whatever else runs, it is not interrupted half of the time.
    check('frames are fast', page.run(PAGE + 'return page.view.timings.sort((a, b) => a - b)[page.view.timings.length >> 1]') < 50, page.run(PAGE + 'return page.view.timings'))


def zoom_deep(page):
    """An address that says a frame below the lower end shows it at once, in sight."""
    rows = gait_json('contexts', '--cpu-time', real)['rows']
    depth = {}
    for row in rows:
        depth[row['id']] = depth.get(row['parent'], -1) + 1
    deep = max(depth, key=lambda id: depth[id])
    page.size(1280, 300)
    page.open('flame', fresh=True, zoom=deep)
    box, wide, high = page.run(PAGE + "const {clientWidth, clientHeight} = page.view.element.querySelector('canvas'); return [page.view.frameBox(page.tree.find(arguments[0])), clientWidth, clientHeight]", deep)
    check('all is not in sight at once', box['height'] * (depth[deep] + 2) > high, (depth[deep], high))
    check('the address zooms', abs(box['left']) < 1 and abs(box['width'] - wide) < 1, (box, wide))
    check('a deep frame is in sight', 0 <= box['top'] and box['top'] + box['height'] <= high + 1, (box, high))
    page.size(1280, 800)


def search(page):
    answer = gait_json('contexts', '--cpu-time', data)
    name = max((row for row in answer['rows'] if row['metrics']['self_time'] > 0), key=lambda row: row['metrics']['self_time'])['function'].split('(')[0]
    of = gait_json('contexts', '--cpu-time', '--function', f'*{name}*', data)
    page.open('flame')
    page.keys('/')
    page.keys(name.upper())
    said = page.wait("const text = document.querySelector('.said').innerText; return text.includes('95 %') && text")
    share = 100 * of['selected']['time'] / answer['selected']['time']
    check('share of matches', said and abs(percent(said) - share) < 0.06, (said, share))
    check('the search is in the address', f'search={name.upper()}' in page.run('return decodeURIComponent(location.hash)'))
    shown = page.run(PAGE + 'return [...page.tree.nodes.values()].filter((node) => node.match).map((node) => node.id)')
    want = [row['id'] for row in answer['rows'] if name in row['function']]
    check('matches', sorted(shown) == sorted(want), (shown, want))
    page.shot('flame-search')
    page.keys(Keys.ENTER)
    page.keys('n')
    check('n goes to a match', page.run(PAGE + 'return page.view.selected.id') in want)
    page.open('flame', search='<img src=x onerror=alert(1)>')
    page.wait("return document.querySelector('.said').innerText.includes('no match')")


def looks(page):
    for width, theme in (1280, 'dark'), (800, 'light'), (800, 'dark'):
        page.size(width, 800)
        page.theme(theme)
        page.open('flame')
        check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
        page.shot(f'flame-{width}-{theme}')
    page.size(1280, 800)
    page.theme('light')


with Browser() as page:
    with viewing(page, data):
        for test in numbers, zoom, search, looks:
            attempt(page, test)
    with viewing(page, real):
        attempt(page, zoom_deep)
finish()
