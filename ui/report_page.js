// Pages that are tables of `gait report --by KEY`.
import { ask, isFile } from './ask.js';
import { countsMissing } from './carried.js';
import { table } from './table.js';
import { functionLink, heldFunctions, lineText, moduleOf, placeLink } from './links.js';
import { exact, ticks } from './format.js';
import { offset } from './function/assembly.js';
import { h, show } from './dom.js';

const interval = (key) => ({ lo: (row) => row[`${key}_lo`], hi: (row) => row[`${key}_hi`] });

// Functions of the program and of the kernel in one order, as in the text. A kernel that was not sampled is one row.
export function rowsRanked(answer) {
  const kernel = (answer.kernel_rows ?? []).map((row) => ({ ...row, kernel: true, time: row.kernel_time,
    time_lo: row.kernel_time_lo, time_hi: row.kernel_time_hi,
    events: row.kernel_events, events_lo: row.kernel_events_lo, events_hi: row.kernel_events_hi }));
  if (answer.kernel_unsampled > 0)
    kernel.push({ name: '[kernel]', kernel: true, module: '(not sampled)', time: answer.kernel_unsampled, share: answer.kernel_unsampled_share });
  if (!kernel.length) return answer.rows;
  return [...answer.rows, ...kernel].sort((a, b) => b.share - a.share);
}

// What shares are of.
export function wholeText(answer) {
  if (answer.weight !== 'time') return answer.rows.some((row) => row.events !== undefined) ? 'sampled events' : 'executed instructions';
  return answer.kernel_rows || answer.kernel_unsampled !== undefined ? 'CPU time, user and kernel' : 'user CPU time';
}

// The same of the rows of one kind.
const wholeOf = (answer, by) => (by === 'edge' ? 'all executions of edges' : by === 'python' ? 'CPU time, user and kernel' : wholeText(answer));

// A file has the pages of some functions, and the table shows which: the others are no links.
const heldText = (by) => (isFile() && by === 'function' ? `; ${exact(heldFunctions())} have a page in this file: gait export --format html --functions N writes more` : '');

// Figures that rows of any kind can have, as far as these have them.
function figures(answer, rows, by) {
  const code = wholeOf(answer, by);
  const columns = [
    { id: 'share', title: 'share', kind: 'share', bar: true, help: `share of ${code}, with its 95 % interval`, value: (row) => row.share, ...interval('share') },
    { id: 'time', title: 'time', kind: 'time', spare: 1, value: (row) => row.time, ...interval('time'), help: 'CPU time' },
    { id: 'events', title: 'events', kind: 'counted', value: (row) => row.events, ...interval('events'), help: 'sampled events' },
    { id: 'total_share', title: 'with callees', kind: 'share', width: 112, narrow: 108, value: (row) => row.total_share, ...interval('total_share'), help: `share of ${code}: it and all that it calls` },
    { id: 'kernel', title: 'kernel', kind: 'time', value: (row) => (by === 'python' ? row.kernel_time : null), ...interval('kernel_time'), help: 'CPU time in the kernel' },
    { id: 'total', title: 'with callees', kind: 'time', width: 112, value: (row) => (by === 'python' ? row.total : null), ...interval('total'), help: 'CPU time of it and of all that it calls, user and kernel' },
    { id: 'count', title: 'executions', kind: 'counted', value: (row) => row.count, lo: (row) => row.lo, hi: (row) => row.hi, help: 'how often it ran; ~: known less well than to a quarter; ?: it may be twice as much' },
    { id: 'iterations', title: 'iterations', kind: 'counted', value: (row) => row.iterations, ...interval('iterations'), help: 'iterations in all' },
    { id: 'mean', title: 'per entry', kind: 'number', value: (row) => row.mean, ...interval('mean'), help: 'iterations each time that the loop is entered' },
    { id: 'instructions', title: 'instructions', kind: 'counted', spare: 2, narrow: 110, value: (row) => row.instructions, ...interval('instructions'), help: 'executed instructions' },
    { id: 'cpi', title: 'ticks/insn', kind: 'number', spare: 3, value: ticks, ...interval('cpi'), help: 'ticks of the time stamp counter for each instruction, where both are known well enough' },
  ];
  return columns.filter((column) => rows.some((row) => typeof column.value(row) === 'number'));
}

