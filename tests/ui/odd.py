#!/usr/bin/python3 -B
"""Profiles that are damaged, of another machine, or whose files are gone: the pages say so, and what to do."""
import os
import shutil
import subprocess
import tempfile
import time

from lib.ui import GAIT, TOP, Browser, attempt, check, finish, gait_json, program, viewing

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


def carried(page):
    """Of a part of the run, a carried profile has samples: pages say that it has no counts, and ask for none."""
    page.open()
    check('what was left out', 'counts of a part of the run' in page.text('.facts') and 'paths' in page.text('.facts'), page.text('.facts'))
    # To its end: that is where the threads are busy.
    page.open('functions', time='0:9')
    check('functions say that they have no counts', 'executions: not carried over by time' in page.text('h1'), page.text('h1'))
    check('functions have times', page.rows() and 'executions' not in page.rows()[0], page.rows()[:1])
    for name in 'edges', 'loops':
        page.open(name, time='0:9')
        check(name + ' say so', 'counts of a part of the run were not' in page.text('.missing'), page.text())
        page.open(name)
        check(name + ' of the whole run', page.rows(), page.text()[:200])
    name = gait_json('report', over)['rows'][0]['address']
    page.open('function', name=name, time='0:9')
    page.wait("return document.querySelector('.page-function').dataset.measured")
    check('a function says so', 'not carried over by time' in page.text('h1'), page.text('h1'))


def door(page):
    """What gait view has the browser open is a file, which leads to the address."""
    os.mkdir(work + '/bin')
    with open(work + '/bin/xdg-open', 'w') as script:
        script.write(f'#!/bin/sh\necho "$1" >{work}/opened.new\nmv {work}/opened.new {work}/opened\n')
    os.chmod(work + '/bin/xdg-open', 0o700)
    environment = {**os.environ, 'DISPLAY': ':9', 'XDG_RUNTIME_DIR': work, 'PATH': f"{work}/bin:{os.environ['PATH']}"}
    with subprocess.Popen([GAIT, 'view', whole], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        address = server.stdout.readline().strip()
        end = time.monotonic() + 20
        while not os.path.exists(work + '/opened') and time.monotonic() < end:
            time.sleep(0.02)
        path = open(work + '/opened').read().strip()
        page.driver.get('file://' + path)
        page.wait("return location.protocol === 'http:' && document.getElementById('page')?.dataset.state === 'ready'")
        check('the file leads to the address', page.run('return location.href').startswith(address), page.run('return location.href'))
        check('the overview is there', 'shop::Customers::find' in page.text())
        page.url = address
        server.terminate()
    check('the file is gone', not os.path.exists(os.path.dirname(path)))
    page.loaded = None
    other = [url for url in page.requests() if not url.startswith((address, 'file://' + path, 'data:', 'chrome:'))]
    check('no other request', not other, other)


whole, bare, plain = record('whole'), record('bare', '--no-names'), record('cut')
# The same source with other flags is another build.
over, build = work + '/carried.data', work + '/build'
subprocess.run(['g++', '-O2', '-g', '-fno-tree-vectorize', '-D_GNU_SOURCE', '-pthread', '-o', build, TOP + '/tests/programs/orders.cc'], check=True)
subprocess.run([GAIT, 'carry', '-q', '--binary', build, '--module', 'moved', '-o', over, whole], check=True)
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
    page.expected.remove('status of 422')
    with viewing(page, over):
        attempt(page, carried)
    attempt(page, door)
    if subprocess.run([*elsewhere, 'true'], capture_output=True).returncode == 0:
        with viewing(page, whole, prefix=elsewhere):
            attempt(page, foreign)
    else:
        print('no unshare -u here: a profile of another machine is not tested')
shutil.rmtree(work)
finish()
