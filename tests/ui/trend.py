#!/usr/bin/python3 -B
"""A store: functions over days and builds, with what the last build changed beyond noise."""
import os
import sqlite3
import subprocess

from lib.ui import GAIT, OUT, check, gait_json, profile, run, same

PATH = OUT + '/ui/profiles/trend.db'
for name in PATH, PATH + '-wal', PATH + '-shm':
    if os.path.exists(name):
        os.remove(name)
store = f'sqlite:{PATH}?service=made&since=2020-01-01'
subprocess.run([GAIT, 'push', '-q', '-s', f'sqlite:{PATH}', '--service', 'made', profile('program')], check=True)
subprocess.run([GAIT, 'store', 'roll-up', '-q', '--after', '0s', '-s', f'sqlite:{PATH}'], check=True)
base = sqlite3.connect(PATH)
base.execute('DELETE FROM gait_functions')
# Made-up days of two builds, the second from the sixth day on: f grows from 50 to 56 %, g by less than its noise.
for day in range(10):
    build, f, g = ('aa', 500, 300) if day < 5 else ('bb', 560, 302)
    for name, amount in ('f', f), ('g', g), ('<b>rest</b>', 1000 - f - g):
        base.execute("INSERT INTO gait_functions VALUES ('made', ?, 'sampled cpu-clock', 24, ?, 'm', ?, ?, 8000000)", (build, (20000 + day) * 24, name, amount * 1000000))
base.commit()
base.close()
answer = gait_json('trend', store)


def bars(page):
    return page.run("return [...document.querySelectorAll('.time-plot rect')].map((rect) => [Number(rect.getAttribute('x')), Number(rect.getAttribute('height'))])")


def trend(page):
    page.open('trend', fresh=True)
    shown = page.rows()
    same('sorted by change', ['<b>rest</b>', 'f', 'g'], [row['function'] for row in shown])
    same('what is marked', ['less', 'more', ''], [row['verdict'] for row in shown])
    same('before', '50.0 %', shown[1]['before'])
    same('last build', '56.0 %', shown[1]['last build'])
    check('the heading', '1 of 3 functions take more' in page.text('#page .said'), page.text('#page .said'))
    check('names are text', any(row['function'] == '<b>rest</b>' for row in shown), shown)
    drawn = bars(page)
    first = sorted(height for x, height in drawn if x == 0)
    check('the first day', [round(height) for height in first if height > 0] == [20, 30, 50], first)
    check('ten days', len({x for x, _ in drawn}) == 10, drawn)
    lines = page.run("return [...document.querySelectorAll('.trend-build')].map((line) => Number(line.getAttribute('x1')))")
    same('where the second build begins', [500], lines)
    check('the command', page.text('.command code').startswith('gait trend '), page.text('.command code'))
    page.shot('trend')
    page.click('.tools a.choice', 'by build')
    page.ready()
    same('two builds', 2, len({x for x, _ in bars(page)}))
    check('they are named', any('bb, since 2024-10-09' in text for text in page.texts('.time-axis span')), page.texts('.time-axis span'))


def offered(page):
    page.open('', fresh=True)
    check('in the list', 'Days and builds' in page.texts('#nav a'))


run([store], trend, offered)
