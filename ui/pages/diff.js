// Two profiles: what changed, and whether it is more than noise. As tables, and as a flame graph.
import { h, show } from '../dom.js';
import { ask } from '../ask.js';
import { href, note } from '../route.js';
import { table } from '../table.js';
import { functionLink } from '../links.js';
import { exact, count, percent, seconds } from '../format.js';
import { isDark } from '../theme.js';
import { Tree } from '../flame/tree.js';
import { mixed } from '../flame/colors.js';
import { flameView } from '../flame/view.js';
import { ROWS } from './flame.js';

const two = (profiles) => profiles.length === 2;
const BYS = ['function', 'line', 'module'];
const signed = (format, x) => (x > 0 ? `+${format(x)}` : x < 0 ? `−${format(-x)}` : format(0));
const points = (x) => `${x > 0 ? '+' : x < 0 ? '−' : ''}${Math.abs(100 * x).toFixed(2)}`;

// "+12.3 ms ±1.20 ms", as the text has it; exact counts have no interval.
function changeText(format, row) {
  const half = Math.max(row.change_hi - row.change, row.change - row.change_lo);
  const change = signed(format, row.change);
  return row.change_lo === row.change_hi ? change : `${change} ±${row.change_lo === null || row.change_hi === null ? '?' : format(half)}`;
}

// The page of a function is that of the later profile.
const name = (row) => (row.state === 'gone' ? h('span', { title: row.linkage }, row.function) : functionLink(row));

// What a row's interval says of its change.
function verdict(row) {
  if (row.sure) return 'not noise';
  return row.share_sure ? 'share only' : row.beyond ? 'perhaps' : '';
}

function heading(answer) {
  const { before, after } = answer, format = answer.weight === 'time' ? seconds : count;
  const sure = answer.rows.filter((row) => row.sure || row.share_sure).length;
  const change = after.total - before.total;
  return [h('span', {}, `${format(before.total)} → ${format(after.total)}: ${signed(format, change)}${before.total ? ` (${points(change / before.total)} %)` : ''}`),
    h('span', { class: 'said' }, `${exact(sure)} of ${exact(answer.rows.length)} rows changed beyond noise${answer.same_build ? '; one build' : '; different builds'}`)];
}

function lineOf(row) {
  const at = row.line_before === row.line_after || row.line_before === null ? row.line_after : row.line_after === null ? row.line_before : `${row.line_before} → ${row.line_after}`;
  return `${row.file ?? ''}:${at ?? '?'}`;
}

function columns(answer, by) {
  const kind = answer.weight === 'time' ? 'time' : 'count', format = kind === 'time' ? seconds : count;
  const figure = (id, title, help) => ({ id, title, kind, help, width: 84, value: (row) => row[id], lo: (row) => row[`${id}_lo`], hi: (row) => row[`${id}_hi`] });
  const names = by === 'module' ? [] : [{ id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: name }];
  if (by === 'line') names.push({ id: 'line', title: 'line', kind: 'text', width: 150, value: lineOf });
  return [...names, { id: 'module', title: 'module', kind: 'text', wide: by === 'module', spare: by === 'module' ? 0 : 1, value: (row) => row.module },
    { id: 'change', title: 'change', kind, width: 170, narrow: 160, help: 'after less before, ± its 95 % interval; sorted by its size', value: (row) => Math.abs(row.change), text: (row) => changeText(format, row),
      tip: (row) => `95 %: ${signed(format, row.change_lo)} to ${signed(format, row.change_hi)}` },
    { id: 'verdict', title: 'verdict', kind: 'text', width: 92, help: 'not noise: the interval of the change, widened for all rows, excludes 0. share only: that of its share does. perhaps: its own interval does', value: verdict,
      cell: (row) => h('span', { class: `verdict ${(row.sure ? row.change : row.share_change) > 0 ? 'more' : 'less'} ${row.sure || row.share_sure ? 'real' : ''}` }, verdict(row)) },
    figure('before', 'before', 'hover for the interval'), figure('after', 'after', 'hover for the interval'),
    { id: 'points', title: '% points', kind: 'number', width: 84, help: 'how far its share of the total moved', value: (row) => Math.abs(row.share_change), text: (row) => points(row.share_change),
      tip: (row) => `95 %: ${points(row.share_change_lo)} to ${points(row.share_change_hi)}` },
    ...(answer.rows.some((row) => row.state !== 'both') ? [{ id: 'state', title: 'seen', kind: 'text', width: 64, value: (row) => (row.state === 'both' ? '' : row.state), help: 'new: only in the later profile; gone: only in the earlier' }] : [])];
}

export const diff = {
  id: 'diff', title: 'Differences', group: 'Compare', needs: two,
  heading: () => 'What changed',
  command: (params) => ({ route: 'diff', params: { by: BYS.includes(params.by) ? params.by : 'function' } }),
  async show(root, params) {
    const by = BYS.includes(params.by) ? params.by : 'function';
    const answer = await ask('diff', { by });
    const place = h('div', { class: 'body' });
    show(root, h('div', { class: 'tools' }, h('span', { class: 'group' }, BYS.map((one) =>
      h('a', { class: 'choice', href: href('diff', { by: one }), 'aria-current': one === by ? 'true' : null }, `by ${one}`))), heading(answer)), place);
    return table(place, { rows: answer.rows, columns: columns(answer, by), params, label: 'differences', sort: '-change' });
  },
};

