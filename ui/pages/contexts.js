// Who calls whom: a tree of contexts, or one function with its callers above and its callees below.
import { h, show } from '../dom.js';
import { ask, isFile } from '../ask.js';
import { go, href, note } from '../route.js';
import { functionLink, lineText } from '../links.js';
import { exact, percent, withInterval } from '../format.js';
import { Tree, measureOf } from '../flame/tree.js';
import { Palette, moduleName, moduleWeights } from '../flame/colors.js';
import { flameView } from '../flame/view.js';
import { BASES, ROWS, baseOf, canShow, question, tipOf } from './flame.js';

// A function with its callers and callees; a file does not hold those of every function.
function sandwichLink(row) {
  return isFile() ? href('flame', { search: row.function ?? row.name }) : href('contexts', { function: row.linkage ?? row.function ?? row.name });
}

const ROW = 26, AROUND = 10; // pixels, as in style.css; rows drawn beyond those in sight

// What was cut off below a context, as rows that say so.
function foldedRow(node) {
  const n = node.row.children - node.children.length;
  return n > 0 ? { folded: n, of: node } : null;
}

// ---- the tree

class ContextTree {
  constructor(root, page, tree) {
    Object.assign(this, { page, tree, open: new Set(), at: 0, rows: [] });
    this.most = Math.max(...tree.root.children.map((node) => node.hi ?? node.w), tree.root.w) || 1;
    this.body = h('tbody');
    const titles = [['context', 'wide'], ['total', 'figure'], ['self', 'figure'], ['module', ''], [tree.form === 'bottom-up' ? 'calls at' : 'called at', '']];
    this.grid = h('table', { role: 'treegrid', 'aria-label': 'contexts' },
      h('colgroup', {}, h('col'), h('col', { style: { width: '190px' } }), h('col', { style: { width: '86px' } }), h('col', { style: { width: '120px' } }), h('col', { style: { width: '140px' } })),
      h('thead', {}, h('tr', {}, titles.map(([title, kind]) => h('th', { class: kind, scope: 'col' }, h('span', { class: 'head' }, title))))), this.body);
    this.view = h('div', { class: 'scroll tree', tabindex: 0, role: 'group', 'aria-label': 'contexts; arrow keys move, right opens, left closes, Enter shows callers and callees' }, this.grid);
    this.view.addEventListener('scroll', () => this.draw(), { passive: true });
    this.view.addEventListener('keydown', (event) => this.key(event));
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.view);
    show(root, this.view);
    this.openHot();
    this.arrange();
  }

  // Opened at first: the way down the heaviest contexts, as far as one of them has most of the weight.
  openHot() {
    const todo = [...this.tree.root.children.slice(0, 1)];
    while (todo.length) {
      const node = todo.pop();
      this.open.add(node);
      const heavy = node.children.filter((child) => child.w > 0.25 * this.tree.root.w);
      todo.push(...heavy);
    }
  }

  arrange() {
    const rows = [];
    const add = (node, level) => {
      rows.push({ node, level });
      if (!this.open.has(node)) return;
      for (const child of node.children) add(child, level + 1);
      const rest = foldedRow(node);
      if (rest) rows.push({ ...rest, level: level + 1 });
    };
    for (const node of this.tree.root.children) add(node, 0);
    this.rows = rows;
    this.at = Math.max(0, Math.min(this.at, rows.length - 1));
    this.draw();
  }

  async toggle(node, on = !this.open.has(node)) {
    if (!node.row.children) return;
    if (on) this.open.add(node);
    else this.open.delete(node);
    this.arrange();
    if (on && node.row.children > node.children.length) await this.load(node);
  }

  async load(node) {
    const answer = await this.page.below(node.id).catch(() => null);
    if (answer && this.tree.add(answer)) {
      this.tree.place(node);
      this.arrange();
    }
  }

  bar(node) {
    const part = (x) => `${Math.max(0, Math.min(100, (100 * x) / this.most))}%`;
    const known = Number.isFinite(node.lo) && Number.isFinite(node.hi);
    return h('span', { class: 'bar', 'aria-hidden': 'true' }, h('span', { class: 'amount', style: { width: part(node.w) } }),
      known && h('span', { class: 'interval', style: { left: part(node.lo), width: `${(100 * (Math.min(node.hi, this.most) - node.lo)) / this.most}%` } }));
  }

  element(i) {
    const { node, level, folded, of } = this.rows[i];
    const cls = i === this.at ? 'at' : null, { measure, root } = this.tree;
    if (folded)
      return h('tr', { class: cls }, h('td', { colspan: 5, class: 'small', style: { paddingLeft: `${26 + 14 * level}px` } },
        h('button', { type: 'button', class: 'link', onclick: () => this.load(of) }, `${exact(folded)} more, lighter ones`)));
    const { row } = node, opened = this.open.has(node);
    const share = (x) => percent(x / root.w);
    return h('tr', { class: cls, 'aria-level': level + 1, 'aria-expanded': row.children ? String(opened) : null, onclick: () => { this.at = i; this.draw(); } },
      h('td', { title: row.function, style: { paddingLeft: `${8 + 14 * level}px` } },
        h('button', { type: 'button', class: 'twisty', tabindex: -1, disabled: !row.children, title: row.children ? `${exact(row.children)} below` : null, onclick: () => this.toggle(node) }, row.children ? (opened ? '▾' : '▸') : ''),
        row.kernel && h('span', { class: 'mark' }, 'kernel'), row.inlined && h('span', { class: 'mark' }, 'inlined'), row.recursive && h('span', { class: 'mark' }, 'recursive'),
        h('a', { href: sandwichLink(row), class: 'name' }, row.function)),
      h('td', { class: 'figure with-bar', title: `${withInterval(share, node.w, node.lo, node.hi)}; ${withInterval(measure.format, node.w, node.lo, node.hi)}` }, this.bar(node), h('span', { class: 'number' }, share(node.w))),
      h('td', { class: 'figure', title: withInterval(measure.format, node.self, measure.selfLo(row), measure.selfHi(row)) }, share(node.self)),
      h('td', { title: moduleName(row) }, moduleName(row)),
      h('td', { title: row.call_file ?? row.call_site ?? '' }, row.call_file ? lineText({ file: row.call_file, line: row.call_line }) : (row.call_site ?? '').replace(/^.*\+/, '+')));
  }

  draw() {
    const from = Math.max(0, Math.floor(this.view.scrollTop / ROW) - AROUND);
    const to = Math.min(this.rows.length, from + Math.ceil((this.view.clientHeight || 600) / ROW) + 2 * AROUND);
    const gap = (n) => h('tr', { class: 'gap', 'aria-hidden': 'true', style: { height: `${n * ROW}px` } });
    const drawn = [];
    for (let i = from; i < to; i++) drawn.push(this.element(i));
    show(this.body, gap(from), drawn, gap(this.rows.length - to));
  }

  move(to) {
    this.at = Math.max(0, Math.min(this.rows.length - 1, to));
    const top = this.at * ROW, head = this.grid.tHead.offsetHeight;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    else if (top + ROW + head > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = top + ROW + head - this.view.clientHeight;
    this.draw();
  }

  key(event) {
    const { node, folded, of } = this.rows[this.at] ?? {};
    const page = Math.max(1, Math.floor(this.view.clientHeight / ROW) - 2);
    const above = () => this.rows.findIndex((row) => row.node === (node ?? of).parent);
    const keys = {
      ArrowDown: () => this.move(this.at + 1), ArrowUp: () => this.move(this.at - 1),
      PageDown: () => this.move(this.at + page), PageUp: () => this.move(this.at - page),
      Home: () => this.move(0), End: () => this.move(this.rows.length - 1),
      ArrowRight: () => (node && !this.open.has(node) ? this.toggle(node, true) : this.move(this.at + 1)),
      ArrowLeft: () => (node && this.open.has(node) ? this.toggle(node, false) : above() >= 0 && this.move(above())),
      Enter: () => (folded ? this.load(of) : this.body.querySelector('tr.at a')?.click()),
    };
    if (!keys[event.key] || (event.key === 'Enter' && event.target !== this.view)) return;
    keys[event.key]();
    event.preventDefault();
  }

  close() {
    this.resized.disconnect();
  }
}

