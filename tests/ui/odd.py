#!/usr/bin/python3 -B
# Runs with others
"""Profiles that are damaged, of another machine, or whose files are gone: the pages say so, and what to do."""
import os
import shutil
import subprocess
import tempfile

from lib.ui import GAIT, Browser, attempt, check, finish, program, viewing

work = tempfile.mkdtemp(prefix='gait-odd-')
moved = work + '/moved'
shutil.copy(program('orders'), moved)


def record(name, *options):
    path = f'{work}/{name}.data'
    subprocess.run([GAIT, 'record', '-q', '-F', '2000', '--seed', '1', *options, '-o', path, '--', moved, '1000'], check=True, stdout=subprocess.DEVNULL)
    return path


def gone(page):
    """Names and code of what ran are in the profile: without the program, pages are the same."""
    page.open()
    check('names are kept', 'shop::Customers::find' in page.text() and 'Code without names' not in page.text())
    for name in page.pages():
        page.open(name)


def nameless(page):
    """Nothing was kept: the first page says which file is missing and how to say where it is."""
    page.open()
    text = page.text()
    check('what is missing', 'Code without names' in text and moved in text and '--symfs' in text, text[-600:])
    page.problems = False
    for name in page.pages():
        page.open(name)
    page.problems = True
    page.shot('odd-nameless')


def damaged(page):
    page.open()
    check('damage is said', 'cut short' in page.text('p.problem') or 'damaged' in page.text('p.problem'), page.text('p.problem'))
    page.problems = False
    for name in page.pages():
        page.open(name)
    page.problems = True


def foreign(page):
    page.open()
    check('another machine is said', 'not this one' in page.text('.facts'), page.text('.facts'))


whole, bare, plain = record('whole'), record('bare', '--no-names'), record('cut')
os.unlink(moved)
# The last bytes are missing, as after a full disk: what was written before is shown.
subprocess.run(['truncate', '-s', '-100', plain], check=True)
# What another machine's profile is to this one, this one's is to another.
elsewhere = ['unshare', *(['-Ur'] if os.getuid() else []), '-u', 'sh', '-c', 'hostname elsewhere && exec "$0" "$@"']
with Browser() as page:
    page.expected.append('status of 422')  # questions that a damaged or nameless profile cannot answer
    for path, test in ((whole, gone), (bare, nameless), (plain, damaged)):
        with viewing(page, path):
            attempt(page, test)
    if subprocess.run([*elsewhere, 'true'], capture_output=True).returncode == 0:
        with viewing(page, whole, prefix=elsewhere):
            attempt(page, foreign)
    else:
        print('no unshare -u here: a profile of another machine is not tested')
shutil.rmtree(work)
finish()