// ---- the flame graph

// Blue is less, orange is more; strong where it is beyond noise, pale where it may be, grey where not.
class ChangeColors {
  of(row) {
    const back = isDark() ? '#14171c' : '#ffffff';
    const grey = isDark() ? '#3a4049' : '#dfe3e8';
    const hue = row.share_change > 0 ? '#d55e00' : '#0072b2';
    const share = row.share_sure ? 0.3 : Math.sign(row.share_change_lo) === Math.sign(row.share_change_hi) ? 0.72 : null;
    const full = share === null ? grey : mixed(hue, back, share);
    return [full, mixed(full, back, 0.45)];
  }
}

const side = (name) => ({ id: name, title: `share ${name}`, format: percent, value: (row) => row[`share_${name}`],
  lo: (row) => row[`share_${name}_lo`], hi: (row) => row[`share_${name}_hi`], self: (row) => row[`self_share_${name}`] });

function tip(node) {
  const { row } = node;
  const line = (name, text, more) => h('tr', {}, h('th', {}, name), h('td', {}, text), h('td', {}, more));
  const range = (f, key) => `95 %: ${f(row[`${key}_lo`])} to ${f(row[`${key}_hi`])}`;
  return [h('strong', {}, row.function), h('table', {},
    line('before', percent(row.share_before), range(percent, 'share_before')), line('after', percent(row.share_after), range(percent, 'share_after')),
    line('change', `${points(row.share_change)} points`, range(points, 'share_change'))),
  h('p', {}, [row.module, row.share_sure ? 'changed beyond noise' : 'within noise', row.state === 'both' ? null : row.state].filter(Boolean).join(' · '))];
}

export const flameDiff = {
  id: 'flame-diff', title: 'Flame graph of both', group: 'Compare', needs: two,
  heading: () => 'What changed, by calling context',
  command: () => ({ route: 'diff', params: { by: 'context' } }),
  async show(root, params) {
    const of = params.width === 'before' ? 'before' : 'after';
    const answer = await ask('diff', { by: 'context', limit: ROWS });
    const measure = side(of);
    const all = { contexts: answer.contexts, [`share_${of}`]: 1 };
    const tree = new Tree({ ...answer, form: 'top-down', selected: all }, measure);
    const said = h('span', { class: 'said', role: 'status' }), detail = h('div', { class: 'flame-detail', role: 'status' });
    const select = (node) => show(detail, node && [h('strong', { class: 'mono' }, node.row.function), h('span', {}, `${percent(node.row.share_before)} → ${percent(node.row.share_after)}, ${points(node.row.share_change)} points`),
      h('span', { class: 'small' }, node.row.share_sure ? 'beyond noise' : 'within noise')]);
    const view = flameView({ tree, palette: new ChangeColors(), label: 'flame graph of the change; arrow keys move, Enter zooms in, Escape zooms out', tip, onSelect: select,
      onZoom: (node) => note({ zoom: node.id ?? '' }) });
    const field = h('input', { type: 'search', placeholder: 'search functions (/)', 'aria-label': 'search functions', value: params.search ?? '' });
    const search = () => {
      const found = tree.mark(field.value);
      view.search(!!field.value);
      note({ search: field.value });
      said.textContent = field.value ? `matches: ${percent(found.weight)} ${of}` : `${exact(answer.rows.filter((row) => row.share_sure).length)} of ${exact(answer.contexts)} contexts changed beyond noise`;
    };
    field.addEventListener('input', search);
    show(root, h('div', { class: 'tools flame-tools' },
      h('span', { class: 'group' }, ['before', 'after'].map((one) => h('a', { class: 'choice', href: href('flame-diff', { width: one }), 'aria-current': one === of ? 'true' : null, title: `frames are as wide as ${one}` }, `width ${one}`))),
      field, h('button', { type: 'button', title: 'show everything (Escape)', onclick: () => view.zoomTo(tree.root) }, 'whole'), said),
    h('div', { class: 'flame-place' }, view.element), detail,
    h('p', { class: 'key flame-key' }, h('i', { class: 'more' }), 'more, beyond noise', h('i', { class: 'more-perhaps' }), 'perhaps more', h('i', { class: 'less' }), 'less, beyond noise', h('i', { class: 'less-perhaps' }), 'perhaps less', h('i', { class: 'same' }), 'within noise'));
    view.grown();
    search();
    select(null);
    const zoom = /^\d{1,9}$/.test(params.zoom ?? '') ? tree.find(Number(params.zoom)) : null;
    if (zoom) view.zoomTo(zoom, { smooth: false });
    root.page = { tree, view }; // tests look into it
    return () => view.destroy();
  },
};
