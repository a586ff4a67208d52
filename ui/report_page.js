// Pages that are tables of `gait report --by KEY`.
import { ask } from './ask.js';
import { table } from './table.js';
import { functionLink, lineText, moduleOf, placeLink } from './links.js';
import { show } from './dom.js';

const has = (rows, key) => rows.some((row) => row[key] !== undefined && row[key] !== null);
const interval = (key) => ({ lo: (row) => row[`${key}_lo`], hi: (row) => row[`${key}_hi`] });

// CPU time that shares are of: with the kernel's, if that was sampled.
export const cpuTime = (answer) => answer.user_time + (answer.kernel_rows ? answer.kernel_time : 0);

// Functions of the program and of the kernel in one order, as in the text.
export function rowsRanked(answer) {
  if (!answer.kernel_rows) return answer.rows;
  const kernel = answer.kernel_rows.map((row) => ({ ...row, kernel: true, time: row.kernel_time,
    time_lo: row.kernel_time_lo, time_hi: row.kernel_time_hi, total: row.kernel_total,
    total_lo: row.kernel_total_lo, total_hi: row.kernel_total_hi }));
  return [...answer.rows, ...kernel].sort((a, b) => b.time - a.time);
}

// Figures that rows of any kind can have, as far as these have them.
function figures(answer, rows) {
  const all = cpuTime(answer);
  const columns = [
    { id: 'share', key: 'time', title: 'share', kind: 'share', bar: true, help: `share of ${answer.kernel_rows ? '' : 'user '}CPU time, with its 95 % interval`,
      value: (row) => row.time / all, lo: (row) => row.time_lo / all, hi: (row) => row.time_hi / all },
    { id: 'time', key: 'time', title: 'time', kind: 'time', value: (row) => row.time, ...interval('time'), help: 'CPU time' },
    { id: 'total', key: 'total', title: 'with callees', kind: 'time', value: (row) => row.total, ...interval('total'), help: 'CPU time of it and of all that it calls; of a function of the program without the kernel\'s' },
    { id: 'count', key: 'count', title: 'executions', kind: 'count', bar: !has(rows, 'time'), value: (row) => row.count, lo: (row) => row.lo, hi: (row) => row.hi, help: 'how often it ran' },
    { id: 'iterations', key: 'iterations', title: 'iterations', kind: 'count', value: (row) => row.iterations, ...interval('iterations'), help: 'iterations in all' },
    { id: 'mean', key: 'mean', title: 'per entry', kind: 'number', value: (row) => row.mean, ...interval('mean'), help: 'iterations each time that the loop is entered' },
    { id: 'instructions', key: 'instructions', title: 'instructions', kind: 'count', value: (row) => row.instructions, ...interval('instructions'), help: 'executed instructions' },
    { id: 'cpi', key: 'cpi', title: 'ticks/insn', kind: 'number', value: (row) => row.cpi, ...interval('cpi'), help: 'ticks of the time stamp counter for each instruction' },
  ];
  const hasTime = all > 0 && has(rows, 'time');
  return columns.filter((column) => has(rows, column.key) && (column.key !== 'time' || hasTime));
}

const NAMES = {
  function: [
    { id: 'name', title: 'function', kind: 'text', wide: true, value: (row) => row.name, cell: functionLink },
    { id: 'module', title: 'module', kind: 'text', value: (row) => (row.kernel ? '[kernel]' : moduleOf(row.address)) },
  ],
  line: [{ id: 'line', title: 'line', kind: 'text', wide: true, value: lineText }],
  edge: [
    { id: 'from', title: 'from', kind: 'text', wide: true, value: (row) => row.from, cell: (row) => placeLink(row.from, row.from) },
    { id: 'to', title: 'to', kind: 'text', wide: true, value: (row) => row.to, cell: (row) => placeLink(row.to, row.to) },
    { id: 'kind', title: 'kind', kind: 'text', value: (row) => row.kind },
  ],
  loop: [
    { id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: (row) => placeLink(row.address, row.function) },
    { id: 'address', title: 'head', kind: 'text', value: (row) => row.address },
    { id: 'depth', title: 'depth', kind: 'number', value: (row) => row.depth },
  ],
};

export function reportPage({ id, title, by, heading, hidden }) {
  const question = { by };
  return {
    id, title, heading, hidden, group: 'Tables',
    command: () => ({ route: 'report', params: question }),
    async show(root, params) {
      const answer = await ask('report', question);
      if (!answer.rows.length) {
        show(root, 'Nothing of this was recorded.');
        return undefined;
      }
      const rows = rowsRanked(answer);
      return table(root, { rows, columns: [...NAMES[by], ...figures(answer, rows)], params, label: title.toLowerCase() });
    },
  };
}
