// Small drawings beside code: heat, probabilities, values, latencies, stages, iterations.
import { h, svg } from '../dom.js';
import { counted, exact, number, percent, withInterval } from '../format.js';

const known = (x) => typeof x === 'number' && Number.isFinite(x);
const part = (x) => `${Math.max(0, Math.min(100, 100 * x))}%`;

// A bar of a share with its interval, on the scale of `most`; with what is inlined there in a lighter tone.
export function heat(share, lo, hi, most, total) {
  if (!(Math.max(share ?? 0, total ?? 0) >= 5e-5)) return h('span', { class: 'heat', title: known(share) ? withInterval(percent, share, lo, hi) : undefined });
  const bounded = known(lo) && known(hi) && hi > lo;
  return h('span', { class: 'heat', title: withInterval(percent, share, lo, hi) + (total > share ? `; with inlined code ${percent(total)}` : '') },
    h('span', { class: 'bar' },
      total > share && h('span', { class: 'below', style: { width: part(total / most) } }),
      h('span', { class: 'amount', style: { width: part(share / most) } }),
      bounded && h('span', { class: 'interval', style: { left: part(lo / most), width: part((Math.min(hi, most) - lo) / most) } })),
    h('span', { class: 'number' }, percent(Math.max(share, total ?? 0))));
}

export function executions(row) {
  if (!known(row.count)) return h('span', { class: 'count' });
  return h('span', { class: 'count', title: `executions: ${withInterval(exact, row.count, row.lo, row.hi)}` },
    row.count ? counted(row.count, row.lo, row.hi, true) : '');
}

// How often a conditional branch is taken: a scale from 0 to 100 %, its interval, a dot for the value.
export function probability(share, lo, hi) {
  const bounded = known(lo) && known(hi);
  return h('span', { class: 'probability', title: `taken: ${withInterval(percent, share, lo, hi)}` },
    h('span', { class: 'scale' },
      h('span', { class: 'filled', style: { width: part(share) } }),
      bounded && h('span', { class: 'range', style: { left: part(lo), width: part(hi - lo) } }),
      h('span', { class: 'dot', style: { left: part(share) } })),
    h('span', { class: 'number' }, percent(share)));
}

export function chip(value, kind) {
  return h('span', { class: `chip chip-${kind}`, title: `${kind}: ${value.text ?? ''} in ${withInterval(percent, value.share, value.share_lo, value.share_hi)} of what was seen` },
    h('b', {}, value.text ?? 'hidden'), ' ', percent(value.share));
}

const BINS = [['near', 'the core’s own caches'], ['l3', 'the third-level cache'], ['memory', 'memory'], ['longer', 'longer than memory']];

// Where loads found what they loaded, as parts of a bar.
export function bins(row) {
  const told = BINS.filter(([name]) => row.bins[name].share > 0);
  const title = told.map(([name, text]) => `${percent(row.bins[name].share)} ${text}`).join(', ');
  return h('span', { class: 'bins', title: `${title}; mean ${number(row.ns)} ns of ${exact(row.timed)} timed loads` },
    told.map(([name]) => h('i', { class: `bin-${name}`, style: { width: part(row.bins[name].share) } })));
}

export const STAGES = [
  ['fetch_to_dispatch', 'fetch', 'fetched, not yet dispatched'],
  ['dispatch_to_ready', 'waits', 'waits for operands'],
  ['ready_to_issue', 'ready', 'ready, waits for a port'],
  ['issue_to_complete', 'executes', 'executes'],
  ['complete_to_retire', 'retires', 'complete, waits to retire'],
];

export function flight(row) {
  return STAGES.reduce((sum, [key]) => sum + (row.latencies[key]?.mean ?? 0), 0);
}

// The modelled stages of an instruction, as parts of a bar; `most`: cycles that are the whole width.
export function stages(row, most) {
  const said = STAGES.filter(([key]) => row.latencies[key]).map(([key, , text]) => `${number(row.latencies[key].mean)} ${text}`);
  return h('span', { class: 'stages', title: `modelled cycles: ${said.join(', ')}` },
    STAGES.map(([key, name]) => row.latencies[key] &&
      h('i', { class: `stage-${name}`, style: { width: part(row.latencies[key].mean / most) } })));
}

const STATES = {
  retires: 'retires', stalls: 'stalls the pipeline', flushes: 'flushed after a misprediction',
  drained: 'nothing was fetched', others: 'other reasons',
};

// Why its cycles go by: the largest parts, "88 % flushed after a misprediction".
export function reasons(row) {
  return row.stack.filter((one) => one.share > 0.02).sort((a, b) => b.share - a.share).map((one) => ({
    share: one.share,
    text: STATES[one.state] + (one.events.length ? ` (${one.events.join(', ')})` : ''),
    bad: one.state !== 'retires',
  }));
}

// How many iterations runs of a loop have; bars of equal width, each labelled in its title.
export function trips(loop, width, height) {
  const bars = loop.trips ?? [];
  const most = Math.max(...bars.map((bar) => bar.count), loop.longer?.count ?? 0);
  if (!(most > 0)) return null;
  const all = [...bars.map((bar) => ({ ...bar, name: bar.n_hi ? `${exact(bar.n_lo)} to ${exact(bar.n_hi)}` : exact(bar.n) })),
    ...(loop.longer?.count ? [{ count: loop.longer.count, name: `${exact(loop.longer.n)} or more`, cut: true }] : [])];
  const step = width / all.length;
  return svg('svg', { class: 'trips', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'iterations per entry' },
    all.map((bar, i) => {
      const tall = Math.max(1, (height - 1) * (bar.count / most));
      return svg('rect', { x: i * step + 0.5, y: height - tall, width: Math.max(1, step - 1), height: tall, class: bar.cut ? 'cut' : null },
        svg('title', {}, `${bar.name} iterations: ${withInterval(exact, bar.count, bar.lo, bar.hi)} runs`));
    }));
}

// "9.40 iterations per entry"
export function tripsText(loop) {
  return known(loop.mean) ? `${withInterval(number, loop.mean, loop.mean_lo, loop.mean_hi)} iterations per entry` : 'iterations per entry not known';
}

