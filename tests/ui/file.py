#!/usr/bin/python3 -B
"""gait export --format html: one file, which opens with the network off and answers all that its pages ask."""
import base64
import json
import os
import re
import zlib

from lib.ui import Browser, attempt, check, finish, gait_json, profile, reading, same


def contents(page, path):
    """Every answer in it is what the command prints; nothing of the profile stands outside of them."""
    text = open(path, encoding='utf-8').read()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
    answers = {key: json.loads(zlib.decompress(base64.b64decode(packed))) for key, packed in data['answers'].items()}
    source = answers['about']['profiles'][-1]
    same('the functions', gait_json('report', '--by', 'function', source), answers['report?by=function'])
    same('the head', gait_json('info', source), answers['info'])
    same('notes', [], [note for note in data['notes'] if not re.search(' (windows|functions|graphs), ', note)])  # it has the first ones
    code = len(text.encode()) - sum(map(len, data['answers'].values()))
    check('the front end takes 300 KB at most', code <= 300_000, code)
    same('mode of the file', 0o600, os.stat(path).st_mode & 0o777)
    check('no address in it leads elsewhere', not re.search(r'(src|href)=["\'](?!data:|#)', text))


def every_page(page, path):
    page.open()
    notes = page.texts('p.problem')
    check('notes', not notes, notes)
    for name in page.pages():
        page.open(name)
        # An exact profile has no stacks, and its flame graph says so; but no page lacks an answer.
        check(name + ' is in the file', 'This file does not hold' not in page.text())
        page.shot('file-' + name)


def functions(page, path):
    """The pages of all functions that can be reached from the table, if there are such pages."""
    page.open('functions')
    links = page.run("return [...document.querySelectorAll('tbody td a')].map((a) => a.getAttribute('href').slice(1))")
    for link in links[:4]:
        page.open(link)


def nothing_else_runs(page, path):
    page.open()
    page.expected.append('Content Security Policy')
    for how in ("const s = document.createElement('script'); s.textContent = 'document.title = \"owned\"'; document.body.append(s)",
                "document.body.setAttribute('onclick', 'document.title = \"owned\"'); document.body.click()",
                "fetch('http://127.0.0.1:9/').catch(() => {})",
                "document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'}))"):
        page.run(how)
    check('no other script', page.run('return document.title') != 'owned')
    page.requests()  # what was refused is no request of the page's own
    page.open(fresh=True)


def chosen(page, path):
    """More or fewer pages, as asked for; what is left out is said with what to type for it."""
    text = open(path, encoding='utf-8').read()
    keys = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])['answers']
    for route, n in ('annotate', 3), ('graph', 2), ('windows?show', 1):
        same(f'answers to {route}', n, sum(key.startswith(route) for key in keys))
    page.open()
    notes = page.text()
    for what, n in ('functions', 3), ('graphs', 2), ('windows', 1):
        check(f'{what} that are left out', re.search(f'This file has {n} of \\d+ {what}, .*--{what} N', notes), notes[:600])
    page.open('functions')
    check('the table says how many have pages', '3 have a page in this file: gait export --format html --functions N' in page.text('.tools .said'), page.text('.tools .said'))
    same('links', 3, page.run("return new Set([...document.querySelectorAll('tbody td a')].map((a) => a.hash)).size"))
    page.open('windows')
    check('so does that of windows', '1 have a page in this file: gait export --format html --windows N' in page.text('.tools .said'), page.text('.tools .said'))
    page.click('#nav a', 'Flame graph')
    page.ready()
    off = page.run("return [...document.querySelectorAll('.flame-tools button.choice:disabled')].map((b) => b.innerText)")
    check('what is not in the file cannot be chosen', off == [], off)
    page.click('.flame-tools .choice', 'kernel')
    page.wait("return document.querySelector('.page-flame').page.params.base === 'kernel'")
    off = page.run("return [...document.querySelectorAll('.flame-tools button.choice:disabled')].map((b) => b.innerText)")
    check('nor beside it', off == ['bottom-up', 'by thread'], off)


def small(page, path):
    """A file of 1 MB has what there is room for."""
    check('the file is small', os.stat(path).st_size <= 1_000_000, os.stat(path).st_size)
    page.open()
    check('it says what it has not', '--size MB' in page.text(), page.text()[:900])


with Browser() as page:
    with reading(page, '--functions', '3', '--graphs', '2', '--windows', '1', profile('program')) as path:
        attempt(page, chosen, path)
    with reading(page, '--size', '1', profile('real')) as path:
        attempt(page, small, path)
    # hostile.py reads the file of one sampled profile.
    page.problems = False
    few = '--functions', '10', '--graphs', '6', '--windows', '4'  # each takes long to compute
    if os.environ.get('GAIT_LONG'):  # as many pages again
        with reading(page, *few, profile('exact')) as path:
            attempt(page, contents, path)
            attempt(page, every_page, path)
    page.problems = True
    with reading(page, *few, profile('other'), profile('program')) as path:
        for test in contents, every_page, functions, nothing_else_runs:
            attempt(page, test, path)
finish()
