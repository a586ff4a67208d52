// What was measured at single instructions, as tables that lead to the code: paths, values, latencies,
// conflicts, work without effect, the pipeline, what changes would bring, and waits.
import { h, show } from '../dom.js';
import { ask } from '../ask.js';
import { countsMissing } from '../carried.js';
import { table } from '../table.js';
import { placeLink } from '../links.js';
import { exact, number, percent } from '../format.js';
import { bins, flight, reasons, stages } from '../function/marks.js';
import { offset } from '../function/assembly.js';

const interval = (key) => ({ lo: (row) => row[`${key}_lo`], hi: (row) => row[`${key}_hi`] });
const place = (row) => placeLink(row.address, row.function);
const where = [
  { id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: place },
  { id: 'line', title: 'line', kind: 'text', width: 118, value: (row) => row.line },
];

function valueColumns() {
  const first = (row) => row.values[0];
  return [...where,
    { id: 'kind', title: 'kind', kind: 'text', width: 76, spare: 1, value: (row) => row.kind, help: 'what the value is to its instruction' },
    { id: 'assembly', title: 'instruction', kind: 'text', width: 164, value: (row) => row.assembly },
    { id: 'value', title: 'most frequent', kind: 'text', width: 130, value: (row) => first(row)?.text ?? (first(row) ? 'hidden' : '–') },
    { id: 'share', title: 'its share', kind: 'share', bar: true, value: (row) => row.invariance, ...interval('invariance'), help: 'how often the value was there, with its 95 % interval' },
    { id: 'saves', title: 'saves', kind: 'number', width: 72, value: (row) => row.saves, ...interval('saves'), help: 'cycles per 1000 instructions that knowing the value saves at most' },
    { id: 'total', title: 'seen', kind: 'count', width: 72, spare: 2, value: (row) => row.total, help: 'how often the place was seen' },
  ];
}

function latencyColumns() {
  return [...where,
    { id: 'address', title: 'address', kind: 'text', width: 84, spare: 1, value: (row) => offset(row.address) },
    { id: 'cost', title: 'cost', kind: 'share', bar: true, value: (row) => row.cost, help: 'share of the time of all timed loads' },
    { id: 'ns', title: 'mean ns', kind: 'number', value: (row) => row.ns, ...interval('ns'), help: 'mean latency of a load' },
    { id: 'bins', title: 'served by', kind: 'text', width: 110, value: (row) => row.bins.memory.share ?? 0, cell: bins, help: 'near caches, third-level cache, memory, longer' },
    { id: 'memory', title: 'memory', kind: 'share', spare: 2, value: (row) => row.bins.memory.share, lo: (row) => row.bins.memory.share_lo, hi: (row) => row.bins.memory.share_hi, help: 'share of its loads that memory served' },
    { id: 'timed', title: 'timed', kind: 'count', spare: 3, value: (row) => row.timed, help: 'timed loads' },
  ];
}

function conflictColumns() {
  const end = (key) => ({ id: key, title: key, kind: 'text', wide: true, value: (row) => `${row[`${key}_function`]} ${row[`${key}_line`]}`,
    cell: (row) => [placeLink(row[key], row[`${key}_function`]), ` ${row[`${key}_line`]}`] });
  return [end('from'), end('to'),
    { id: 'type', title: 'type', kind: 'text', width: 118, value: (row) => row.type },
    { id: 'share', title: 'share', kind: 'share', bar: true, value: (row) => row.share, ...interval('share'), help: 'of the executions of the second place' },
    { id: 'count', title: 'seen', kind: 'count', value: (row) => row.count },
    { id: 'ns', title: 'mean ns', kind: 'number', value: (row) => row.ns, ...interval('ns'), help: 'mean latency of the load' },
    { id: 'sure', title: 'sure', kind: 'text', value: (row) => row.sure, help: 'measured, modelled, or possible' },
  ];
}

// Of a model; hardware reports other stages, and no reasons.
function pipelineColumns(answer) {
  if (!answer.rows.some((row) => row.stack)) return hardwareColumns(answer);
  const most = answer.rows.map(flight).sort((a, b) => a - b)[Math.floor(0.95 * (answer.rows.length - 1))] || 1;
  const reason = (row) => reasons(row).filter((one) => one.bad).map((one) => `${percent(one.share)} ${one.text}`)[0] ?? '';
  return [...where,
    { id: 'address', title: 'address', kind: 'text', width: 84, spare: 1, value: (row) => offset(row.address) },
    { id: 'share', title: 'cycles', kind: 'share', bar: true, value: (row) => row.share.mean, lo: (row) => row.share.lo, hi: (row) => row.share.hi, help: 'share of all modelled cycles that it owns' },
    { id: 'each', title: 'each', kind: 'number', width: 70, value: (row) => row.cycles_each.mean, lo: (row) => row.cycles_each.lo, hi: (row) => row.cycles_each.hi, help: 'cycles that it owns per execution' },
    { id: 'flight', title: 'in flight', kind: 'text', width: 92, spare: 2, value: (row) => flight(row), cell: (row) => stages(row, most), help: 'modelled cycles in each stage' },
    { id: 'reason', title: 'why', kind: 'text', width: 304, narrow: 300, value: reason, help: 'the largest part of its cycles in which nothing retires' },
  ];
}

