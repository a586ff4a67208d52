// CPU time over the run: bars for slices, stacked by function or by thread. A part can be chosen, by
// mouse or by keys; it goes into the address, and pages then show that part.
import { h, show, svg } from './dom.js';
import { isFile } from './ask.js';
import { current, go, timePart } from './route.js';
import { count, percent, plural, seconds } from './format.js';
import { seriesColor } from './flame/colors.js';
import { isDark, onTheme } from './theme.js';

const SERIES = 7; // with a colour of their own
const HIGH = 100, WIDE = 1000; // of the picture, in its own unit

// [{name, at: [a number for each slice]}], the others last.
function seriesOf(answer, by) {
  const rows = by === 'thread'
    ? answer.threads.map((one) => ({ name: `${one.thread} ${one.tid}`, at: one.user.map((x, i) => x + one.kernel[i]) }))
    : answer.rows.map((one) => ({ name: one.function + (one.kernel ? ' [k]' : ''), at: one.times }));
  const shown = rows.slice(0, SERIES);
  const n = by === 'thread' ? answer.threads_n : answer.functions_n;
  const rest = answer.slices.map((slice, i) => Math.max(0, slice.user + slice.kernel - shown.reduce((sum, one) => sum + one.at[i], 0)));
  if (n > shown.length) shown.push({ name: plural(n - shown.length, 'other'), at: rest, others: true });
  return shown;
}

// Where slices stand. Recordings that were merged may lie days apart: then gaps are left out.
function scaleOf(slices) {
  const first = slices[0].from, last = slices[slices.length - 1].to;
  const covered = slices.reduce((sum, slice) => sum + slice.to - slice.from, 0);
  const gaps = last - first > 4 * covered;
  const place = (i) => (gaps ? (WIDE * i) / slices.length : (WIDE * (slices[i].from - first)) / (last - first));
  const width = (i) => (gaps ? WIDE / slices.length : (WIDE * (slices[i].to - slices[i].from)) / (last - first));
  const at = (x) => {
    for (let i = slices.length - 1; i > 0; i--) if (x >= place(i)) return i;
    return 0;
  };
  return { first, last, gaps, place, width, at };
}

// Round steps of an axis.
function ticks(from, to, most) {
  const raw = (to - from) / most, base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * base).find((x) => x >= raw);
  const all = [];
  for (let x = Math.ceil(from / step) * step; x <= to + 1e-9; x += step) all.push(Number(x.toPrecision(12)));
  return all;
}

