#!/usr/bin/python3 -B
"""Every page of gait view can be loaded, in light and dark, wide and narrow; overview and tables show what commands print."""
import math
import os

from lib.ui import check, gait_json, profile, run

data = profile('program')


def overview(page):
    info = gait_json('info', data)
    report = gait_json('report', data)
    page.open()
    text = page.text()
    check('the command is shown', info['command'] in text)
    user = info['rows'][0]['user_time']
    check('user time', page.text('#user-time') in ('%.2f s' % user, '%.0f ms' % (1e3 * user), '%.1f ms' % (1e3 * user)), page.text('#user-time'))
    check('the hottest function', report['rows'][0]['name'] in text)
    said = report['verdict'] + report['advice']
    check('advice', said and all(one['text'] in text for one in said), said)
    for name, n in info['losses'].items():
        check('loss ' + name, f"{n:,} × {info['loss_texts'][name]}" in text)
    for theme in 'dark', 'light':
        page.theme(theme)
        page.shot('overview-' + theme)


def functions(page):
    rows = gait_json('report', '--by', 'function', data)['rows']
    page.open('functions')
    shown = page.rows()
    check('titles', list(shown[0])[:2] == ['function', 'module'], shown[0])
    timed = sorted((row for row in rows if row['time'] is not None), key=lambda row: -row['time'])
    check('the first function', shown[0]['function'] == timed[0]['name'], shown[0])
    check('its share', about(shown[0]['share'], timed[0]['share']), shown[0])
    check('whose shares they are', 'shares of CPU time, user and kernel' in page.text('.tools .said'), page.text('.tools .said'))
    tip = page.run("return document.querySelector('tbody tr:not(.gap) td.with-bar').title")
    check('its interval', '95 %' in tip, tip)
    page.click('thead th button')
    names = [row['function'] for row in page.rows()]
    check('sorted by name', names == sorted(names)[:len(names)], names[:5])
    check('noted in the address', 'sort=name' in page.run('return location.hash'))
    page.keys('/')
    page.keys(timed[0]['name'])
    found = page.rows()
    check('filtered', found and all(timed[0]['name'].lower() in row['function'].lower() for row in found), found[:3])
    check('the command', 'gait report --by function' in page.text('.command code'))


def about(text, value, lo=None, hi=None):
    """Whether a cell shows this figure, as precisely as it is written; of a count that is uncertain, as gait report does."""
    if value is None:
        return text == '–'
    if value and None not in (lo, hi):
        uncertain = max(hi - value, value - lo) / value
        if (text == '?') != (uncertain > 1) or text.startswith('~') != (0.25 <= uncertain <= 1):
            return False
        if text == '?':
            return True
        text = text.partition(' ±')[0]
    if value and text.startswith('~'):  # to one digit
        unit = 10.0 ** math.floor(math.log10(value))
        text, value = text[1:], math.floor(value / unit + 0.5) * unit
    if text == '<0.01 %':
        return 0 < value < 1e-4
    number, _, unit = text.partition(' ')
    scale = {'': 1, '%': 0.01, 's': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}[unit]
    last = 10.0 ** -len(number.partition('.')[2])  # of the last digit
    return abs(float(number) * scale - value) <= 0.51 * last * scale + 1e-12


def offset(address):
    return address.rsplit('+0x')[-1]


def short(beside, address):
    """As the page writes it: without a module that is the same."""
    return offset(address) if beside.rpartition('+')[0] == address.rpartition('+')[0] else address


def shows_field(text, row, field):
    ends = (row['lo'], row['hi']) if field == 'count' else (row[field + '_lo'], row[field + '_hi']) if field in ('instructions', 'iterations') else ()
    if field == 'function' and row.get('line') == 0 and 'file' in row and 'kind' not in row:  # all code of a module without lines
        return text == f"({row['address'].rpartition('+')[0]})"
    return text == row[field] if field == 'function' else about(text, row[field], *ends)


# Every row of a table, drawn or not: a screen at a time.
ALL_ROWS = """const view = document.querySelector('#page .scroll'), found = new Map();
const titles = [...view.querySelectorAll('thead th')].map((th) => th.innerText.trim().replace(/ [▾▴]$/, ''));
for (let top = 0; ; top += 400) {
  view.scrollTop = top;
  view.dispatchEvent(new Event('scroll'));
  for (const tr of view.querySelectorAll('tbody tr:not(.gap)'))
    found.set(Number(tr.getAttribute('aria-rowindex')), [...tr.cells].map((td, i) => [titles[i], td.innerText.trim()]));
  if (top >= view.scrollHeight) break;
}
return [...found].sort((a, b) => a[0] - b[0]).map((one) => one[1]);"""

