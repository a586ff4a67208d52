#!/usr/bin/python3 -B
"""Windows: the list and one window show what `gait windows` prints; zoom, selection, keyboard and address work."""
from lib.ui import Keys, check, gait_json, profile, program, run, same

data = profile('strolls', '-F 2000 --seed 1', [program('strolls')])
PAGE = "const page = document.querySelector('.page-window').page; "


def settled(page):
    """Until motion ends, and the part in sight was told."""
    page.wait(PAGE + "const {from, to} = page.view.range; return !page.view.moves && page.said.textContent.replaceAll(',', '')"
              ".startsWith(`instructions ${from} to ${to} `.trimEnd())")


def mouse(page, kind, x, y, **more):
    page.cdp('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)


def middle(page, scope):
    """Of what can be seen of a call or loop."""
    return page.run(PAGE + "const box = page.view.box(page.shown.byId.get(arguments[0])), at = page.view.element.querySelector('canvas').getBoundingClientRect();"
                    "const left = Math.max(box.left, 0), right = Math.min(box.left + box.width, at.width);"
                    "return [at.left + (left + right) / 2, at.top + box.top + box.height / 2, box.left, box.width, at.width]", scope)


def range_of(page):
    return page.run(PAGE + 'return [page.view.range.from, page.view.range.to]')


def listed(page):
    rows = gait_json('windows', data)['rows']
    page.open('windows')
    shown = page.rows()
    same('the order', [str(row['window']) for row in rows[:len(shown)]], [row['window'] for row in shown])
    first = rows[0]
    check('what is unusual', first['unusual'][0]['text'] in shown[0]['what is unusual'], shown[0])
    same('calls', str(first['calls']), shown[0]['calls'])
    same('began in', first['function'], shown[0]['began in'])
    check('as many points', page.run("return document.querySelectorAll('.window-points line.point').length") == len(rows))
    page.shot('windows-list')
    page.run("document.querySelector('.scroll').focus()")
    page.keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.ready()
    check('Enter opens the second', f"n={rows[1]['window']}" in page.run('return location.hash'))
    page.open('windows', function='leaf')
    lengths = gait_json('windows', '--function', 'leaf', data)
    check('lengths', f"{lengths['calls']:,} calls in all windows" in page.text('.lengths-view'), page.text('.lengths-view'))
    same('bars', len(lengths['rows']), page.run("return document.querySelectorAll('.lengths .calls').length"))
    check('the command', '--function leaf' in page.text('.command code'))
    page.open('function', name='leaf')
    page.click('.summary a', 'lengths of its calls')
    page.wait("return document.querySelector('.lengths-view')?.innerText.includes('leaf')")
    page.ready()


def shown(page):
    window = gait_json('windows', '--show', '2', data)
    page.open('window', n=2)
    settled(page)
    n = window['instructions']
    same('all is in sight', [0, n], range_of(page))
    wide = middle(page, 0)[4]
    boxes = page.run(PAGE + 'return page.shown.scopes.map((scope) => { const box = page.view.box(scope); return [scope.id, box.left, box.width]; })')
    same('as many calls and loops', len(window['rows']), len(boxes))
    rows = {row['id']: row for row in window['rows']}
    check('where they lie', all(abs(left - rows[i]['from'] * wide / n) < 0.01 and abs(width - (rows[i]['to'] - rows[i]['from']) * wide / n) < 0.01 for i, left, width in boxes))
    steps = [first + k for first, many in window['course']['steps'] for k in range(many)]
    check('instructions in order', page.run(PAGE + 'return [...page.shown.steps]') == steps)
    same('modelled cycles', sum(window['course']['cycles']), page.run(PAGE + 'return page.shown.cycles[page.shown.n]'))
    page.wait("return document.querySelectorAll('.outline tbody tr').length")
    same('the outline', [f"{line['instructions']:,}" for line in window['outline'][:400]], page.texts('.outline tbody td:first-child'))
    loop = next(line for line in window['outline'] if line.get('iterations', 0) > 5)
    at = window['outline'].index(loop)
    check('iterations are counted', f"×{loop['iterations']:,}" in page.texts('.outline tbody tr')[at], page.texts('.outline tbody tr')[at])
    page.shot('window')
    page.theme('dark')
    page.shot('window-dark')
    page.theme('light')


def touched(page):
    window = gait_json('windows', '--show', '2', data)
    page.open('window', n=2)
    settled(page)
    n = window['instructions']
    call = max((row for row in window['rows'] if row['kind'] == 'call' and row['to'] - row['from'] < n / 2), key=lambda row: row['to'] - row['from'])
    name = window['functions'][call['function']]['name']
    x, y, *_ = middle(page, call['id'])
    mouse(page, 'mouseMoved', x, y)
    page.wait_text('.tip', f"{call['to'] - call['from']:,}")
    for kind in 'mousePressed', 'mouseReleased':
        mouse(page, kind, x, y, button='left', clickCount=1)
    page.wait_text('.window-detail', name)
    check('cycles of the selected call', f"{call['cycles']:,} modelled cycles" in page.text('.window-detail'), page.text('.window-detail'))
    check('selected, in the address', f"at={call['id']}" in page.run('return location.hash'))
    lengths = gait_json('windows', '--function', window['functions'][call['function']]['address'], data)
    page.wait_text('.window-side', f"{lengths['calls']:,} calls in all windows")
    page.run(PAGE + 'page.view.scroll.focus()')
    page.keys(Keys.ENTER)
    settled(page)
    x, y, left, width, wide = middle(page, call['id'])
    check('Enter zooms in', left >= -1 and width > 0.8 * wide and width <= wide + 1, (left, width, wide))
    begin, end = range_of(page)
    check('the part is in the address', f'from={begin}&to={end}' in page.run('return location.hash'), page.run('return location.hash'))
    check('and in the command', f'gait windows --show 2 --from {begin} --to {end}' in page.text('.command code'), page.text('.command code'))
    for _ in range(40):  # to single instructions
        if end - begin <= 16:
            break
        mouse(page, 'mouseWheel', x, y, deltaX=0, deltaY=-300)
        settled(page)
        before, (begin, end) = end - begin, range_of(page)
        check('the wheel zooms in', end - begin < before, (before, begin, end))
    part = gait_json('windows', '--show', '2', '--from', str(begin), '--to', str(end), data)
    code = [part['code'][first + k] for first, many in part['course']['steps'] for k in range(many)]
    page.wait("return document.querySelectorAll('.steps:not(.outline) tbody tr').length === arguments[0]", end - begin)
    same('single instructions', [[one['address'], one['assembly']] for one in code],
         page.run("return [...document.querySelectorAll('.steps tbody tr')].map((tr) => [tr.cells[2].innerText.trim(), tr.cells[3].innerText.trim()])"))
    page.shot('window-instructions')
    fragment = page.run('return location.hash.slice(1)')
    page.open(fragment, fresh=True)
    settled(page)
    same('the address shows the same part', [begin, end], range_of(page))
    page.run(PAGE + 'page.view.scroll.focus()')
    page.keys(Keys.ESCAPE)
    settled(page)
    same('Escape shows all', [0, n], range_of(page))
    for keys, smaller in (('w', True), ('s', False), ('+', True), ('-', False)):
        before = range_of(page)
        page.keys(keys)
        settled(page)
        begin, end = range_of(page)
        check(f'{keys} zooms', (end - begin < before[1] - before[0]) == smaller, (before, begin, end))
    page.keys('w', 'w')
    settled(page)
    before = range_of(page)
    page.keys('d')
    settled(page)
    check('d moves along', range_of(page)[0] > before[0] and abs((range_of(page)[1] - range_of(page)[0]) - (before[1] - before[0])) <= 1, (before, range_of(page)))
    page.keys(Keys.ARROW_UP)
    above = page.run(PAGE + 'return page.view.selected?.id')
    same('up selects what is around', call['parent'], above)
    page.keys(']')
    page.wait("return location.hash.includes('n=3')")
    page.ready()
    check('] shows the next', 'Window 3' in page.text('h1'))
    page.wait("return Boolean(document.querySelector('.page-window')?.page)")
    settled(page)
    page.run(PAGE + 'page.view.scroll.focus(); page.view.timings.length = 0')
    for _ in range(4):
        page.keys('w', 's')
        settled(page)
    timings = sorted(page.run(PAGE + 'return page.view.timings'))
    # The fastest quarter: others may need the processor too.
    check('frames are drawn in time', len(timings) >= 8 and timings[len(timings) // 4] < 50, timings)


def fits(page):
    for theme, width, height in (('light', 800, 700), ('dark', 800, 700)):
        page.theme(theme)
        page.size(width, height)
        for name, params in ('windows', {}), ('window', {'n': 1}):
            page.open(name, **params)
            check(f'{name} is no wider than {width}', page.run('return document.documentElement.scrollWidth <= innerWidth'))
            page.shot(f'{name}-{width}-{theme}')
    page.size(1280, 800)
    page.theme('light')


def refused(page):
    page.problems = False
    page.expected.append('422')
    page.expected.append('400')
    page.open('window', n=99999)
    check('no such window', 'expected the number of a window' in page.text('#page [role=alert]'), page.text('#page'))
    page.problems = True
    page.open('window', n='<img src=x>', **{'from': 'x', 'to': '-1', 'at': '1e9'})
    check('nonsense shows the first', 'Window 1' in page.text('h1'))


run([data], listed, shown, touched, fits, refused)