function hardwareColumns(answer) {
  const names = [...new Set(answer.rows.flatMap((row) => Object.keys(row.latencies ?? {})))].slice(0, 5);
  return [...where,
    { id: 'samples', title: 'records', kind: 'count', bar: true, value: (row) => row.samples },
    ...names.map((name) => ({ id: name, title: name, kind: 'number', value: (row) => row.latencies[name]?.mean, lo: (row) => row.latencies[name]?.lo, hi: (row) => row.latencies[name]?.hi, help: `cycles: ${name}` })),
  ];
}

// What would bring it, in the words of the command.
const changes = {
  branch: 'branch always predicted', load: 'load always near', forward: 'load forwarded from the store', division: 'divided by a constant',
  inline: 'call inlined', unroll: 'loop unrolled four times', trips: 'number of turns constant', wider: 'vectors twice as wide', layout: 'code in the order it runs',
};

function whatifColumns() {
  return [...where,
    { id: 'kind', title: 'if', kind: 'text', width: 196, narrow: 180, value: (row) => changes[row.kind] ?? row.kind, help: 'the one thing that is changed' },
    { id: 'gain', title: 'gain', kind: 'share', bar: true, value: (row) => row.gain, ...interval('gain'), help: 'of the CPU time, with how far the model may be off' },
    { id: 'least', title: 'at least', kind: 'share', spare: 1, value: (row) => row.gain_lo, help: 'the lower end of the 95 % interval; below 0: it may become slower' },
    { id: 'saves', title: 'saves', kind: 'number', width: 72, value: (row) => row.saves, ...interval('saves'), help: 'cycles per execution, in the model' },
    { id: 'executions', title: 'runs', kind: 'count', spare: 2, value: (row) => row.executions, help: 'in the whole run' },
  ];
}

function wasteColumns() {
  const end = (key, title) => ({ id: key, title, kind: 'text', wide: true, value: (row) => `${row[`${key}_function`]} ${row[`${key}_line`]}`,
    cell: (row) => [placeLink(row[key], row[`${key}_function`]), ` ${row[`${key}_line`]}`] });
  return [
    { id: 'kind', title: 'kind', kind: 'text', width: 118, value: (row) => row.kind, cell: (row) => h('span', { title: row.fix }, row.kind), help: 'what was in vain; what to do about it is shown at the word' },
    end('first', 'first'), end('second', 'second'),
    { id: 'wasted', title: 'in vain', kind: 'text', width: 64, spare: 2, value: (row) => row.wasted, help: 'which of the two need not run' },
    { id: 'share', title: 'instructions', kind: 'share', bar: true, value: (row) => row.share, ...interval('share'), help: 'of all executed instructions' },
    { id: 'of', title: 'of its runs', kind: 'share', spare: 1, value: (row) => row.of, ...interval('of'), help: 'in which part of the executions of the place in vain it is in vain' },
    { id: 'rate', title: 'a second', kind: 'count', spare: 3, value: (row) => row.rate, ...interval('rate'), help: 'how often, in each second of CPU time' },
  ];
}

function pathColumns() {
  return [
    { id: 'function', title: 'function', kind: 'text', wide: true, value: (row) => row.function, cell: (row) => placeLink(row.address, row.function, { path: row.id }) },
    { id: 'id', title: 'path', kind: 'text', width: 74, value: (row) => row.id },
    { id: 'share', title: 'of passages', kind: 'share', bar: true, value: (row) => row.share, help: 'share of the passages of all paths, not of CPU time' },
    { id: 'count', title: 'passages', kind: 'counted', value: (row) => row.count, lo: (row) => row.lo, hi: (row) => row.hi, help: 'how often it was taken' },
    { id: 'blocks', title: 'blocks', kind: 'count', width: 76, spare: 3, value: (row) => row.blocks.length, help: 'blocks that it leads through' },
    { id: 'kind', title: 'kind', kind: 'text', width: 110, spare: 2, value: (row) => row.kind.join(' '), help: 'begins at the entry, goes round a loop, leaves the function' },
    { id: 'lines', title: 'lines', kind: 'text', wide: true, value: (row) => [...new Set(row.lines)].join(' ') },
  ];
}

// The stack of a wait: where it waits, and who called that.
function waitStack(row) {
  return row.stack.map((frame, i) => [i > 0 && ' ← ', placeLink(frame.address, frame.function), frame.line && h('span', { class: 'faint' }, ` ${frame.line}`)]);
}