async function showTree(root, params) {
  const options = question(params);
  const answer = await ask('contexts', { ...options, limit: ROWS });
  const tree = new Tree(answer, measureOf(answer));
  const place = h('div', { class: 'tree-place' });
  const choice = (name, value, title, help) => (canShow({ ...params, [name]: value })
    ? h('a', { class: 'choice', href: href('contexts', { form: params.form, base: params.base, [name]: value }), title: help, 'aria-current': (params[name] ?? '') === value ? 'true' : null }, title)
    : h('span', { class: 'choice off', title: 'not in this file; gait view shows it' }, title));
  const find = h('input', { type: 'search', placeholder: 'function: callers and callees (/)', 'aria-label': 'function' });
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && find.value) go('contexts', { function: find.value.includes('*') ? find.value : `*${find.value}*` });
  });
  show(root, h('div', { class: 'tools' }, h('span', { class: 'group' }, choice('form', '', 'top-down'), choice('form', 'bottom-up', 'bottom-up')),
    answer.time_of !== undefined && h('span', { class: 'group' }, BASES.map(([value, title, help]) => choice('base', value, title, help))), find,
    h('span', { class: 'said' }, `${tree.measure.format(tree.root.w)} of ${tree.measure.title}, ${exact(answer.selected.contexts)} contexts`)), place);
  const view = new ContextTree(place, { below: (id) => ask('contexts', { ...options, below: id, limit: ROWS }) }, tree);
  root.contexts = view; // tests look into it
  return () => view.close();
}

