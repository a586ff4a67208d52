#!/usr/bin/python3 -B
# Runs with others
"""From gait view to the line, branch and reason of a planted slow spot, by clicks on what the page offers: five at most."""
from lib.ui import check, profile, run

# orders walks a list whose nodes lie scattered: Customers::find waits for memory where it looks at the
# next node (orders.cc, `if (node->id == id)` and `node = node->next`).
SPOT = ('if (node->id == id)', 'node = node->next')


def press(page, selector, text):
    """A click on what holds the text, as it is drawn at that moment."""
    page.element(selector, text)
    page.run('[...document.querySelectorAll(arguments[0])].find((e) => e.textContent.includes(arguments[1])).click()', selector, text)


def slow_spot(page):
    clicks = 0
    page.open()
    press(page, '.card', 'Customers::find')  # what to look at first
    clicks += 1
    page.wait("return document.querySelector('.page-function')")
    page.ready()
    line = page.text('.line.at .text')
    check('the line', any(text.startswith(line.rstrip('…').strip()) or line.strip().startswith(text) for text in SPOT), line)
    # The time stands at the branch that needs what was loaded; it is told how often it is taken, and
    # which instruction it waits for.
    page.wait("return document.querySelector('.page-function').dataset.measured")
    text = page.text('.detail')
    if 'taken' not in text:
        press(page, '.function-tools button', '▾')
        clicks += 1
        text = page.text('.detail')
    check('the branch', 'taken' in text and '%' in text, text)
    press(page, '.detail button.link', '(%r')  # "waits 421 cycles for ..." a load
    clicks += 1
    text = page.text('.detail').lower()
    check('the reason', 'load latency' in text and 'memory' in text and 'stalls the pipeline' in text, text)
    page.shot('newcomer')
    check('five clicks at most', clicks <= 5, clicks)
    print(f'{clicks} clicks')


run([profile('values')], slow_spot)
