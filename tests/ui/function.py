#!/usr/bin/python3 -B
"""The page of a function: figures of gait annotate, paths, values, latencies, pipeline and graph; folds, keys, and what lights up."""
from lib.ui import Browser, Keys, attempt, check, finish, gait_json, profile, same, viewing

MEASURED = "return document.querySelector('.page-function')?.dataset.measured"
SELECTED = "return document.querySelector('.code.at')?.innerText.replace(/\\n/g, ' ')"
FIND = 'shop::Customers::find'


def percent(share):
    """As format.js writes it."""
    x = 100 * share
    return ('<0.01' if 0 < x < 0.01 else '%.0f' % x if x >= 100 else '%.1f' % x if x >= 10 else '%.2f' % x) + ' %'


def opened(page, **params):
    page.open('function', **params)
    page.wait(MEASURED)


def figures(page):
    """What stands at the hottest instruction and its line is what the commands print."""
    answer = gait_json('annotate', FIND, '--source', '-i', data)
    rows = answer['rows']
    hottest = max(rows, key=lambda row: (row['share'] or 0, row['count'] or 0))
    opened(page, name=FIND)
    page.shot('function')
    about = answer['functions'][0]
    same('the name', about['name'], page.text('h1'))
    check('the summary', percent(about['share']) in page.text('.summary') and about['address'] in page.text('.summary'), page.text('.summary'))
    row = page.run(SELECTED)
    check('the hottest is selected', hottest['assembly'] in row and percent(hottest['share']) in row, row)
    drawn = page.run("return document.querySelectorAll('.virtual .code:not(.titles)').length")
    check('all instructions of a small function', drawn >= len(rows), drawn)
    line = next(line for file in answer['sources'] for line in file['lines'] if line['line'] == hottest['line'] and file['own'])
    shown = page.text('.line.at')
    check('its line', str(line['line']) in shown and line['text'].strip()[:8] in shown and percent(line['total']) in shown, shown)
    for row in rows:
        if row.get('taken') is not None:
            title = page.run('return [...document.querySelectorAll(".code")].find((e) => e.querySelector(".address")?.title === arguments[0])'
                             '?.querySelector(".probability")?.title', row['address'])
            check('a probability', title and percent(row['taken']) in title, (title, row['taken']))
    check('arrows', page.run("return document.querySelectorAll('.arrows path.jump').length") >= 2)


def measures(page):
    """Latency, pipeline and loop of the load that the list is walked by."""
    address = gait_json('annotate', FIND, '-i', data)['functions'][0]['address']
    loads = gait_json('latencies', '--function', address, data)['rows']
    modelled = gait_json('pipeline', '--function', address, data)
    load = max(loads, key=lambda row: row['cost'])
    opened(page, name=address, at=load['address'])
    text = page.text('.detail').lower()
    row = next(row for row in modelled['rows'] if row['address'] == load['address'])
    check('the model is named', f"pipeline, modelled ({modelled['core']})" in text, text)
    top = max(row['stack'], key=lambda one: one['share'])
    check('the reason', percent(top['share']) in text, (top, text))
    check('its latency', 'load latency' in text and f"{load['timed']:,} loads timed" in text, text)
    same('bins', sum(load['bins'][name]['share'] > 0 for name in load['bins'] if load['bins'][name]['share']),
         page.run("return document.querySelectorAll('.code.at .bins i').length"))
    check('stages', page.run("return document.querySelectorAll('.code .stages').length") > 3)
    loop = gait_json('report', '--by', 'loop', '--function', address, data)['rows'][0]
    opened(page, name=address, at=loop['address'])
    check('the loop', 'loop begins here' in page.text('.detail').lower() and 'iterations per entry' in page.text('.detail'), page.text('.detail'))
    bars = len(loop['trips']) + (loop['longer']['count'] > 0)
    same('bars of its histogram', bars, page.run("return document.querySelectorAll('.detail .trips rect').length"))


def values(page):
    """The most frequent value stands at its instruction."""
    places = [row for row in gait_json('values', data)['rows'] if row['kind'] in ('load', 'divisor', 'target') and row['values']
              and row['address'].startswith('orders+')]
    place = max(places, key=lambda row: row['total'])
    opened(page, name=place['address'])
    chips = page.texts('.code.at .chip')
    check('a chip', any(place['values'][0]['text'] in chip for chip in chips), (chips, place['values'][0]))
    check('all of them', place['values'][0]['text'] in page.text('.detail'))


