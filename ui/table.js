// A table that sorts, filters and is used by keyboard. Only rows in sight are elements, so that ten
// thousands of rows are no more work than fifty.
//
//   table(root, {rows, columns, params, label})
//
// A column: {id, title, kind, value, lo, hi, cell, help, wide, width, narrow, spare}
//   narrow its width where there is little room; spare: left out where there is not even that, the largest first
//   kind   'text', or a name of KINDS below for figures
//   value  row -> what is sorted and filtered by; a figure is drawn as a bar if bar is true
//   lo, hi row -> the 95 % interval
//   cell   row -> an element to show instead of the text
//   detail (of the table): row -> what to show below it about the selected row
//   text, tip  row -> what to show, and on hovering, instead of the figure that is sorted by
import { h, show } from './dom.js';
import { current, note } from './route.js';
import { count, counted, exact, number, percent, plural, seconds, withInterval, UNKNOWN } from './format.js';

const ROW = 26; // pixels, as in style.css
const AROUND = 12; // rows drawn above and below those in sight

const KINDS = {
  time: { format: seconds, precise: seconds },
  share: { format: percent, precise: percent },
  count: { format: count, precise: exact },
  counted: { format: counted, precise: exact, width: 118, narrow: 100 },
  number: { format: number, precise: number },
};

const isFigure = (column) => column.kind !== 'text';

// Wide columns take what is left, and never less than this.
const width = (column) => column.width ?? (column.wide ? 180 : !isFigure(column) ? 104 : column.bar ? 168 : KINDS[column.kind].width ?? 98);
const narrow = (column) => column.narrow ?? Math.min(width(column), column.wide ? 130 : column.bar ? 122 : isFigure(column) ? KINDS[column.kind].narrow ?? 82 : 110);
const sum = (columns, of) => columns.reduce((all, column) => all + of(column), 0);

// The columns that fit, and how wide they are; that which rows are sorted by stays. What is still too wide scrolls.
function fitting(columns, room, sorted) {
  if (!room || sum(columns, width) <= room) return { columns, width };
  let left = columns;
  const spare = columns.filter((column) => column.spare && column.id !== sorted).sort((a, b) => b.spare - a.spare);
  while (spare.length && sum(left, narrow) > room) {
    const less = spare.shift();
    left = left.filter((column) => column !== less);
  }
  return { columns: left, width: narrow };
}

function compare(column, down) {
  const sign = down ? -1 : 1;
  return (a, b) => {
    const x = column.value(a), y = column.value(b);
    const noX = x === null || x === undefined || x !== x, noY = y === null || y === undefined || y !== y;
    if (noX || noY) return noX - noY; // what is not known comes last
    if (x < y) return -sign;
    return x > y ? sign : 0;
  };
}

// A bar from 0 to the figure, and its interval as a line over it; `most` is the column's largest.
function bar(column, row, most) {
  const part = (x) => `${Math.max(0, Math.min(100, (100 * x) / most))}%`;
  const value = column.value(row), lo = column.lo?.(row), hi = column.hi?.(row);
  const known = Number.isFinite(lo) && Number.isFinite(hi);
  return h('span', { class: 'bar', 'aria-hidden': 'true' },
    h('span', { class: 'amount', style: { width: part(value) } }),
    known && h('span', { class: 'interval', style: { left: part(lo), width: `${(100 * (Math.min(hi, most) - lo)) / most}%` } }));
}

function figureCell(column, row, most) {
  const kind = KINDS[column.kind];
  const value = column.value(row);
  if (value === null || value === undefined) return h('td', { class: 'figure' }, UNKNOWN);
  const title = column.tip?.(row) ?? withInterval(kind.precise, value, column.lo?.(row), column.hi?.(row));
  return h('td', { class: column.bar ? 'figure with-bar' : 'figure', title },
    column.bar && most > 0 && bar(column, row, most), h('span', { class: 'number' }, column.text?.(row) ?? kind.format(value, column.lo?.(row), column.hi?.(row))));
}

function textCell(column, row) {
  const text = column.value(row) ?? '';
  return h('td', { title: String(text) }, column.cell ? column.cell(row) : text);
}