export function timeline(root, answer) {
  const { slices } = answer, events = answer.unit === 'events';
  const scale = scaleOf(slices), state = { by: 'function', from: -1, to: -1, cursor: -1 };
  const height = (i) => (slices[i].user + slices[i].kernel) / (events ? 1 : slices[i].to - slices[i].from || 1);
  const most = Math.max(...slices.map((_, i) => height(i))) || 1;
  const bars = svg('g', {}), dims = svg('g', {}), cursor = svg('rect', { class: 'time-cursor', y: 0, height: HIGH, visibility: 'hidden' });
  const picture = svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, bars, dims, cursor);
  const said = h('span', { class: 'said', role: 'status' });
  const legend = h('p', { class: 'key time-key' });
  const choices = h('span', { class: 'group' });
  const plot = h('div', { class: 'time-plot', tabindex: 0, role: 'group',
    'aria-label': `CPU time over the run${isFile() ? '' : '; arrow keys move, with Shift they choose a part, Enter shows it'}` }, picture);
  const axis = h('div', { class: 'time-axis', 'aria-hidden': 'true' });
  let series = [];
  const lengths = slices.map((slice) => slice.to - slice.from).sort((a, b) => a - b), usual = lengths[lengths.length >> 1]; // the first and last are shorter

  function drawBars() {
    series = seriesOf(answer, state.by);
    const rects = [];
    slices.forEach((slice, i) => {
      let y = HIGH;
      const all = slice.user + slice.kernel || 1;
      series.forEach((one, k) => {
        const high = (one.at[i] / all) * height(i) / most * HIGH;
        if (!(high > 0)) return;
        y -= high;
        rects.push(svg('rect', { x: scale.place(i), y, width: Math.max(0.2, scale.width(i) - 0.8), height: high, fill: seriesColor(one.others ? -1 : k, isDark()) }));
      });
    });
    show(bars, rects);
    show(legend, series.map((one, k) => h('span', { title: one.name }, h('i', { style: { background: seriesColor(one.others ? -1 : k, isDark()) } }), one.name)));
    show(choices, ['function', 'thread'].map((by) => h('button', { type: 'button', 'aria-pressed': String(state.by === by),
      onclick: () => { state.by = by; drawBars(); } }, `by ${by}`)));
  }

  function drawAxis() {
    const label = (x, text, edge) => h('span', { class: edge, style: { left: `${(100 * x) / WIDE}%` } }, text);
    const xs = scale.gaps ? [] : ticks(scale.first, scale.last, 8).map((s) => label((WIDE * (s - scale.first)) / (scale.last - scale.first), `${s} s`));
    show(axis, scale.gaps ? label(0, 'recordings one after the other; gaps are left out') : xs);
  }

  // What is not chosen is covered.
  function drawPart() {
    const rect = (x, wide) => svg('rect', { class: 'time-dim', x, y: 0, width: Math.max(0, wide), height: HIGH });
    if (state.from < 0) {
      show(dims);
    } else {
      const left = scale.place(state.from), right = scale.place(state.to) + scale.width(state.to);
      show(dims, rect(0, left), rect(right, WIDE - right), svg('rect', { class: 'time-chosen', x: left, y: 0, width: right - left, height: HIGH }));
    }
  }

  function describe(i) {
    if (i < 0) {
      said.textContent = events ? `at most ${count(most)} events in a slice` : `at most ${most.toFixed(2)} CPUs busy; slices of ${seconds(usual)}`;
      return;
    }
    const slice = slices[i], all = slice.user + slice.kernel;
    const top = series.map((one) => [one.name, one.at[i]]).filter(([, x]) => x > 0).sort((a, b) => b[1] - a[1]).slice(0, 2);
    said.textContent = `${slice.from.toFixed(2)} to ${slice.to.toFixed(2)} s: ${events ? `${count(all)} events` : `${height(i).toFixed(2)} CPUs, ${seconds(all)}`}; ${top.map(([name, x]) => `${percent(x / all)} ${name}`).join(', ')}`;
  }

  function point(i) {
    state.cursor = i;
    cursor.setAttribute('visibility', i < 0 ? 'hidden' : 'visible');
    if (i >= 0) {
      cursor.setAttribute('x', scale.place(i));
      cursor.setAttribute('width', scale.width(i));
    }
    describe(i);
  }

  function choose(a, b) {
    state.from = Math.min(a, b);
    state.to = Math.max(a, b);
    drawPart();
  }

  // Shows the part on all pages; without one, everything.
  function apply() {
    const { page, params } = current();
    const part = state.from < 0 ? '' : `${slices[state.from].from.toFixed(3)}:${slices[state.to].to.toFixed(3)}`;
    go(page ?? 'overview', { ...params, time: part });
  }

  function clear() {
    state.from = state.to = -1;
    drawPart();
    if (timePart()) apply();
  }

  const sliceAt = (event) => {
    const box = picture.getBoundingClientRect();
    return scale.at((WIDE * (event.clientX - box.left)) / box.width);
  };
  let drag = -1;
  plot.addEventListener('pointermove', (event) => {
    const i = sliceAt(event);
    point(i);
    if (drag >= 0) choose(drag, i);
  });
  plot.addEventListener('pointerleave', () => point(-1));
  if (isFile()) {
    plot.addEventListener('pointerdown', () => { said.textContent = 'This file holds the whole run; gait view shows a part of it that you drag over.'; });
  } else {
    plot.addEventListener('pointerdown', (event) => {
      drag = sliceAt(event);
      plot.setPointerCapture(event.pointerId);
      choose(drag, drag);
    });
    plot.addEventListener('pointerup', () => {
      drag = -1;
      if (state.from === 0 && state.to === slices.length - 1) clear();
      else apply();
    });
  }
  plot.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const to = Math.max(0, Math.min(slices.length - 1, state.cursor + step));
      if (event.shiftKey && !isFile()) choose(state.from < 0 ? Math.max(0, state.cursor) : state.cursor === state.from ? state.to : state.from, to);
      point(to);
    } else if (event.key === 'Enter' && state.from >= 0) apply();
    else if (event.key === 'Escape') clear();
    else return;
    event.preventDefault();
  });

  const part = timePart();
  if (part) {
    const inside = slices.map((slice, i) => i).filter((i) => slices[i].to > part.from + 1e-6 && slices[i].from < part.to - 1e-6);
    if (inside.length) [state.from, state.to] = [inside[0], inside[inside.length - 1]];
  }
  show(root, h('div', { class: 'tools time-tools' }, choices, said), plot, axis, legend);
  drawBars();
  drawAxis();
  drawPart();
  point(-1);
  return onTheme(drawBars);
}
