// Functions of a service over days and builds, of all machines; what the last build changed beyond noise is marked.
import { h, show, svg } from '../dom.js';
import { ask, isFile } from '../ask.js';
import { href } from '../route.js';
import { table } from '../table.js';
import { exact, percent, plural } from '../format.js';
import { seriesColor } from '../flame/colors.js';
import { isDark, onTheme } from '../theme.js';

const SERIES = 7; // with a colour of their own
const WIDE = 1000, HIGH = 100; // of the picture, in its own unit
const ROWS = 400;

const isStore = (name) => /^(sqlite:|postgres(ql)?:\/\/)/.test(name);
const day = (unix, hours) => new Date(1000 * unix).toISOString().slice(0, hours ? 16 : 10).replace('T', ' ');
const buildName = (build) => build.slice(0, 12) || 'no build-id';
const points = (x) => `${x > 0 ? '+' : x < 0 ? '−' : ''}${Math.abs(100 * x).toFixed(2)}`;

// [{name, whole, of: row -> amount}]: what bars stand for.
function periodsOf(answer) {
  const hours = answer.period_seconds < 86400;
  return answer.periods.map((whole, i) => ({ name: day(answer.first_unix + i * answer.period_seconds, hours), whole, of: (row) => row.periods[i] }));
}

function buildsOf(answer) {
  return answer.by_build.map((one, i) => ({ ...one, name: `${buildName(one.build)}, since ${day(one.first_unix, answer.period_seconds < 86400)}`, whole: one.amount, of: (row) => row.builds[i] }))
    .sort((a, b) => a.first_unix - b.first_unix);
}

// A row's shares, as small bars on the scale of its largest.
function spark(row, bars) {
  const shares = bars.map((bar) => (bar.whole > 0 ? bar.of(row) / bar.whole : 0)), most = Math.max(...shares) || 1;
  return svg('svg', { class: 'spark', viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    shares.map((share, i) => svg('rect', { x: (WIDE * i) / bars.length, width: Math.max(1, (0.9 * WIDE) / bars.length), y: HIGH * (1 - share / most), height: (HIGH * share) / most })));
}

function chart(answer, by) {
  const bars = by === 'build' ? buildsOf(answer) : periodsOf(answer), top = answer.rows.slice(0, SERIES);
  const wide = WIDE / bars.length, said = h('span', { class: 'said', role: 'status' });
  const rects = (bar, i) => {
    let y = HIGH;
    const one = (share, k) => {
      y -= HIGH * share;
      return svg('rect', { x: i * wide, y, width: Math.max(0.2, wide - 1), height: HIGH * share, fill: seriesColor(k, isDark()) });
    };
    const shares = top.map((row) => (bar.whole > 0 ? bar.of(row) / bar.whole : 0));
    return bar.whole > 0 ? [...shares.map(one), one(Math.max(0, 1 - shares.reduce((a, b) => a + b, 0)), -1)] : [];
  };
  const picture = svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `shares of functions by ${by}` });
  const draw = () => show(picture, bars.map(rects), by === 'build' ? null : answer.by_build.map((one) => {
    const x = (WIDE * (one.first_unix - answer.first_unix)) / (answer.period_seconds * bars.length);
    return x > 0 && svg('line', { class: 'trend-build', x1: x, x2: x, y1: 0, y2: HIGH }, svg('title', {}, `build ${buildName(one.build)}`));
  }));
  picture.addEventListener('mousemove', (event) => {
    const box = picture.getBoundingClientRect(), bar = bars[Math.floor((bars.length * (event.clientX - box.left)) / box.width)];
    if (bar) said.textContent = `${bar.name}: ${bar.whole > 0 ? top.slice(0, 3).map((row) => `${percent(bar.of(row) / bar.whole)} ${row.function}`).join(', ') : 'nothing'}`;
  });
  draw();
  const legend = h('p', { class: 'key time-key' }, top.map((row, k) => h('span', { title: row.function }, h('i', { style: { background: seriesColor(k, isDark()) } }), row.function)),
    answer.rows.length > SERIES && h('span', {}, h('i', { style: { background: seriesColor(-1, isDark()) } }), 'others'));
  const axis = h('div', { class: 'time-axis', 'aria-hidden': 'true' }, bars.filter((_, i) => i % Math.ceil(bars.length / 8) === 0)
    .map((bar) => h('span', { style: { left: `${(100 * bars.indexOf(bar)) / bars.length}%` } }, bar.name)));
  return { element: h('div', { class: 'timeline' }, h('div', { class: 'time-plot' }, picture), axis, legend, said), leave: onTheme(draw) };
}

