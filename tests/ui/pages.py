#!/usr/bin/python3 -B
# Runs with others
"""Every page of gait view can be loaded, in light and dark, wide and narrow; overview and tables show what commands print."""
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
    report = gait_json('report', data)
    share = 100 * timed[0]['time'] / (report['user_time'] + report['kernel_time'] * ('kernel_rows' in report))
    check('its share', abs(float(shown[0]['share'].split()[0]) - share) < 0.06, shown[0])
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


def narrow(page):
    page.theme('dark')
    page.size(800, 700)
    page.open('functions')
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    page.shot('functions-narrow')
    page.theme('light')
    page.size(1280, 800)


def all_pages(page):
    page.open()
    for name in page.pages():
        page.open(name)
        page.shot('page-' + name)


run([data], overview, functions, narrow, all_pages)