function waitColumns() {
  const chain = (row) => row.stack.map((frame) => `${frame.function}${frame.line ? ` ${frame.line}` : ''}`).join(' ← ');
  return [
    { id: 'where', title: 'where', kind: 'text', wide: true, width: 260, narrow: 240, value: chain, cell: (row) => (row.stack.length ? waitStack(row) : '–'), help: 'where it waits, and its callers' },
    { id: 'reason', title: 'waits for', kind: 'text', width: 120, value: (row) => row.reason },
    { id: 'syscall', title: 'system call', kind: 'text', width: 110, spare: 3, value: (row) => row.syscall },
    { id: 'time', title: 'time', kind: 'time', bar: true, value: (row) => row.time, ...interval('time'), help: 'time off the CPU, of all threads together' },
    { id: 'count', title: 'times', kind: 'counted', value: (row) => row.count, lo: (row) => row.lo, hi: (row) => row.hi },
    { id: 'longest', title: 'longest', kind: 'time', spare: 1, value: (row) => row.longest },
    { id: 'threads', title: 'threads', kind: 'count', spare: 2, value: (row) => row.threads },
  ];
}

// What is to be said about all rows.
const heads = {
  pipeline: (answer) => answer.core && `Modelled: ${answer.core}${answer.core_why ? ` (${answer.core_why})` : ''}, ${exact(answer.windows ?? 0)} windows; ` +
    `addresses were ${answer.addresses ?? 'recorded'}.`,
  whatif: (answer) => `Simulated: ${answer.core}, ${exact(answer.windows)} windows, and again with one thing changed at one place; ` +
    `tried ${exact(answer.rows.length)} of ${exact(answer.found)} places; addresses of loads were ${answer.addresses}. Gains of several rows do not add up.`,
  latencies: (answer) => [answer.l3_why, answer.bins_why].filter(Boolean).map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join(' '),
  conflicts: (answer) => answer.core && `Modelled where it says so: ${answer.core}.`,
  waits: (answer) => `${number(answer.time)} s of waiting in all, ${exact(answer.count)} waits.`,
};

function measurePage({ id, title, limit, columns, missing, sort, detail, params: fixed }) {
  const question = { ...fixed, ...(limit ? { limit: String(limit) } : {}) };
  return {
    id, title, group: 'Measured',
    command: () => ({ route: id, params: { ...fixed } }),
    async show(root, params) {
      const info = await ask('info');
      const there = info.views.includes(id), uncounted = id !== 'waits' && countsMissing(info);
      if (!there || uncounted) {
        show(root, h('p', { class: 'missing' }, there ? uncounted : missing));
        return undefined;
      }
      const answer = await ask(id, question);
      const said = heads[id]?.(answer);
      const body = h('div', { class: 'body' });
      show(root, said && h('p', { class: 'small head-line' }, said),
        limit > 0 && answer.rows.length >= limit && h('p', { class: 'small head-line' }, `The first ${exact(limit)} rows; the command prints all.`), body);
      if (!answer.rows.length) {
        show(body, h('p', { class: 'missing' }, 'Nothing of this was seen.'));
        return undefined;
      }
      return table(body, { rows: answer.rows, columns: columns(answer), params, sort, detail, label: title.toLowerCase() });
    },
  };
}

export const paths = measurePage({ id: 'paths', title: 'Paths', limit: 1000, columns: pathColumns,
  missing: 'This profile has no paths. A recording of more than a second of CPU time has some; all of them are counted by: gait record --exact=paths -- COMMAND' });
export const values = measurePage({ id: 'values', title: 'Values', limit: 2000, columns: valueColumns, sort: 'saves',
  missing: 'This profile has no values, which can be secrets and are recorded on request: gait record --events edge,call,stack,value -- COMMAND' });
export const latencies = measurePage({ id: 'latencies', title: 'Latencies', limit: 2000, columns: latencyColumns,
  missing: 'This profile has no latencies of loads. Record them: gait record --events edge,call,stack,address,latency -- COMMAND' });
export const conflicts = measurePage({ id: 'conflicts', title: 'Conflicts', limit: 2000, columns: conflictColumns,
  missing: 'This profile has no addresses of memory accesses. Record them: gait record --events edge,call,stack,address,latency -- COMMAND' });
export const pipeline = measurePage({ id: 'pipeline', title: 'Pipeline', limit: 2000, columns: pipelineColumns,
  missing: 'This profile has nothing to simulate: it has no windows. Record without --exact, or the whole run with: gait record --exact=trace --core native -- COMMAND' });
export const waste = measurePage({ id: 'waste', title: 'Waste', limit: 1000, columns: wasteColumns,
  missing: 'This profile has no addresses and values. Record them: gait record --events edge,call,stack,address,value -- COMMAND' });
export const whatif = measurePage({ id: 'whatif', title: 'What if', limit: 100, columns: whatifColumns, sort: 'least', params: { windows: '64' },
  missing: 'This profile has nothing to simulate: it has no windows. Record without --exact and --plain, for more than a second of CPU time.' });
export const waits = measurePage({ id: 'waits', title: 'Waits', limit: 0, columns: waitColumns, detail: waitStack,
  missing: 'This profile has no waits. The kernel reports them to gait record, if it permits that: gait doctor' });
