// How many instructions calls of a function take: `gait windows --function F --json` as bars.
import { h, svg } from '../dom.js';
import { href } from '../route.js';
import { exact, UNKNOWN } from '../format.js';

const known = (x) => (x === null || x === undefined ? UNKNOWN : exact(x));
const WIDE = 520, TALL = 96, BASE = 76;

function range(row) {
  return row.from === row.to ? exact(row.from) : `${exact(row.from)} to ${exact(row.to)}`;
}

function bars(answer) {
  const { rows } = answer, most = Math.max(1, ...rows.map((row) => row.calls + row.cut)), each = Math.min(48, WIDE / rows.length);
  const tall = (n) => (n ? Math.max(1.5, (n / most) * (BASE - 6)) : 0);
  const step = Math.max(1, Math.ceil(rows.length / 8));
  return svg('svg', { class: 'lengths', viewBox: `0 0 ${WIDE} ${TALL}`, role: 'img', 'aria-label': 'number of calls by their length in instructions' },
    rows.map((row, i) => svg('g', {}, svg('title', {}, `${range(row)} instructions: ${exact(row.calls)} calls, ${exact(row.cut)} cut by the end of their window`),
      svg('rect', { class: 'hit', x: i * each, y: 0, width: each, height: BASE }),
      svg('rect', { class: 'calls', x: i * each + 0.5, y: BASE - tall(row.calls), width: Math.max(1, each - 1), height: tall(row.calls) }),
      svg('rect', { class: 'cut', x: i * each + 0.5, y: BASE - tall(row.calls) - tall(row.cut), width: Math.max(1, each - 1), height: tall(row.cut) }))),
    svg('line', { x1: 0, x2: WIDE, y1: BASE + 0.5, y2: BASE + 0.5 }),
    rows.map((row, i) => i % step === 0 && svg('text', { x: i * each + 1, y: TALL - 5 }, exact(row.from))));
}

// The distribution, as an element.
export function lengthsView(answer) {
  const names = answer.functions.map((one) => one.name).join(', ');
  const { longest } = answer;
  return h('section', { class: 'lengths-view' },
    h('h2', {}, 'Instructions of a call: ', h('code', {}, names)),
    h('p', { class: 'small' }, `${exact(answer.calls)} calls in all windows, ${exact(answer.cut)} cut by a window's end (pale, at least so long), ${exact(answer.begun)} begun before theirs and not counted. `,
      `10 %, half, 90 % and 99 % of calls take up to ${[answer.p10, answer.p50, answer.p90, answer.p99].map(known).join(', ')}.`),
    answer.rows.length > 0 && bars(answer),
    longest && h('p', { class: 'small' }, h('a', { href: href('window', { n: longest.window, from: longest.from, to: longest.from + longest.instructions }) },
      `the longest, ${exact(longest.instructions)} instructions, in window ${longest.window}`)));
}
