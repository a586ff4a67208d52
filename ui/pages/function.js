// One function: source and assembly side by side, its graph, its hot paths, and what was measured at
// each instruction.
import { h, show } from '../dom.js';
import { ask, canAsk, isFile } from '../ask.js';
import { countsMissing } from '../carried.js';
import { functionQuestion } from '../links.js';
import { href, note } from '../route.js';
import { counted, exact, percent, plural, seconds, times, withInterval } from '../format.js';
import { assemblyPane } from '../function/assembly.js';
import { sourcePane } from '../function/source.js';
import { graphPane } from '../function/graph.js';
import { detailPane } from '../function/detail.js';
import { addMeasures, lightPath, modelOf, siteKeys } from '../function/model.js';
import { flight } from '../function/marks.js';

const PANES = { s: 'Source', a: 'Assembly', g: 'Graph' };
const PATHS = 50; // to choose from
const LIMITS = { paths: '1000', values: '2000', latencies: '2000', pipeline: '2000' }; // as in measures.js
const known = (x) => typeof x === 'number' && Number.isFinite(x);

function summary(model) {
  const { about, answer } = model;
  const of = answer.weight === 'time' ? 'user time' : answer.mode === 'plain' ? 'events' : 'executed instructions';
  return h('p', { class: 'summary' },
    h('code', {}, about.address), ' ',
    known(about.share) && h('b', {}, `${withInterval(percent, about.share, about.share_lo, about.share_hi)}`), known(about.share) && ` of ${of}`,
    known(about.time) && `, ${seconds(about.time)}`,
    about.count > 0 && `, entered ${about.count === 1 ? 'once' : times(about.count, about.lo, about.hi)}`,
    `; ${plural(about.instructions, 'instruction')} in ${plural(about.blocks, 'block')}`,
    about.undecoded > 0 && `; ${exact(about.undecoded)} places do not decode`,
    answer.mode === 'sampled' && canAsk('windows', { function: about.address }) && ['; ', h('a', { href: href('windows', { function: about.address }) }, 'lengths of its calls')]);
}

// A model goes through all windows, whatever function is asked about: so the table of all functions is asked for, which the
// server keeps for every page. Only where that has been cut is the function asked for by itself.
async function pipelineOf(address, all) {
  const answer = await ask('pipeline', all);
  return answer.rows.length < Number(LIMITS.pipeline) ? answer : ask('pipeline', { function: address });
}

function pathName(path) {
  const lines = [...new Set(path.lines.filter(Boolean))];
  const span = lines.length ? ` ${lines[0]}${lines.length > 1 ? ` … ${lines[lines.length - 1].replace(/^.*:/, ':')}` : ''}` : '';
  return `${percent(path.share)}: ${counted(path.count, path.lo, path.hi, true)} × path ${path.id}, ${plural(path.blocks.length, 'block')}${span}`;
}

class FunctionPage {
  constructor(root, params, answer) {
    this.root = root;
    this.name = params.name;
    this.model = modelOf(answer);
    this.model.core = '';
    this.live = true;
    this.selected = -1;
    this.panes = new Set([...(params.panes ?? 'sa')].filter((letter) => PANES[letter]));
    if (!this.panes.size) this.panes = new Set(['s', 'a']);
    if (!this.model.source.items.length) this.panes.delete('s');
    if (!this.panes.size) this.panes.add('a');
    const goTo = (row) => this.select(row, { open: true });
    this.assembly = assemblyPane(this.model, {
      onselect: (row, fold) => this.select(row, { fold }), onfold: (fold) => this.fold(fold), onfollow: (row) => this.follow(row),
    });
    this.source = sourcePane(this.model, { onselect: (key, i) => this.selectLine(key, i) });
    this.graph = graphPane(this.model, this.model.about.address, { onselect: (block) => this.selectBlock(block), onopen: (block) => this.openBlock(block) });
    this.detail = detailPane(this.model, goTo);
    this.makeTools(params);
    this.body = h('div', { class: 'panes' });
    show(root, summary(this.model), this.tools, this.body, this.detail.element);
    this.showPanes();
    const asked = this.model.code.at.get(params.at) ?? this.model.code.at.get(params.name !== this.model.about.address ? params.name : undefined);
    this.select(asked ?? this.model.ranking[0] ?? 0, { open: true, quiet: params.at === undefined });
  }

