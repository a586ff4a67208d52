#!/usr/bin/python3 -B
"""Contexts: the tree has the figures of `gait contexts`, opens by keys; a function has its callers and callees."""
from lib.ui import Keys, check, gait_json, profile, run, same

data = profile('program')


def figures(page, options=('--cpu-time',), **params):
    answer = gait_json('contexts', *options, data)
    page.open('contexts', **params)
    shown = page.rows()
    first = answer['rows'][0]
    same('the first context', first['function'], shown[0]['context'].replace('▾', '').strip())
    share = 100 * first['time'] / answer['selected']['time']
    check('its share', abs(float(shown[0]['total'].split()[0]) - share) < 0.06, (shown[0], share))
    check('how many', f"{answer['selected']['contexts']:,} contexts" in page.text('.tools .said'), page.text('.tools .said'))
    return answer


def tree(page):
    answer = figures(page)
    page.run("document.querySelector('.tree').focus()")
    page.keys(Keys.HOME)
    children = answer['rows'][0]['children']
    check('the heaviest is open', page.run("return document.querySelector('.tree tbody tr:not(.gap)').getAttribute('aria-expanded')") == 'true')
    before = page.run("return document.querySelector('.page-contexts').contexts.rows.length")
    page.keys(Keys.ARROW_LEFT)
    after = page.run("return document.querySelector('.page-contexts').contexts.rows.length")
    check('left closes', after <= before - children, (before, after, children))
    page.keys(Keys.ARROW_RIGHT)
    same('right opens', before, page.run("return document.querySelector('.page-contexts').contexts.rows.length"))
    names = set(page.run("return document.querySelector('.page-contexts').contexts.rows.map((row) => row.node?.id)"))
    check('contexts that are shown exist', names <= {row['id'] for row in answer['rows']}, names)
    page.shot('contexts')
    figures(page, ['--bottom-up', '--cpu-time'], form='bottom-up')
    figures(page, [], base='user')
    check('whose time it is', 'of user CPU time' in page.text('.tools .said'), page.text('.tools .said'))


def sandwich(page):
    rows = gait_json('contexts', '--cpu-time', '--flat', data)['rows']
    whole = gait_json('contexts', '--cpu-time', data)['selected']['time']
    row = next(row for row in rows if row['callers'] and row['time'] < 0.9 * whole and row['time'] > 0.05 * whole)
    name = row['linkage']
    up, down = gait_json('contexts', '--cpu-time', '--bottom-up', '--function', name, data), gait_json('contexts', '--cpu-time', '--function', name, data)
    page.open('contexts', function=name)
    same('callers', [one['id'] for one in up['rows']], page.run("return [...document.querySelector('.page-contexts').sandwich.trees[0].nodes.keys()]"))
    same('callees', [one['id'] for one in down['rows']], page.run("return [...document.querySelector('.page-contexts').sandwich.trees[1].nodes.keys()]"))
    # Its share of all CPU time is that of the table of functions.
    listed = next(one for one in gait_json('report', data)['rows'] if one['linkage'] == name)
    check('as in the table of functions', abs(down['selected']['time'] / whole - listed['total_share']) < 1e-6, (down['selected'], whole, listed['total_share']))
    check('whose time it is', 'of CPU time, user and kernel with' in page.text('.tools .said'), page.text('.tools .said'))
    check('it is one root', [one['parent'] for one in down['rows']].count(None) == 1, [one['function'] for one in down['rows'] if one['parent'] is None])
    callers = gait_json('report', '--callers-of', name, data)['rows']
    texts = page.texts('.aside section:first-child a')
    check('callers by name', texts and texts[0] == callers[0]['name'], (texts[:2], callers[0]['name']))
    page.shot('sandwich')
    page.click('.aside section:first-child a')
    page.ready()
    check('a caller leads to its own', callers[0]['name'].split('(')[0] in page.text('h1') or (callers[0]['linkage'] or '') in page.text('h1'), page.text('h1'))
    page.size(800, 800)
    page.theme('dark')
    page.open('contexts', function=name)
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    page.shot('sandwich-narrow')
    page.size(1280, 800)
    page.theme('light')
    page.problems = False
    page.open('contexts', function='<b>no such</b>')
    check('what did not run is said', 'did not run' in page.text('[role=alert]'), page.text('[role=alert]'))
    page.problems = True
    page.expected.append('422')


run([data], tree, sandwich)
