"""pages.py GAIT WORK SHOTS: every page of gait view, in Chromium."""
import sys

import browser
from browser import Browser, Server, check, command

gait, work, shots = sys.argv[1:]
data = work + '/a.data'
ROWS = "return [...document.querySelectorAll('tbody tr:not(.gap)')].map((tr) => [...tr.cells].map((td) => td.innerText.trim()))"
TITLES = "return [...document.querySelectorAll('thead th')].map((th) => th.innerText.trim().replace(/ [▾▴]$/, ''))"


def overview(page, url):
    info = command(gait, 'info', '--json', data)
    report = command(gait, 'report', '--json', data)
    page.open(url, '')
    text = page.run("return document.getElementById('page').innerText")
    check('the command is shown', info['command'] in text)
    check('user time', page.run("return document.getElementById('user-time').innerText") in
          ('%.2f s' % info['rows'][0]['user_time'], '%.0f ms' % (1e3 * info['rows'][0]['user_time']),
           '%.1f ms' % (1e3 * info['rows'][0]['user_time'])))
    check('the hottest function', report['rows'][0]['name'] in text)
    for name, n in info['losses'].items():
        check('loss ' + name, f'× {name}' in text)
    for theme in 'dark', 'light':
        page.theme(theme)
        page.shot('overview-' + theme)


def functions(page, url):
    rows = command(gait, 'report', '--by', 'function', '--json', data)['rows']
    page.open(url, 'functions')
    titles = page.run(TITLES)
    shown = page.run(ROWS)
    check('titles', titles[:2] == ['function', 'module'], titles)
    timed = sorted((row for row in rows if row['time'] is not None), key=lambda row: -row['time'])
    check('the first function', shown[0][0] == timed[0]['name'], shown[0])
    user = command(gait, 'report', '--json', data)['user_time']
    share = 100 * timed[0]['time'] / user
    at = titles.index('share')
    check('its share', abs(float(shown[0][at].split()[0]) - share) < 0.06, shown[0])
    tip = page.run("return document.querySelector('tbody tr:not(.gap) td.with-bar').title")
    check('its interval', '95 %' in tip, tip)
    page.run("document.querySelector('thead th button').click()")
    names = [row[0] for row in page.run(ROWS)]
    check('sorted by name', names == sorted(names)[:len(names)], names[:5])
    check('noted in the address', 'sort=name' in page.run('return location.hash'))
    page.driver.find_element('css selector', 'body').send_keys('/')
    page.driver.switch_to.active_element.send_keys(timed[0]['name'])
    found = page.run(ROWS)
    check('filtered', found and all(timed[0]['name'].lower() in row[0].lower() for row in found), found[:3])
    check('the command', 'gait report --by function' in page.run("return document.querySelector('.command code').innerText"))
    page.theme('dark')
    page.size(800, 700)
    page.open(url, 'functions')
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    page.shot('functions-narrow')
    page.theme('light')
    page.size(1280, 800)


def others(page, url):
    for name in page.run("return [...document.querySelectorAll('#nav a')].map((a) => a.getAttribute('href').slice(1))"):
        page.open(url, name)
        check(name + ' shows no problem', not page.run("return document.querySelector('[role=alert]')?.innerText"),
              page.run("return document.querySelector('[role=alert]')?.innerText"))
        page.shot('page-' + name)


with Browser(shots) as page:
    with Server(gait, data) as server:
        overview(page, server.url)
        functions(page, server.url)
        others(page, server.url)
        asked = page.requests()
        check('requests go to the server', asked and all(url.startswith((server.url, 'data:', 'about:')) for url in asked),
              [url for url in asked if not url.startswith((server.url, 'data:', 'about:'))])
    check('nothing in the console', not (said := page.complaints()), said)
print(browser.failures, 'failures')
sys.exit(browser.failures > 0)
