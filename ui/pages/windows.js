// The windows that the recording kept, the unusual ones first.
import { h, show, svg } from '../dom.js';
import { ask, canAsk, isFile } from '../ask.js';
import { go, href } from '../route.js';
import { table } from '../table.js';
import { functionLink } from '../links.js';
import { exact, number, plural, seconds, UNKNOWN } from '../format.js';
import { lengthsView } from '../window/lengths.js';

const MEASURES = { code: 'code', depth: 'levels of calls', calls: 'calls', cycles: 'modelled cycles' };

// Calls of code that cannot be read are not seen, as `gait windows` says.
const unread = (row) => row.opaque * 10 > row.instructions;

// How deep calls go, from the window's beginning to its end.
function shape(row) {
  const most = Math.max(1, ...row.shape), points = row.shape.map((deep, i) => `L${i * 1.5},${18 - (16 * (deep + 0.5)) / (most + 0.5)}h1.5`);
  return h('span', { class: 'shape' }, svg('svg', { viewBox: '0 0 96 18', width: 96, height: 18, 'aria-hidden': 'true' }, svg('path', { d: `M0,18${points.join('')}V18Z` })),
    h('span', { class: 'number' }, unread(row) ? UNKNOWN : exact(row.levels)));
}

const columns = [
  { id: 'window', title: 'window', kind: 'text', value: (row) => row.window, help: 'its number, by time',
    width: 74,
    cell: (row) => (canAsk('windows', { show: row.window }) ? h('a', { href: href('window', { n: row.window }) }, row.window) : row.window) },
  { id: 'unlike', title: 'unlike', kind: 'number', width: 74, value: (row) => row.unlike, help: 'distance from the usual window, in spreads, of four measures the largest: code, levels of calls, calls, modelled cycles' },
  { id: 'unusual', title: 'what is unusual', kind: 'text', wide: true, width: 240, value: (row) => row.unusual.map((one) => one.text).join('; ') },
  { id: 'levels', title: 'levels of calls', kind: 'text', width: 136, value: (row) => row.levels, cell: shape, help: 'how deep calls go, over the instructions of the window' },
  { id: 'time', title: 'at', kind: 'time', width: 76, value: (row) => row.time, help: 'when it began, since the start of the run' },
  { id: 'thread', title: 'thread', kind: 'text', width: 100, value: (row) => `${row.thread} ${row.tid}`.trim() },
  { id: 'function', title: 'began in', kind: 'text', width: 128, value: (row) => row.function, cell: (row) => functionLink(row) },
  { id: 'instructions', title: 'insns', kind: 'count', width: 70, help: 'instructions that were kept', value: (row) => row.instructions },
  { id: 'calls', title: 'calls', kind: 'count', width: 62, value: (row) => (unread(row) ? null : row.calls), help: 'calls that begin in the window; not known where code cannot be read' },
  { id: 'cycles', title: 'cycles', kind: 'number', width: 70, value: (row) => row.cpi, help: 'modelled cycles per instruction' },
];

// Every window as a point: when, and how unlike the others.
function points(answer) {
  const rows = answer.rows.filter((row) => row.time !== null && row.unlike !== null);
  if (rows.length < 2) return null;
  const wide = 1000, tall = 54, end = Math.max(...rows.map((row) => row.time)) || 1;
  const y = (unlike) => 6 + (tall - 12) * (1 - Math.log1p(unlike) / Math.log1p(Math.max(6, ...rows.map((row) => row.unlike))));
  return h('div', { class: 'window-points' },
    svg('svg', { viewBox: `0 0 ${wide} ${tall}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'windows over time, the unusual ones higher' },
      svg('line', { class: 'odd', x1: 0, x2: wide, y1: y(3), y2: y(3), 'vector-effect': 'non-scaling-stroke' }),
      rows.map((row) => svg('line', { class: row.unlike >= 3 ? 'point odd' : 'point', x1: 4 + ((wide - 8) * row.time) / end, x2: 4 + ((wide - 8) * row.time) / end, y1: y(row.unlike), y2: tall - 2, 'vector-effect': 'non-scaling-stroke',
        onclick: () => canAsk('windows', { show: row.window }) && go('window', { n: row.window }) }, svg('title', {}, `window ${row.window}, ${seconds(row.time)}: ${number(row.unlike)} spreads${row.unusual.length ? `; ${row.unusual[0].text}` : ''}`)))),
  );
}

function about(answer) {
  const usual = Object.entries(answer.usual).filter(([, one]) => one.median !== null);
  const text = { code: (x) => `${number(100 * (1 - x))} % of the code in common with the others`, depth: (x) => `${number(x)} levels of calls`, calls: (x) => `${number(x)} calls per 1000 instructions`, cycles: (x) => `${number(x)} cycles an instruction` };
  return h('p', { class: 'small window-about' },
    answer.rows.length < answer.kept ? `${exact(answer.rows.length)} of ${plural(answer.kept, 'window')} that were kept began in this part of the run` : `${plural(answer.kept, 'window')} ${answer.kept === 1 ? 'was' : 'were'} kept`,
    ', each of some thousand instructions in the order they ran. ',
    usual.length ? `Usual: ${usual.map(([name, one]) => text[name](one.median)).join(', ')}. ` : 'Too few to say which are unusual. ',
    `Cycles are modelled: ${answer.core_why || answer.core}. Below, windows over time: the higher, the more unlike the others; those beyond the line are unusual.`);
}

// What else the address may ask for: the lengths of a function's calls.
async function lengths(params) {
  if (!params.function || !canAsk('windows', { function: params.function })) return null;
  return lengthsView(await ask('windows', { function: params.function }));
}

// A file has the pages of some of them: the others are no links.
function heldText(answer) {
  const held = answer.rows.filter((row) => canAsk('windows', { show: row.window })).length;
  return isFile() && held < answer.rows.length ? `${exact(held)} have a page in this file: gait export --format html --windows N writes more` : '';
}

export const windows = {
  id: 'windows', title: 'Windows', group: 'Program',
  command: (params) => ({ route: 'windows', params: params.function ? { function: params.function } : {} }),
  async show(root, params) {
    const info = await ask('info');
    if (info.mode !== 'sampled') {
      show(root, h('p', { class: 'missing' }, 'This profile has no windows: only sampled recordings keep them. Record without --exact and without --plain.'));
      return undefined;
    }
    let answer;
    try {
      answer = await ask('windows');
    } catch (error) { // most often: of a run that was too short
      show(root, h('p', { class: 'missing' }, `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`));
      return undefined;
    }
    const place = h('div', { class: 'window-list' });
    show(root, await lengths(params), about(answer), points(answer), place);
    return table(place, { rows: answer.rows, columns, params, label: 'windows', sort: '-unlike', note: heldText(answer) });
  },
};

export const unusualText = (row) => row.unusual.map((one) => `${MEASURES[one.measure]}: ${one.text}`).join('; ');