REPORTS = (
    ('functions', 'function', ['function'], lambda row: (row['name'],), {'share': 'share', 'time': 'time', 'with callees': 'total_share', 'executions': 'count', 'instructions': 'instructions'}),
    ('lines', 'line', ['line'], lambda row: (f"{row['file'].rsplit('/')[-1]}:{row['line']}" if row['line'] else '(line not known)',),
     {'share': 'share', 'executions': 'count', 'time': 'time', 'instructions': 'instructions', 'function': 'function'}),
    ('edges', 'edge', ['from', 'to', 'kind'], lambda row: (offset(row['from']), short(row['from'], row['to']), row['kind']), {'share': 'share', 'executions': 'count', 'function': 'function'}),
    ('loops', 'loop', ['head'], lambda row: (offset(row['address']),), {'share': 'share', 'iterations': 'iterations', 'per entry': 'mean', 'time': 'time', 'depth': 'depth'}))


def rows_of_reports(page):
    """Functions, lines, edges and loops: every row, figure by figure, is one of the command's, and every one of those is there."""
    for name, by, titles, key, shows in REPORTS:
        answer = gait_json('report', '--by', by, data)
        # Functions of the kernel stand in the same table; of them times and shares are known.
        rows = answer['rows'] + [{**row, 'time': row['kernel_time'], 'count': None, 'lo': None, 'hi': None, 'instructions': None, 'instructions_lo': None, 'instructions_hi': None}
                                 for row in answer.get('kernel_rows', [])]
        if answer.get('kernel_unsampled') and by == 'function':  # a kernel that was not sampled is one row
            rows.append({'name': '[kernel]', 'time': answer['kernel_unsampled'], 'share': answer['kernel_unsampled_share'], 'total_share': None,
                         'count': None, 'lo': None, 'hi': None, 'instructions': None, 'instructions_lo': None, 'instructions_hi': None})
        left = {}
        for row in rows:
            left.setdefault(key(row), []).append(row)
        page.open(name)
        shown = [dict(row) for row in page.run(ALL_ROWS)]
        check(name + ': as many rows', len(shown) == len(rows) > 2, (len(shown), len(rows)))
        for row in shown:
            at = tuple(row[title] for title in titles)
            same = left.get(at, [])
            found = next((one for one in same if all(shows_field(row[title], one, field) for title, field in shows.items())), None)
            if check(f'{name}: {at}', found, (row, same[:2])):
                same.remove(found)
        check(name + ': each once', not any(left.values()), [one for one in left.values() if one][:2])
        heaviest = max(rows, key=lambda row: (row.get('time') or 0, row['count'] if by != 'loop' else row['iterations'] or 0))
        check(name + ': the heaviest is first', tuple(shown[0][title] for title in titles) == key(heaviest) or by == 'edge', (shown[0], key(heaviest)))


def line_leads_to_code(page):
    """The first line's link: its instruction is selected, in the function that has it."""
    first = gait_json('report', '--by', 'line', data)['rows'][0]
    page.open('lines')
    page.click('tbody tr:not(.gap) a')
    page.ready()
    check('its function', page.text('h1') == first['function'], (page.text('h1'), first))
    check('its line', f"{first['file'].rsplit('/')[-1]}:{first['line']}" in page.text('.detail'), page.text('.detail'))


def changes(page):
    """What changes would bring: the surest gain first."""
    rows = gait_json('whatif', '--windows', '64', '--limit', '100', data)['rows']
    page.open('whatif')
    check('the model', gait_json('whatif', data)['core'] in page.text())
    surest = max((row for row in rows if row['gain_lo'] is not None), key=lambda row: row['gain_lo'])
    shown = page.rows()
    check('the surest', shown and about(shown[0]['at least'], surest['gain_lo']), (shown[:1], surest))
    page.open('waste')
    check('how to record waste', 'address,value' in page.text())


def narrow(page):
    page.theme('dark')
    page.size(800, 700)
    page.open('functions')
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    page.shot('functions-narrow')
    page.theme('light')
    page.size(1280, 800)


def all_pages(page):
    """Each loaded anew, which takes five times as long: half of them in one round, the others in the next, but with GAIT_LONG=1."""
    page.open()
    for n, name in enumerate(page.pages()):
        page.open(name, fresh=n % 2 == os.getpid() % 2 or 'GAIT_LONG' in os.environ)
        page.shot('page-' + name)


run([data], overview, functions, rows_of_reports, line_leads_to_code, changes, narrow, all_pages)