def graph(page):
    answer = gait_json('graph', FIND, '-i', data)
    opened(page, name=FIND)
    page.click('.function-tools button', 'Graph')
    page.wait("return document.querySelector('.graph svg .block')")
    same('blocks', len(answer['rows']), page.run("return document.querySelectorAll('.graph .block').length"))
    same('edges', len(answer['edges']), page.run("return document.querySelectorAll('.graph .edge').length"))
    likely = [percent(e['probability']) for e in answer['edges'] if e['probability'] is not None and e['probability'] < 1 and e['count'] > 0]
    same('probabilities', sorted(likely), sorted(page.texts('.graph .edge text')))
    hottest = max(answer['rows'], key=lambda b: b['share'])
    same('the selected block', str(hottest['id']), page.run("return document.querySelector('.graph .block.at').dataset.id"))
    page.shot('function-graph')
    entry = next(b for b in answer['rows'] if b['entry'])
    page.run("document.querySelector('.graph .block.entry').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.wait('return decodeURIComponent(location.hash).includes(`at=${arguments[0]}`)', entry['address'])
    check('panes are in the address', 'panes=sag' in page.run('return location.hash'))
    page.theme('dark')
    page.shot('function-graph-dark')
    page.theme('light')


def graph_by_keys(page):
    """Down and up follow the likeliest edge, left and right choose among the others, Enter opens the code."""
    answer = gait_json('graph', FIND, '-i', data)
    blocks = {b['id']: b for b in answer['rows']}

    def ways(block, step):
        here, there = ('from', 'to') if step > 0 else ('to', 'from')
        found = [e for e in answer['edges'] if e[here] == block and e[there] != block]
        return sorted(found, key=lambda e: (-(e['count'] or 0), -(e['probability'] or 0), e[there])), there

    def at():
        return int(page.run("return document.querySelector('.graph .block.at').dataset.id"))

    page.open('function', name=FIND, panes='g')
    page.wait("return document.querySelector('.graph svg .block')")
    page.run("document.querySelector('.graph').focus()")
    page.keys(Keys.HOME)
    place = at()
    check('Home is the entry', blocks[place]['entry'], place)
    chosen = steps = 0
    while steps < 12:
        found, there = ways(place, 1)
        if not found:
            break
        page.keys(Keys.ARROW_DOWN)
        same('down', found[0][there], at())
        check('what was followed is said', found[0]['kind'] in page.text('.graph-tools .way'), page.text('.graph-tools .way'))
        if len(found) > 1:
            chosen += 1
            page.keys(Keys.ARROW_RIGHT)
            same('right is the other way', found[1][there], at())
            page.keys(Keys.ARROW_RIGHT)
            same('there is no third', found[min(2, len(found) - 1)][there], at())
            page.keys(*[Keys.ARROW_LEFT] * (len(found) - 1))
            same('left goes back', found[0][there], at())
        place, steps = at(), steps + 1
    check('ways were chosen', chosen, steps)
    found, there = ways(place, -1)
    page.keys(Keys.ARROW_UP)
    same('up', found[0][there], at())
    page.shot('function-graph-keys')
    place = at()
    page.keys(Keys.ENTER)
    check('Enter opens the assembly', page.run("return document.activeElement.matches('.virtual[aria-label^=assembly]')"))
    rows = gait_json('annotate', FIND, '-i', data)['rows']
    addresses = [row['address'] for row in rows]
    inside = rows[addresses.index(blocks[place]['address']):addresses.index(blocks[place]['last']) + 1]
    check('at the block', any(row['assembly'] in page.run(SELECTED) for row in inside), (page.run(SELECTED), [row['assembly'] for row in inside]))


def modelled_once(page):
    """A model's answer is of all functions, where that is not cut: pages of other functions ask for nothing more."""
    rows = gait_json('pipeline', '--limit', '2000', data)['rows']
    check('the table is whole', 0 < len(rows) < 2000, len(rows))
    page.open('functions', fresh=True)
    page.requests()
    for row in [row for row in gait_json('report', data)['rows'] if row['time']][:3]:
        opened(page, name=row['address'])
    asked = [url for url in page.requests() if 'api/pipeline' in url]
    same('asked for the model', 1, len(asked))


def keyboard(page):
    opened(page, name=FIND)
    page.run("document.querySelectorAll('.virtual')[1].focus()")
    page.keys(Keys.HOME)
    first = page.run(SELECTED)
    rows = gait_json('annotate', FIND, '-i', data)['rows']
    check('Home', rows[0]['assembly'] in first, first)
    page.keys(Keys.ENTER)
    if rows[0].get('target'):
        target = next(row for row in rows if row['address'] == rows[0]['target'])
        check('Enter follows the jump', target['assembly'] in page.run(SELECTED), page.run(SELECTED))
    ranked = sorted((row for row in rows if row['count'] or row['share']), key=lambda row: (-row['share'], -row['count'], row['address']))
    page.keys('p' * len(rows))
    check('p goes to the hottest', ranked[0]['assembly'] in page.run(SELECTED), page.run(SELECTED))
    page.keys('n')
    check('n goes to the next', ranked[1]['assembly'] in page.run(SELECTED), page.run(SELECTED))
    page.keys('/')
    page.keys('cmp ', Keys.ENTER)
    check('found', 'cmp ' in page.run(SELECTED), page.run(SELECTED))


def through_folds(page):
    """Arrow keys go past the heads of folds, both ways; Enter opens and closes them."""
    opened(page, name='shop::serve')
    got = page.run("""const view = document.querySelectorAll('.virtual')[1], seen = [];
        const key = (name) => view.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
        const at = () => view.querySelector('[aria-selected]');
        key('Home');
        const first = at().innerText;
        const heads = () => seen.filter(Boolean).length;
        while (seen.length < 100 && (heads() < 2 || seen.at(-1))) { key('ArrowDown'); seen.push(at().classList.contains('fold')); }
        const last = at().innerText;
        for (let i = 0; i < seen.length; i++) key('ArrowUp');
        const back = at().innerText;
        for (let i = 0; i < 100 && !at().querySelector('[aria-expanded]'); i++) key('ArrowDown');
        const open = () => at().querySelector('[aria-expanded]')?.getAttribute('aria-expanded');
        const before = open();
        key('Enter');
        return {first, last, back, heads: heads(), keys: seen.length, before, after: open()};""")
    check('it moved, past folds', got['heads'] and got['last'] != got['first'] and got['heads'] > 0, got)
    same('back at the first', got['first'], got['back'])
    check('Enter folds', {got['before'], got['after']} == {'true', 'false'}, got)


def narrow(page):
    page.size(800, 700)
    page.theme('dark')
    opened(page, name='shop::serve')
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    boxes = page.run("return [...document.querySelectorAll('.panes > *, .detail, .function-tools')].map((e) => e.getBoundingClientRect()).map((r) => [r.top, r.bottom])")
    check('all is in sight', all(bottom <= 701 for _, bottom in boxes), boxes)
    check('inlined functions are named', page.run("return document.querySelectorAll('.fold .name').length") > 0)
    page.shot('function-narrow')
    before = page.run("return document.querySelectorAll('.fold [aria-expanded=true]').length")
    if before:
        page.run("document.querySelector('.fold [aria-expanded=true]').click()")
        same('a fold closes', before - 1, page.run("return document.querySelectorAll('.fold [aria-expanded=true]').length"))
    page.theme('light')
    page.size(1280, 800)


def still(page):
    """Nothing moves while figures come in."""
    page.load('function?name=' + FIND)
    page.ready()
    page.run("window.moved = 0; window.what = []; new PerformanceObserver((list) => list.getEntries().forEach((e) => { window.moved += e.value; window.what.push(...e.sources.map((s) => `${s.node?.className ?? s.node?.nodeName} ${JSON.stringify(s.previousRect)} ${JSON.stringify(s.currentRect)}`)); })).observe({type: 'layout-shift', buffered: true})")
    page.wait(MEASURED)
    check('no layout shift', page.run('return window.moved') < 0.02, page.run('return [window.moved, window.what]'))


def lit_path(page):
    """A path lights up in assembly, source and graph."""
    paths = [row for row in gait_json('paths', counted)['rows'] if row['address'].startswith('orders+') and len(row['blocks']) > 1]
    path = paths[0]
    opened(page, name=path['address'], panes='sag')
    page.wait("return document.querySelector('.graph svg .block')")
    page.run("const s = document.querySelector('select.paths'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", str(path['id']))
    rows = gait_json('annotate', path['address'], '-i', counted)['rows']
    at = {row['address']: i for i, row in enumerate(rows)}
    want = {i for first, last in zip(path['blocks'], path['lasts']) for i in range(at[first], at[last] + 1)}
    got = page.run("return [...document.querySelectorAll('.code.on-path .address')].map((e) => e.title)")
    check('its instructions', got and {at[one] for one in got} <= want and (len(got) == len(want) or len(want) > 20), (len(got), len(want)))
    check('its lines', page.run("return document.querySelectorAll('.line.on-path').length") > 0)
    check('its blocks', page.run("return document.querySelectorAll('.block.on-path').length") >= len(set(path['blocks'])))
    if len(set(path['blocks'])) > 1:
        check('its edges', page.run("return document.querySelectorAll('.edge.on-path').length") >= 1)
    page.shot('function-path')
    page.click('#nav a', 'Paths')
    page.ready()
    link = page.run("return [...document.querySelectorAll('tbody a')].find((a) => a.href.includes('path='))?.getAttribute('href').slice(1)")
    check('the table leads to paths', link and link.startswith('function?'), link)


def bad_addresses(page):
    """Whatever stands in the address, the page says what is wrong."""
    page.problems = False
    page.expected += ['422', '400']
    for params, said in (({'name': 'no_such_function'}, 'no_such_function'), ({'name': 'orders+0xffffff'}, 'orders+0xffffff'), ({}, 'Choose a function')):
        page.open('function', **params)
        check(f'{params}', said in page.text(), page.text())
    page.open('function', name=FIND, at='<b>x</b>', panes='qqq', path='none')
    check('what makes no sense is left alone', page.run(SELECTED))


data, counted = profile('values'), profile('paths')
with Browser() as page:
    with viewing(page, data):
        for test in figures, measures, values, graph, graph_by_keys, modelled_once, keyboard, through_folds, narrow, still:
            attempt(page, test)
    with viewing(page, counted):
        attempt(page, lit_path)
    with viewing(page, data):
        attempt(page, bad_addresses)
finish()