// ---- a sandwich

// Rows of `gait report --callers-of NAME`, as links to the next sandwich.
function relatives(title, answer) {
  const rows = answer.rows.filter((row) => row.time === null || row.time > 0 || row.count > 0);
  const most = Math.max(...rows.map((row) => row.share_hi ?? row.share ?? 0), 0) || 1;
  return h('section', {}, h('h2', {}, title), rows.length === 0 ? h('p', { class: 'small' }, 'None was seen.')
    : h('div', { class: 'hottest' }, rows.slice(0, 12).map((row) => [
      row.itself ? h('span', {}, 'its own code') : h('a', { href: href('contexts', { function: row.linkage ?? row.name }), title: row.name }, row.name),
      h('span', { class: 'bar' }, h('span', { class: 'amount', style: { width: `${(100 * row.share) / most}%` } }),
        Number.isFinite(row.share_lo) && h('span', { class: 'interval', style: { left: `${(100 * row.share_lo) / most}%`, width: `${(100 * (row.share_hi - row.share_lo)) / most}%` } })),
      h('span', { class: 'number', title: withInterval(percent, row.share, row.share_lo, row.share_hi) }, percent(row.share))])));
}

async function showSandwich(root, params) {
  const name = params.function, options = question({ base: params.base });
  const [down, up, callers, callees] = await Promise.all([
    ask('contexts', { ...options, function: name, limit: ROWS }), ask('contexts', { ...options, function: name, 'bottom-up': '', limit: ROWS }),
    ask('report', { 'callers-of': name }).catch(() => null), ask('report', { 'callees-of': name }).catch(() => null)]);
  const measure = measureOf(down);
  const trees = [new Tree(up, measure), new Tree(down, measure)];
  const palette = new Palette(moduleWeights(...trees));
  const said = h('div', { class: 'flame-detail', role: 'status' });
  const views = trees.map((tree, i) => flameView({ tree, palette, up: i === 0, label: i === 0 ? 'callers' : 'callees', tip: tipOf(tree),
    onSelect: (node) => show(said, node && [h('strong', { class: 'mono' }, functionLink(node.row)), h('span', {}, withInterval((x) => percent(x / tree.root.w), node.w, node.lo, node.hi)),
      h('span', { class: 'small' }, 'of the time with it'), h('a', { href: href('contexts', { function: node.row.linkage ?? node.row.function }) }, 'callers and callees')]) }));
  const all = down.selected;
  show(root, h('div', { class: 'tools' }, h('a', { href: href('contexts') }, 'all contexts'),
    h('span', { class: 'said' }, `${withInterval(measure.format, measure.value(all), measure.lo(all), measure.hi(all))} of ${measure.title} with ${name} on the stack`)),
    h('div', { class: 'sandwich' },
      h('div', { class: 'slices' }, h('h2', {}, 'Who calls it'), h('div', { class: 'flame-place up' }, views[0].element), h('h2', {}, 'What it calls'), h('div', { class: 'flame-place' }, views[1].element)),
      h('div', { class: 'aside' }, callers && relatives('Callers', callers), callees && relatives('Callees', callees))), said);
  views.forEach((view) => view.grown());
  root.sandwich = { trees, views };
  return () => views.forEach((view) => view.destroy());
}

export const contexts = {
  id: 'contexts', title: 'Contexts', group: 'Program',
  heading: (params) => (params.function ? `Callers and callees of ${params.function}` : 'Contexts'),
  command: (params) => ({ route: 'contexts', params: { ...question(params), function: params.function } }),
  show: (root, params) => (params.function ? showSandwich(root, params) : showTree(root, params)),
};