// What the filter looks at: every text of the row.
function matcher(columns, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = columns.filter((column) => !isFigure(column));
  return (row) => {
    const all = texts.map((column) => String(column.value(row) ?? '')).join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

function make(root, { rows, columns, width, all, params, label, sort, detail, note: remark }) {
  const first = columns.find((column) => column.id === (params?.sort ?? sort ?? '').replace(/^-/, ''));
  const state = {
    column: first ?? columns.find(isFigure) ?? columns[0],
    down: params?.sort ? params.sort.startsWith('-') : true,
    filter: params?.filter ?? '',
    at: 0,
    shown: rows,
  };
  const most = new Map(columns.filter((column) => column.bar).map((column) =>
    [column, rows.reduce((max, row) => Math.max(max, column.hi?.(row) ?? 0, column.value(row) ?? 0), 0)]));

  const field = h('input', { type: 'search', placeholder: 'filter (/)', 'aria-label': `filter ${label}`, value: state.filter });
  const said = h('span', { class: 'said', role: 'status' });
  const body = h('tbody'), strip = detail && h('div', { class: 'row-detail', role: 'status' });
  const heads = columns.map((column) => h('th', { class: isFigure(column) ? 'figure' : column.wide ? 'wide' : null, scope: 'col' },
    h('button', { type: 'button', title: column.help, onclick: () => sortBy(column) }, column.title)));
  const grid = h('table', { style: { minWidth: `${sum(columns, width)}px` }, 'aria-label': label, 'aria-rowcount': rows.length },
    h('colgroup', {}, columns.map((column) => h('col', { style: { width: column.wide ? null : `${width(column)}px` } }))),
    h('thead', {}, h('tr', {}, heads)), body);
  const view = h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `${label}; arrow keys move, Enter opens` }, grid);

  function arrange() {
    const matches = state.filter ? rows.filter(matcher(all, state.filter)) : rows.slice();
    state.shown = matches.sort(compare(state.column, state.down));
    state.at = 0;
    columns.forEach((column, i) => heads[i].setAttribute('aria-sort',
      column !== state.column ? 'none' : state.down ? 'descending' : 'ascending'));
    said.textContent = state.filter ? `${exact(state.shown.length)} of ${plural(rows.length, 'row')}` : plural(rows.length, 'row');
    if (remark) said.textContent += `; ${remark}`;
    view.scrollTop = 0;
    draw();
  }

  function rowElement(i) {
    const row = state.shown[i];
    return h('tr', { class: i === state.at ? 'at' : null, 'aria-rowindex': i + 1, onclick: () => { state.at = i; draw(); } },
      columns.map((column) => (isFigure(column) ? figureCell(column, row, most.get(column)) : textCell(column, row))));
  }

  const gap = (n) => h('tr', { class: 'gap', 'aria-hidden': 'true', style: { height: `${n * ROW}px` } });

  function draw() {
    const from = Math.max(0, Math.floor(view.scrollTop / ROW) - AROUND);
    const to = Math.min(state.shown.length, from + Math.ceil((view.clientHeight || 600) / ROW) + 2 * AROUND);
    const drawn = [];
    for (let i = from; i < to; i++) drawn.push(rowElement(i));
    show(body, gap(from), drawn, gap(state.shown.length - to));
    if (strip) show(strip, state.shown[state.at] && detail(state.shown[state.at]));
  }

  function sortBy(column) {
    state.down = column === state.column ? !state.down : isFigure(column);
    state.column = column;
    note({ sort: `${state.down ? '-' : ''}${column.id}` });
    arrange();
  }

  function move(to) {
    state.at = Math.max(0, Math.min(state.shown.length - 1, to));
    const top = state.at * ROW, head = grid.tHead.offsetHeight;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW + head > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW + head - view.clientHeight;
    draw();
  }

  const page = () => Math.max(1, Math.floor(view.clientHeight / ROW) - 2);
  const keys = {
    ArrowDown: () => move(state.at + 1), ArrowUp: () => move(state.at - 1),
    PageDown: () => move(state.at + page()), PageUp: () => move(state.at - page()),
    Home: () => move(0), End: () => move(state.shown.length - 1),
    Enter: () => body.querySelector('tr.at a')?.click(),
  };
  view.addEventListener('keydown', (event) => {
    if (!keys[event.key] || (event.key === 'Enter' && event.target !== view)) return;
    keys[event.key]();
    event.preventDefault();
  });
  view.addEventListener('scroll', draw, { passive: true });
  field.addEventListener('input', () => {
    state.filter = field.value;
    note({ filter: state.filter });
    arrange();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') { view.focus(); event.preventDefault(); }
    if (event.key === 'Escape' && field.value) { field.value = ''; field.dispatchEvent(new Event('input')); }
  });
  const resized = new ResizeObserver(draw);
  resized.observe(view);
  show(root, h('div', { class: 'tools' }, field, said), view, strip);
  arrange();
  return () => resized.disconnect();
}

const ROOM = 2; // the border of the table

export function table(root, options) {
  const fit = () => fitting(options.columns, root.clientWidth && root.clientWidth - ROOM, current().params.sort?.replace(/^-/, ''));
  const names = (fitted) => fitted.columns.map((column) => column.id).join() + (fitted.width === narrow);
  let fitted = fit();
  let stop = make(root, { ...options, ...fitted, all: options.columns });
  const observer = new ResizeObserver(() => {
    const now = fit();
    if (names(now) === names(fitted)) return;
    fitted = now;
    stop();
    stop = make(root, { ...options, ...fitted, all: options.columns, params: current().params });
  });
  observer.observe(root);
  return () => {
    observer.disconnect();
    stop();
  };
}