  makeTools(params) {
    this.buttons = Object.fromEntries(Object.entries(PANES).map(([letter, title]) => [letter,
      h('button', { type: 'button', onclick: () => this.toggle(letter), disabled: letter === 's' && !this.model.source.items.length,
        title: letter === 's' && !this.model.source.items.length ? 'no debug information: no lines are known' : undefined }, title)]));
    this.paths = h('select', { class: 'paths', 'aria-label': 'hot paths', disabled: true, onchange: () => this.choosePath(this.paths.value) },
      h('option', { value: '' }, 'hot paths: none'));
    this.inlining = h('select', { 'aria-label': 'inlined code', onchange: () => { this.model.code.openInlined(this.inlining.value); this.arranged(); } },
      [['hot', 'inlined: what ran'], ['all', 'inlined: all open'], ['none', 'inlined: folded']].map(([value, text]) => h('option', { value }, text)));
    this.inlining.disabled = !this.model.code.inlined.length && !this.model.code.cold.length;
    this.field = h('input', { type: 'search', placeholder: 'find (/)', 'aria-label': 'find in the code', value: params.find ?? '' });
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') { this.find(event.shiftKey ? -1 : 1); event.preventDefault(); }
      if (event.key === 'Escape') this.assembly.element.focus();
    });
    const hottest = (step, text, title) => h('button', { type: 'button', title, onclick: () => this.hottest(step) }, text);
    this.said = h('span', { class: 'said', role: 'status' });
    this.tools = h('div', { class: 'tools function-tools' },
      h('span', { class: 'group' }, Object.values(this.buttons)),
      h('span', { class: 'group' }, hottest(-1, '▴', 'hotter (p)'), hottest(1, '▾', 'next hottest (n)')),
      this.paths, this.inlining, this.field, this.said);
  }

  showPanes() {
    for (const [letter, button] of Object.entries(this.buttons)) button.setAttribute('aria-pressed', String(this.panes.has(letter)));
    const parts = { s: this.source.element, a: this.assembly.element, g: this.graph.element };
    const shown = ['s', 'a', 'g'].filter((letter) => this.panes.has(letter));
    this.body.className = `panes panes-${shown.join('')}`;
    show(this.body, shown.map((letter) => parts[letter]));
    if (this.panes.has('s')) this.source.refresh();
    if (this.panes.has('a')) this.assembly.refresh();
    if (this.panes.has('g')) this.graph.shown();
  }

  toggle(letter) {
    if (this.panes.has(letter) && this.panes.size === 1) return;
    if (!this.panes.delete(letter)) this.panes.add(letter);
    const text = ['s', 'a', 'g'].filter((one) => this.panes.has(one)).join('');
    note({ panes: text === 'sa' ? '' : text });
    this.showPanes();
    this.reveal();
  }

  // The row and its line in all panes. open: what hides it is opened.
  select(row, { open, fold, quiet } = {}) {
    const { code } = this.model;
    if (!(row >= 0 && row < code.rows.length)) return;
    if (open && code.place[row] >= 0 && code.items[code.place[row]].row !== row) { code.show(row); this.assembly.refresh(); }
    this.selected = row;
    const keys = siteKeys(code.rows[row]);
    this.line = keys[0];
    this.setMarks();
    this.reveal();
    if (fold) this.assembly.element.focus();
    if (!quiet) this.noteLater(code.rows[row].address);
    this.detail.draw(row);
  }

  // Browsers refuse hundreds of notes in a few seconds, which a key that is held down would make.
  noteLater(address) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => note({ at: address }), 120);
  }

  mark() {
    this.setMarks();
    this.draw();
  }

  setMarks() {
    const { code } = this.model;
    const same = new Set();
    if (this.line) code.lineKeys.forEach((key, i) => { if (key === this.line) same.add(i); });
    this.assembly.mark(this.selected, same);
    this.source.mark(this.line, new Set(siteKeys(code.rows[this.selected] ?? {}).slice(1)));
    this.graph.mark(this.selected);
  }

  draw() {
    if (this.panes.has('a')) this.assembly.draw();
    if (this.panes.has('s')) this.source.draw();
  }

  reveal() {
    if (this.panes.has('a')) this.assembly.reveal(this.selected);
    if (this.panes.has('s') && this.line) this.source.reveal(this.line);
    if (this.panes.has('g')) this.graph.reveal();
    this.draw();
  }

  // A line: its hottest instruction.
  selectLine(key, i) {
    const { code, ranking } = this.model;
    const has = (row) => code.lineKeys[row] === key;
    const within = (row) => siteKeys(code.rows[row]).includes(key);
    const row = key === null ? undefined : ranking.find(has) ?? ranking.find(within) ?? code.rows.findIndex((_, k) => within(k));
    if (row === undefined || row < 0) { this.source.move(i); this.source.draw(); return; }
    this.select(row, { open: true });
    this.line = key;
    this.source.move(i);
    this.mark();
  }

  selectBlock(block) {
    const { code, ranking } = this.model;
    const from = code.at.get(block.address), to = code.at.get(block.last);
    this.select(ranking.find((row) => from <= row && row <= to) ?? from, { open: true });
  }

  // Its code, beside the graph.
  openBlock(block) {
    if (!this.panes.has('a')) this.toggle('a');
    this.selectBlock(block);
    this.assembly.element.focus();
  }

  follow(row) {
    const to = this.model.code.at.get(this.model.code.rows[row].target);
    if (to !== undefined) this.select(to, { open: true });
    else this.detail.element.querySelector('a')?.click();
  }

  fold(fold) {
    this.model.code.toggle(fold);
    this.arranged();
  }

  arranged() {
    this.assembly.refresh();
    this.mark();
  }

  hottest(step) {
    const { ranking } = this.model;
    const now = ranking.indexOf(this.selected);
    const next = now < 0 ? 0 : Math.max(0, Math.min(ranking.length - 1, now + step));
    if (ranking.length) this.select(ranking[next], { open: true });
    this.said.textContent = ranking.length ? `${exact(next + 1)} of ${exact(ranking.length)} that ran` : 'nothing ran';
  }

  find(step) {
    const { rows } = this.model.code;
    const text = this.field.value.toLowerCase();
    const texts = this.lineTexts ??= new Map(this.model.source.items.filter((item) => item.line).map((item) => [`${item.file.id}:${item.line.line}`, item.line.text ?? '']));
    const matches = (row) => `${row.label ?? ''} ${row.address} ${row.assembly} ${texts.get(siteKeys(row)[0]) ?? ''}`.toLowerCase().includes(text);
    for (let k = 1; text && k <= rows.length; k++) {
      const i = (this.selected + step * k + rows.length * k) % rows.length;
      if (matches(rows[i])) { this.said.textContent = ''; this.select(i, { open: true }); return; }
    }
    this.said.textContent = text ? 'not found' : '';
  }

  choosePath(id) {
    const path = this.allPaths?.find((one) => String(one.id) === id);
    lightPath(this.model, path);
    note({ path: path ? id : '' });
    const first = path && this.model.code.at.get(path.blocks[0]);
    if (first !== undefined) this.select(first, { open: true });
    else this.mark();
  }

  step(by) {
    const at = Math.max(0, Math.min(this.paths.options.length - 1, this.paths.selectedIndex + by));
    if (this.paths.disabled || at === this.paths.selectedIndex) return;
    this.paths.selectedIndex = at;
    this.choosePath(this.paths.value);
  }

  // What else is known about this function, as it comes in. Nothing moves: all of it has its place.
  async measure(info, params) {
    const has = (view) => info.views.includes(view) && !countsMissing(info);
    const here = { function: this.model.about.address };
    const take = async (view, route, more, use) => {
      const one = { ...here, ...more }, all = { limit: LIMITS[route], ...more };
      const question = canAsk(route, one) ? one : all; // a file has the tables of all functions
      if (!view || !canAsk(route, question)) return;
      try {
        const answer = await (route === 'pipeline' && !isFile() ? pipelineOf(here.function, all) : ask(route, question));
        if (this.live) { use(answer); this.draw(); this.detail.draw(this.selected); }
      } catch (error) {
        this.said.textContent = error.message;
      }
    };
    this.measured = Promise.all([
      take(this.model.answer.mode !== 'plain', 'report', { by: 'loop' }, (answer) => addMeasures(this.model, 'loops', answer)),
      take(has('values'), 'values', {}, (answer) => addMeasures(this.model, 'values', answer)),
      take(has('latencies'), 'latencies', {}, (answer) => addMeasures(this.model, 'latencies', answer)),
      take(has('paths'), 'paths', {}, (answer) => this.takePaths(answer, params)),
      take(has('pipeline'), 'pipeline', {}, (answer) => this.takePipeline(answer)),
    ]);
    await this.measured;
    this.root.dataset.measured = 'yes';
  }

  takePipeline(answer) {
    if (!answer.rows.some((row) => row.stack)) return; // of hardware: the table has it
    answer = { ...answer, rows: answer.rows.filter((row) => this.model.code.at.has(row.address)) };
    addMeasures(this.model, 'pipeline', answer);
    this.model.core = answer.core;
    // One very slow instruction would make the bars of all others too short to see.
    const long = answer.rows.map(flight).sort((a, b) => a - b);
    this.model.stagesMost = Math.max(1, long[Math.floor(0.95 * (long.length - 1))] ?? 1);
  }

  takePaths(answer, params) {
    const own = this.allPaths = answer.rows.filter((path) => path.address === this.model.about.address).slice(0, PATHS);
    show(this.paths, h('option', { value: '' }, own.length ? `hot paths: ${exact(own.length)}` : 'hot paths: none'),
      own.map((path) => h('option', { value: path.id }, pathName(path))));
    this.paths.disabled = !own.length;
    if (params.path && own.some((path) => String(path.id) === params.path)) {
      this.paths.value = params.path;
      this.choosePath(params.path);
    }
  }

  onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea')) return;
    const f = { n: () => this.hottest(1), p: () => this.hottest(-1), ']': () => this.step(1), '[': () => this.step(-1) }[event.key];
    if (!f) return;
    f();
    event.preventDefault();
  };

  stop() {
    this.live = false;
    clearTimeout(this.timer);
    removeEventListener('keydown', this.onKey);
    this.assembly.stop();
    this.source.stop();
  }
}

// A file knows functions by their address alone; advice names them.
async function addressOf(name) {
  if (!isFile() || canAsk(...functionQuestion(name))) return name;
  const { rows } = await ask('report', { by: 'function' });
  return rows.find((row) => row.name === name || row.linkage === name || row.name.replace(/\(.*/, '') === name)?.address ?? name;
}

export const functionPage = {
  id: 'function', title: 'Function', group: 'Program', hidden: true,
  heading: (params) => params.name ?? 'Function',
  command: (params) => params.name && { route: 'annotate', params: { function: params.name } },
  async show(root, params) {
    if (!params.name) {
      show(root, h('p', { class: 'missing' }, 'Choose a function in the table of functions.'));
      return undefined;
    }
    const name = await addressOf(params.name);
    const [answer, info] = await Promise.all([ask(...functionQuestion(name)), ask('info')]);
    const page = new FunctionPage(root, params, answer);
    root.closest('main').querySelector('h1').textContent = page.model.about.name;
    addEventListener('keydown', page.onKey);
    page.measure(info, params);
    return () => page.stop();
  },
};
