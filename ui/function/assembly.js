// The instructions of a function, with their cost, jumps in the margin, and what was measured at each.
import { h, show, svg } from '../dom.js';
import { virtual } from '../virtual.js';
import { exact, percent } from '../format.js';
import { bins, chip, executions, heat, probability, stages, trips, tripsText } from './marks.js';
import { LANES } from './model.js';

const ROW = 20; // pixels, as in style.css
const GUTTER = 10 + 7 * LANES;

// "MODULE+0x2e2d0" without its module.
export const offset = (address) => address.slice(address.lastIndexOf('+') + 3);

function notes(model, row) {
  const list = [];
  const loop = model.loops.get(row.address)?.[0];
  if (loop?.trips) list.push(h('span', { class: 'loop', title: tripsText(loop) }, '⟳', trips(loop, 44, 13)));
  if (row.taken !== undefined && row.taken !== null) list.push(probability(row.taken, row.taken_lo, row.taken_hi));
  for (const place of model.values.get(row.address) ?? [])
    if (['load', 'divisor', 'target', 'size'].includes(place.kind) && place.values.length)
      list.push(chip(place.values[0], place.kind));
  const load = model.latencies.get(row.address)?.[0];
  if (load) list.push(bins(load));
  return list;
}

function foldElement(model, item, onfold) {
  const { fold } = item;
  const n = fold.to - fold.from;
  if (fold.kind === 'cold')
    return h('div', { class: 'code fold cold' }, h('button', { type: 'button', tabindex: -1, onclick: () => onfold(fold) }, '⋯'),
      h('span', {}, `${exact(n)} instructions did not run`));
  return h('div', { class: 'code fold', title: `${fold.name}, inlined` },
    h('button', { type: 'button', tabindex: -1, 'aria-expanded': String(fold.open), onclick: () => onfold(fold) }, fold.open ? '▾' : '▸'),
    h('span', { class: 'name' }, fold.name),
    h('span', { class: 'small' }, ` inlined, ${exact(n)} instruction${n > 1 ? 's' : ''}${fold.open || !fold.most ? '' : `, up to ${percent(fold.most)} each`}`));
}

export function assemblyPane(model, { onselect, onfold, onfollow }) {
  let lit = new Set(), selected = -1;
  let headAt = -1; // the head of an open fold that the keys are at, which is no instruction
  const { code } = model;
  const arrows = svg('svg', { class: 'arrows', width: GUTTER, 'aria-hidden': 'true' });

  function rowElement(i) {
    const item = code.items[i];
    if (item.fold && item.row === undefined) return foldElement(model, item, onfold);
    const row = code.rows[item.row];
    const modelled = model.pipeline.get(row.address)?.[0];
    const names = ['code'];
    if (row.leader && item.row) names.push('leader');
    if (item.row === selected) names.push('at');
    else if (lit.has(item.row)) names.push('lit');
    if (model.path?.rows.has(item.row)) names.push('on-path');
    if (item.inside) names.push('inside');
    return h('div', { class: names.join(' ') },
      heat(row.share, row.share_lo, row.share_hi, model.shareMost),
      executions(row),
      h('span', { class: 'gutter' }),
      h('span', { class: 'address', title: row.address }, row.label ?? offset(row.address)),
      h('span', { class: 'text', title: row.assembly }, row.assembly),
      h('span', { class: 'notes' }, notes(model, row)),
      h('span', { class: 'cycles' }, modelled && stages(modelled, model.stagesMost)));
  }

  const head = h('div', { class: 'code titles' },
    h('span', { title: `share of all ${model.answer.weight === 'time' ? 'user time' : 'executed instructions'}, with its 95 % interval` }, 'share'),
    h('span', { class: 'count', title: 'executions' }, 'ran'), h('span', { class: 'gutter' }),
    h('span', { class: 'address' }, 'at'), h('span', { class: 'text' }, 'instruction'),
    h('span', { class: 'notes', title: 'loops: iterations per entry; branches: share taken, with its interval; the most frequent value; where loads found their data' }, 'seen there'),
    h('span', { class: 'cycles', title: 'modelled cycles in each stage, from fetch to retirement' }, 'cycles'));

  const list = virtual({
    row: rowElement, label: 'assembly; arrow keys move, Enter follows a jump', height: ROW, head,
    over: () => arrows,
    onselect: (i) => {
      const item = code.items[i];
      headAt = item.fold ? i : -1;
      onselect(item.row ?? item.from, item.fold);
    },
    keys: { Enter: (i) => { const item = code.items[i]; if (item?.fold) onfold(item.fold); else if (item) onfollow(item.row); } },
  });

  // Jumps that are in sight: a line from the branch to its target, as wide as it is likely; around it,
  // lighter, as wide as the upper end of its interval.
  list.drawn = (from, to) => {
    const drawn = [];
    const tall = (to - from) * ROW;
    arrows.style.top = `${from * ROW}px`;
    arrows.setAttribute('height', tall);
    arrows.setAttribute('viewBox', `0 ${from * ROW} ${GUTTER} ${tall}`);
    for (const jump of model.jumps) {
      const own = jump.from === selected || jump.to === selected;
      const start = code.place[jump.from], end = code.place[jump.to];
      if (start === end || Math.max(start, end) < from || Math.min(start, end) > to || (jump.lane < 0 && !own)) continue;
      const x = GUTTER - 9 - 7 * (jump.lane < 0 ? LANES - 1 : jump.lane), y1 = start * ROW + 10, y2 = end * ROW + 10;
      const share = jump.row.taken ?? (jump.row.taken === null ? 0 : 1), hi = jump.row.taken_hi ?? share;
      const on = model.path?.rows.has(jump.from) && model.path.rows.has(jump.to);
      const path = `M${GUTTER - 2} ${y1}H${x + 3}Q${x} ${y1} ${x} ${y1 + (y2 > y1 ? 3 : -3)}V${y2 + (y2 > y1 ? -3 : 3)}Q${x} ${y2} ${x + 3} ${y2}H${GUTTER - 5}`;
      const name = `jump${jump.ran ? '' : ' never'}${own ? ' own' : ''}${on ? ' on' : ''}`;
      if (jump.ran && hi > share + 0.02) drawn.push(svg('path', { d: path, class: 'jump may', 'stroke-width': 0.8 + 2.4 * hi + 1.5 }));
      drawn.push(svg('path', { d: path, class: name, 'stroke-width': jump.ran ? 0.8 + 2.4 * share : 0.8 }),
        svg('path', { d: `M${GUTTER - 6} ${y2 - 3}l5 3l-5 3z`, class: `${name} tip` }));
    }
    show(arrows, drawn);
  };

  return {
    ...list,
    element: list.element,
    mark(row, others) {
      if (row !== selected && code.items[headAt]?.from !== row) headAt = -1;
      selected = row;
      lit = others;
      list.select(headAt >= 0 ? headAt : code.place[row] ?? -1);
    },
    // The code was arranged anew, or there is more to show.
    refresh() {
      if (!code.items[headAt]?.fold) headAt = -1;
      list.select(headAt >= 0 ? headAt : code.place[selected] ?? -1);
      list.resize(code.items.length);
    },
    reveal: (row) => list.reveal(headAt >= 0 ? headAt : code.place[row]),
  };
}
