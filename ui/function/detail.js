// All that is known about one instruction, in words and figures.
import { h, show } from '../dom.js';
import { href, hasPage } from '../route.js';
import { base, count, counted, exact, number, percent, seconds, ticks, times, withInterval } from '../format.js';
import { bins, flight, probability, reasons, stages, STAGES, trips, tripsText } from './marks.js';
import { offset } from './assembly.js';

const known = (x) => typeof x === 'number' && Number.isFinite(x);
const section = (title, ...inside) => h('section', {}, h('h3', {}, title), inside);
const fact = (...inside) => h('p', {}, inside);

const lineOf = (row) => (row.line ? `${base(row.file)}:${row.line}` : 'no line known');

function place(model, row, goTo) {
  const inlined = row.inlined.length ? `inlined: ${[...row.inlined].reverse().join(' › ')}` : '';
  return section('Instruction',
    fact(h('code', { title: row.address }, `${offset(row.address)}  ${row.assembly}`)),
    fact(lineOf(row), inlined && h('span', { class: 'small' }, ` ${inlined}`)),
    known(row.share) && fact(`${percent(row.share)} of all${known(row.time) ? `, ${seconds(row.time)}` : ''}`,
      known(row.share_lo) && row.share_hi > row.share_lo && h('span', { class: 'small' }, ` (95 %: ${percent(row.share_lo)} to ${percent(row.share_hi)})`)),
    known(row.count) && fact(`ran ${times(row.count, row.lo, row.hi)}`, ticks(row) !== null && `, ${number(row.cpi)} ticks each`,
      known(row.lo) && row.hi > row.lo && h('span', { class: 'small' }, ` (95 %: ${count(row.lo)} to ${count(row.hi)})`)));
}

const taken = (row) => known(row.taken) && fact(probability(row.taken, row.taken_lo, row.taken_hi), ' taken',
  known(row.taken_lo) && row.taken_hi > row.taken_lo && h('span', { class: 'small' }, ` (95 %: ${percent(row.taken_lo)} to ${percent(row.taken_hi)})`));

// Some processors report the time of a comparison and its branch at the one, others at the other.
const COMPARES = /^(cmp|test|add|sub|and|inc|dec)[bwlq]?\s/;

const placeOf = (row, i, goTo) => fact('at ',
  h('button', { type: 'button', class: 'link', onclick: () => goTo(i) }, `${offset(row.address)}  ${row.assembly}`), ` ${lineOf(row)}`);

function decided(model, i, goTo) {
  const next = model.code.rows[i + 1];
  if (!COMPARES.test(model.code.rows[i].assembly) || !known(next?.taken)) return null;
  return section('Branch that it decides', taken(next), placeOf(next, i + 1, goTo));
}

// An interrupt is taken behind the instruction that waited: often that is the branch before.
function passed(model, i, goTo) {
  const before = model.code.rows[i - 1];
  if (!known(before?.taken) || !(before.taken < 1)) return null;
  return section('Branch right before', taken(before), placeOf(before, i - 1, goTo),
    fact('Interrupts come behind what waits: the time may be that of the branch, or of what decides it.'));
}

function branch(model, row, goTo) {
  if (row.taken === undefined && !row.targets?.length && row.target === undefined) return null;
  const inside = model.code.at.get(row.target);
  const target = row.target === undefined ? null
    : inside !== undefined ? h('button', { type: 'button', class: 'link', onclick: () => goTo(inside) }, model.code.rows[inside].label ?? offset(row.target))
      : hasPage('function') ? h('a', { href: href('function', { name: row.target }) }, row.assembly.match(/<(.*)>|call (\S+)/)?.[2] ?? row.target) : row.target;
  const all = (row.targets ?? []).reduce((sum, one) => sum + one.count, 0);
  return section(row.taken !== undefined ? 'Branch' : row.targets ? 'Targets' : 'Leads to',
    taken(row),
    row.taken === null && fact(row.count === 0 ? 'never seen to run' : 'how often it is taken is not known'),
    target && fact('to ', target),
    (row.targets ?? []).slice(0, 4).map((one) => {
      const there = model.code.at.get(one.to);
      return fact(there !== undefined
        ? h('button', { type: 'button', class: 'link', onclick: () => goTo(there) }, model.code.rows[there].label ?? offset(one.to))
        : h('a', { href: href('function', { name: one.to }) }, one.to), all > 0 && ` ${percent(one.count / all)}`);
    }),
    row.targets?.length > 4 && fact(h('span', { class: 'small' }, `and ${exact(row.targets.length - 4)} more`)));
}

