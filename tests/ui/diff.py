#!/usr/bin/python3 -B
"""Two profiles: tables of what changed, and a flame graph in two colours; both as `gait diff` says."""
from lib.ui import check, gait_json, profile, run, same

before, after = profile('program'), profile('other')
FLAME = "const page = document.querySelector('.page-flame-diff').page; "


def contexts(page):
    """Shares of contexts are those that each side has alone, and children fit into parents."""
    answer = gait_json('diff', '--by', 'context', before, after)
    rows = {row['id']: row for row in answer['rows']}
    for side, data in ('before', before), ('after', after):
        alone = gait_json('contexts', data)
        whole = alone['selected']['time']
        roots = {}
        for row in alone['rows']:
            if row['parent'] is None:
                roots[row['linkage']] = roots.get(row['linkage'], 0) + row['time'] / whole
        for row in rows.values():
            if row['parent'] is None:
                check(f"{row['linkage']} {side}", abs(row[f'share_{side}'] - roots.get(row['linkage'], 0)) < 1e-6, (row, roots))
        for row in rows.values():
            inside = sum(one[f'share_{side}'] for one in rows.values() if one['parent'] == row['id'])
            check('children fit', inside + row[f'self_share_{side}'] <= row[f'share_{side}'] + 1e-6, row)
    same = gait_json('diff', '--by', 'context', before, before)
    check('no change against itself', not any(row['share_sure'] or row['change'] for row in same['rows']))


def table(page):
    page.open('', fresh=True)
    same('two profiles open on their differences', 'What changed', page.text('h1'))
    answer = gait_json('diff', before, after)
    first, shown = max(answer['rows'], key=lambda row: abs(row['change'])), page.rows()
    same('the largest change', first['function'], shown[0]['function'])
    check('its sign', shown[0]['change'][0] == ('+' if first['change'] > 0 else '−'), shown[0])
    by_name = {row['function']: row for row in answer['rows']}
    for row in shown:
        of = by_name[row['function']]
        same('verdict of ' + row['function'], 'not noise' if of['sure'] else 'share only' if of['share_sure'] else 'perhaps' if of['beyond'] else '', row['verdict'])
    check('the interval of a change', '±' in shown[0]['change'], shown[0])
    page.shot('diff')
    page.click('tbody tr:not(.gap) a')
    page.ready()
    check('a row leads to its function', shown[0]['function'].startswith(page.text('h1')), page.text('h1'))
    page.open('diff')
    for by in 'line', 'module':
        page.click('.tools a.choice', 'by ' + by)
        page.ready()
        check('rows by ' + by, page.rows())
        check('the command', f'gait diff --by {by}' in page.text('.command code'), page.text('.command code'))


def flame(page):
    answer = gait_json('diff', '--by', 'context', before, after)
    for side in 'after', 'before':
        page.open('flame-diff', width=side)
        wide = page.run(FLAME + "return page.view.element.querySelector('canvas').clientWidth")
        shown = dict(map(tuple, page.run(FLAME + "return [...page.tree.nodes.values()].map((node) => [node.id, page.view.frameBox(node).width])")))
        check('widths ' + side, all(abs(row[f'share_{side}'] * wide - shown[row['id']]) < 0.01 for row in answer['rows']))
        page.shot('flame-diff-' + side)
    page.theme('dark')
    page.size(800, 700)
    page.open('flame-diff', search='find')
    check('a search', 'matches' in page.text('.said'), page.text('.said'))
    check('nothing is wider than the page', page.run('return document.documentElement.scrollWidth <= innerWidth'))
    page.shot('flame-diff-narrow')
    page.size(1280, 800)
    page.theme('light')


run(['--diff', before, after], contexts, table, flame)
