#!/usr/bin/python3 -B
"""From gait view to the line, the branch and the reason of a slow spot, in five clicks at most.

The program is tests/programs/orders.cc: Customers::find waits for memory. A newcomer follows what the first page says."""
from lib.ui import check, gait_json, profile, run

data = profile('values')
# A loaded machine has another card first: that threads were ready to run, but without a CPU.
HOT = "return [...document.querySelectorAll('.card')].slice(0, 2).find((card) => card.innerText.includes('Customers::find'))"


def slow_spot(page):
    page.open()
    clicks = 0
    check('the first page says where to look', page.run(HOT), page.texts('.card'))
    page.run(HOT).click()
    clicks += 1
    page.ready()
    # All that is known about it has come: what comes later draws the rows anew.
    page.wait("return document.querySelector('.page-function')?.dataset.measured", seconds=60)
    text = page.text()
    source = open('tests/programs/orders.cc').read().split('\n')
    line = next(i for i, text in enumerate(source, 1) if 'node->id == id' in text)
    check('the line', f'orders.cc:{line}' in text, text[-600:])
    branch = lambda text: 'BRANCH' in text and 'taken (95 %' in text
    check('the branch, with its interval', branch(text), text[-600:])
    # The instruction that reads memory has the reason. Processors and their models differ: one of these is said.
    row = page.run("const e = [...document.querySelectorAll('#page *')].filter((e) => !e.children.length && /^cmp/.test(e.textContent)).at(-1); "
                   "e.scrollIntoView({block: 'nearest'}); return e")
    row.click()
    clicks += 1
    page.wait("return /_miss|stalls the pipeline|(l3|memory|longer) [0-9.]+ %/.test(document.getElementById('page').innerText)", seconds=60)
    # Some processors put the time at the comparison, others at its branch.
    check('the branch, at the comparison', branch(page.text()), page.text()[-600:])
    page.shot('newcomer')
    check('five clicks at most', clicks <= 5, clicks)


def same_figures(page):
    """The share of the hot line is that of gait annotate."""
    page.open()
    page.run(HOT).click()
    page.ready()
    share = gait_json('annotate', 'shop::Customers::find', '-i', data)
    rows = [row for row in share['rows'] if row.get('share')]
    most = max(rows, key=lambda row: row['share'])
    shown = page.text()
    check('the share of the hottest instruction', f'{100 * most["share"]:.1f} %' in shown, most)


run([data], slow_spot, same_figures)
