#!/usr/bin/python3 -B
# Runs with others
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
    same('notes', [], [note for note in data['notes'] if 'windows' not in note and ' functions, ' not in note])  # it has the most unusual ones
    code = len(text.encode()) - sum(map(len, data['answers'].values()))
    check('the front end takes 300 KB at most', code <= 300_000, code)
    same('mode of the file', 0o600, os.stat(path).st_mode & 0o777)
    check('no address in it leads elsewhere', not re.search(r'(src|href)=["\'](?!data:|#)', text))


def every_page(page, path):
    page.open()
    notes = [note for note in page.texts('p.problem') if 'windows' not in note and ' functions, ' not in note]
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
    page.open()


with Browser() as page:
    for name in 'program', 'exact':
        page.problems = name != 'exact'
        with reading(page, profile(name)) as path:
            for test in (contents, every_page) + ((functions, nothing_else_runs) if name == 'program' else ()):
                attempt(page, test, path)
    with reading(page, profile('program'), profile('other')) as path:
        attempt(page, every_page, path)
finish()
