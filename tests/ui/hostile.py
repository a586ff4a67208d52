#!/usr/bin/python3 -B
"""Names of functions, files, threads and arguments that look like markup or script do nothing, on a server and in a file."""
import os
import shutil
import subprocess
import tempfile

from lib.ui import GAIT, Browser, attempt, check, finish, gait_json, reading, skip, viewing

NAMES = ['</script><script>owned=1</script>', '<img src=x onerror=owned=1>', '<!--', '"><svg/onload=owned=1>', "';owned=1;//", 'javascript:owned=1',
         '__proto__', 'constructor', 'a\u2028owned=1\u2029\u202eb', '${owned=1}{{owned=1}}']
if not shutil.which('objcopy'):
    skip('objcopy is not installed (apt-get install binutils)')
work = tempfile.mkdtemp(prefix='gait-hostile-')
program, data = f'{work}/<script>owned=1<!--', work + '/a.data'
subprocess.run(['gcc', '-O2', '-g', '-o', work + '/plain', 'tests/ui/lib/hostile.c'], check=True)
subprocess.run(['objcopy', *[f'--redefine-sym=name{i}={name}' for i, name in enumerate(NAMES)], work + '/plain', program], check=True)
subprocess.run([GAIT, 'record', '-q', '-F', '2000', '--seed', '1', '-o', data, '--', program, '150000', '</title><script>owned=1</script>'], check=True)


def harmless(page, what):
    check(what + ': nothing ran', page.run('return window.owned === undefined && !document.title.includes("owned")'))
    # The page itself makes no such elements.
    made = page.run("return document.querySelectorAll('#page :is(img, iframe, script, [src], [onload], [onerror], [onclick])').length")
    check(what + ': nothing was made of names', made == 0, made)


def every_page(page):
    page.open()
    for name in page.pages():
        page.open(name)
        harmless(page, name)


def functions(page):
    """All names are shown as they are, and what is behind them opens."""
    rows = gait_json('report', '--by', 'function', data)['rows']
    known = {row['name'] for row in rows}
    check('the profile has them', known >= set(NAMES), set(NAMES) - known)
    page.open('functions')
    shown = {row['function'] for row in page.rows()}
    # U+2028 is a line break to innerText, as it is on the screen.
    check('names as they are', {' '.join(name.split()) for name in NAMES} <= {' '.join(name.split()) for name in shown}, shown)
    links = page.run("return [...document.querySelectorAll('tbody td a')].map((a) => a.getAttribute('href').slice(1))")
    for link in links[:len(NAMES) // 2]:
        page.open(link)
        harmless(page, link)
    for name in NAMES[::3]:
        page.open('functions', filter=name)
        harmless(page, 'filter ' + name)


def addresses(page):
    """The same in addresses: pages and parameters that do not exist."""
    page.problems = False
    for fragment in (*NAMES, 'functions?sort=<img src=x onerror=owned=1>', 'function?name=<script>owned=1</script>', '__proto__', 'functions?__proto__=1',
                     'flame?zoom=constructor', 'window?n=<b>'):
        page.open(fragment, fresh='?' in fragment)
        harmless(page, fragment)
    page.open('functions', event='<b>')  # reaches the command, and no other event is shown instead
    check('an event that is not there', '--event: no samples of <b>' in page.text('#page [role=alert]'), page.text('#page'))
    check('it is in the command', "--event '<b>'" in page.text('.command code'), page.text('.command code'))
    page.problems = True


with Browser() as page:
    page.expected.append('status of 4')  # what does not exist is refused
    with viewing(page, data):
        for test in every_page, functions, addresses:
            attempt(page, test)
    with reading(page, data) as path:
        text = open(path, encoding='utf-8').read()
        check('no name stands in the file itself', 'owned=1' not in text)
        attempt(page, every_page)
shutil.rmtree(work)
finish()