function valuesOf(place) {
  return section(`Values: ${place.kind}`,
    place.values.slice(0, 4).map((value) => h('p', { class: 'value' },
      h('span', { class: 'bar' }, h('span', { class: 'amount', style: { width: `${100 * value.share}%` } })),
      h('span', { class: 'number' }, percent(value.share)), h('code', { title: value.text }, value.text ?? 'hidden'))),
    place.finding !== 'none' && fact(h('span', { class: 'small' }, `nearly always the same; knowing it saves at most ${number(place.saves)} cycles per 1000 instructions`)));
}

function latency(load) {
  const told = ['near', 'l3', 'memory', 'longer'].filter((name) => load.bins[name].share !== null);
  return section('Load latency',
    fact(bins(load), ` ${withInterval(number, load.ns, load.ns_lo, load.ns_hi)} ns`),
    fact(told.map((name) => h('span', { class: 'bin-key' }, h('i', { class: `bin-${name}` }), `${name} ${percent(load.bins[name].share)}`))),
    fact(h('span', { class: 'small' }, `${exact(load.timed)} loads timed`)));
}

// What happens at it: mispredictions, misses.
function rates(modelled) {
  const met = Object.entries(modelled.rates ?? {}).filter(([name, rate]) => rate.mean >= 0.005 && name !== 'taken');
  return met.length > 0 && fact('of 100: ', met.map(([name, rate], i) => [i ? ', ' : '', `${name} `, h('b', {}, number(100 * rate.mean))]));
}

function cycles(model, row, modelled, core, goTo) {
  const each = modelled.cycles_each.mean;
  const wait = modelled.waits.filter((one) => one.each >= 0.5).sort((a, b) => b.each - a.each)[0];
  const source = wait?.address ? model.code.at.get(wait.address) : undefined;
  return section(`Pipeline, modelled (${core})`,
    fact(stages(modelled, flight(modelled) || 1), ` ${number(flight(modelled))} cycles in flight, ${known(each) ? number(each) : '–'} its own`),
    fact(STAGES.filter(([key]) => modelled.latencies[key]?.mean >= 0.05).map(([key, name]) =>
      h('span', { class: 'bin-key' }, h('i', { class: `stage-${name}` }), `${name} ${number(modelled.latencies[key].mean)}`))),
    fact(h('span', { class: 'reason' }, reasons(modelled).slice(0, 3).map((one, i) => [i ? '; ' : '', `${percent(one.share)} `,
      one.bad ? h('b', {}, one.text) : one.text]))),
    rates(modelled),
    wait && fact(`waits ${number(wait.each)} cycles for `, source === undefined ? 'other code'
      : h('button', { type: 'button', class: 'link', onclick: () => goTo(source) }, `${offset(wait.address)}  ${model.code.rows[source].assembly}`)));
}

function loopOf(loop) {
  return section('Loop begins here', loop.trips && fact(trips(loop, 150, 34)), fact(tripsText(loop)),
    known(loop.iterations) && fact(h('span', { class: 'small' }, `${counted(loop.iterations, loop.iterations_lo, loop.iterations_hi, true)} iterations in ${counted(loop.entries, loop.entries_lo, loop.entries_hi, true)} entries`)));
}

export function detailPane(model, goTo) {
  const element = h('div', { class: 'detail', 'aria-live': 'polite', tabindex: 0, 'aria-label': 'about the selected instruction' });
  return {
    element,
    draw(i) {
      const row = model.code.rows[i];
      if (!row) { show(element); return; }
      const modelled = model.pipeline.get(row.address)?.[0];
      const loop = model.loops.get(row.address)?.[0];
      const load = model.latencies.get(row.address)?.[0];
      show(element, place(model, row, goTo), branch(model, row, goTo) ?? decided(model, i, goTo) ?? passed(model, i, goTo),
        modelled && cycles(model, row, modelled, model.core, goTo),
        (model.values.get(row.address) ?? []).filter((one) => one.values.length).slice(0, 3).map(valuesOf),
        load && latency(load), loop && loopOf(loop));
    },
  };
}