const verdict = (row) => (row.sure ? (row.change > 0 ? 'more' : 'less') : '');

function columns(answer, bars) {
  const share = (id, title, help) => ({ id, title, kind: 'share', width: 92, help, value: (row) => row[id] });
  return [{ id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function },
    { id: 'module', title: 'module', kind: 'text', spare: 1, value: (row) => row.module },
    { id: 'share', title: 'share', kind: 'share', bar: true, help: 'of all CPU time in all periods', value: (row) => row.share, lo: (row) => row.share_lo, hi: (row) => row.share_hi },
    { id: 'bars', title: 'over time', kind: 'text', width: 150, spare: 2, help: 'shares, on the scale of the largest', value: () => '', cell: (row) => spark(row, bars) },
    ...(answer.build_before === null ? [] : [share('share_before', 'before', `in build ${buildName(answer.build_before)}`), share('share_last', 'last build', `in build ${buildName(answer.last_build)}`),
      { id: 'change', title: '% points', kind: 'number', width: 92, help: 'how far the last build moved its share', value: (row) => Math.abs(row.change), text: (row) => points(row.change),
        tip: (row) => `95 %: ${points(row.change_lo)} to ${points(row.change_hi)}` },
      { id: 'verdict', title: 'verdict', kind: 'text', width: 76, help: 'more or less: beyond an interval that is widened for the number of functions', value: verdict,
        cell: (row) => h('span', { class: `verdict ${verdict(row)} ${row.sure ? 'real' : ''}` }, verdict(row)) }])];
}

function heading(answer) {
  const sure = answer.rows.filter((row) => row.sure);
  const worse = sure.filter((row) => row.change > 0).length;
  return h('p', { class: 'said' }, `${answer.service}, ${answer.kind}: ${plural(answer.builds, 'build')}. `,
    answer.build_before === null ? 'There is no build to compare with.'
      : `Build ${buildName(answer.last_build)}, since ${day(answer.last_build_unix, true)}, against ${buildName(answer.build_before)}: ${exact(worse)} of ${plural(answer.rows.length, 'function')} take more, beyond noise; ${exact(sure.length - worse)} take less.`);
}

export const trend = {
  id: 'trend', title: 'Days and builds', group: 'Compare', needs: (profiles) => !isFile() && profiles.length === 1 && isStore(profiles[0]),
  heading: () => 'Functions over days and builds',
  command: () => ({ route: 'trend', params: {} }),
  async show(root, params) {
    const answer = await ask('trend', { limit: ROWS }), bars = periodsOf(answer);
    const by = params.by === 'build' ? 'build' : 'time', picture = chart(answer, by), place = h('div', { class: 'body' });
    const choice = (one) => h('a', { class: 'choice', href: href('trend', { by: one }), 'aria-current': one === by ? 'true' : null }, `by ${one}`);
    show(root, heading(answer), h('div', { class: 'tools' }, h('span', { class: 'group' }, ['time', 'build'].map(choice))), picture.element, place);
    const leave = table(place, { rows: answer.rows, columns: columns(answer, bars), params, label: 'functions', sort: answer.build_before === null ? '-share' : '-change' });
    return () => { picture.leave?.(); leave?.(); };
  },
};