const lineKnown = (row) => (row.line ? lineText(row) : '(line not known)');
const placed = (row) => placeLink(row.address ?? row.from, row.function);
// Code without lines is one row for each module, whatever function its heaviest instruction is in.
const lineOwner = (row) => (row.line ? row.function : `(${moduleOf(row.address)})`);
// An address without its module, which is the function's; another module's as it is.
const short = (row, address) => (moduleOf(address) === moduleOf(row.address ?? row.from) ? offset(address) : address);
const NAMES = {
  function: [
    { id: 'name', title: 'function', kind: 'text', wide: true, value: (row) => row.name, cell: functionLink },
    { id: 'module', title: 'module', kind: 'text', narrow: 84, value: (row) => (row.kernel ? row.module ?? '[kernel]' : moduleOf(row.address)) },
  ],
  line: [
    { id: 'line', title: 'line', kind: 'text', wide: true, value: lineKnown, cell: (row) => (row.line ? placeLink(row.address, lineKnown(row), {}, row.function) : lineKnown(row)) },
    { id: 'function', title: 'function', kind: 'text', wide: true, value: lineOwner, cell: (row) => (row.line ? placed(row) : lineOwner(row)) },
  ],
  python: [
    { id: 'python', title: 'Python function', kind: 'text', wide: true, value: (row) => row.python || '(no Python)' },
    { id: 'line', title: 'line', kind: 'text', wide: true, value: (row) => (row.python ? lineText(row) : ''), help: 'where the function is defined' },
  ],
  edge: [
    { id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: placed },
    { id: 'line', title: 'line', kind: 'text', width: 128, narrow: 118, value: lineText },
    { id: 'from', title: 'from', kind: 'text', width: 90, narrow: 82, value: (row) => row.from, cell: (row) => placeLink(row.from, short(row, row.from), {}, row.function) },
    { id: 'to', title: 'to', kind: 'text', width: 150, narrow: 82, value: (row) => row.to, cell: (row) => placeLink(row.to, short(row, row.to)) },
    { id: 'kind', title: 'kind', kind: 'text', width: 64, value: (row) => row.kind },
  ],
  loop: [
    { id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: placed },
    { id: 'line', title: 'line', kind: 'text', width: 128, narrow: 118, value: lineText },
    { id: 'address', title: 'head', kind: 'text', width: 84, spare: 4, value: (row) => row.address, cell: (row) => short(row, row.address) },
    { id: 'depth', title: 'depth', kind: 'count', width: 64, value: (row) => row.depth, help: 'loops around it, with itself' },
  ],
};

// Asking for them would be an error.
const PLAIN_HAS_NOT = {
  edge: 'This profile has samples and stacks, but no edges: they are recorded by gait record without --plain.',
  loop: 'This profile has samples and stacks, but no runs of loops: they are recorded by gait record without --plain.',
};

export function reportPage({ id, title, by, heading, hidden, needs }) {
  const question = { by };
  return {
    id, title, heading, hidden, needs, group: 'Tables',
    command: () => ({ route: 'report', params: question }),
    async show(root, params) {
      const info = await ask('info');
      const none = PLAIN_HAS_NOT[by] && (info.mode === 'plain' ? PLAIN_HAS_NOT[by] : countsMissing(info));
      const answer = none ? { rows: [] } : await ask('report', question);
      if (!answer.rows.length) {
        show(root, h('p', { class: 'missing' }, none || 'Nothing of this was recorded.'));
        return undefined;
      }
      const rows = rowsRanked(answer);
      const shown = figures(answer, rows, by);
      return table(root, { rows, columns: [...NAMES[by], ...shown], params, sort: shown[0] && `-${shown[0].id}`, label: title.toLowerCase(), note: `shares of ${wholeOf(answer, by)}${heldText(by)}` });
    },
  };
}
