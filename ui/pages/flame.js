// Where time goes, as a flame graph: who calls whom, and how wide.
import { h, show } from '../dom.js';
import { onTheme } from '../theme.js';
import { ask, canAsk, isFile } from '../ask.js';
import { hasPage, href, note } from '../route.js';
import { functionLink, lineText } from '../links.js';
import { exact, percent, withInterval } from '../format.js';
import { Tree, measureOf, pathOf } from '../flame/tree.js';
import { Palette, moduleName, moduleWeights } from '../flame/colors.js';
import { flameView } from '../flame/view.js';

// Rows of one answer. A screen shows fewer frames; what is folded comes when it is zoomed into.
export const ROWS = 4000;

// Whose time is weighed: '' is all CPU time, as in the tables of functions.
export const baseOf = (params) => (['user', 'kernel'].includes(params.base) ? params.base : '');
export const BASES = [['', 'CPU time', 'weigh user and kernel time together, as the table of functions does'],
  ['user', 'user', 'weigh user time alone'], ['kernel', 'kernel', 'weigh kernel time alone']];

// The options of `gait contexts` for what the address says.
export function question(params) {
  const base = baseOf(params);
  return {
    'bottom-up': params.form === 'bottom-up' ? '' : undefined,
    'by-thread': params.threads ? '' : undefined,
    kernel: base === 'kernel' ? '' : undefined,
    'cpu-time': base === '' ? '' : undefined,
  };
}

// A file does not hold every combination.
export const canShow = (params) => canAsk('contexts', { ...question(params), limit: ROWS });

const inFrames = (n) => `${exact(n)} frame${n === 1 ? '' : 's'}`;
const idOf = (text) => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

// Everything known of a frame: a line for people, with the numbers of `gait contexts --json`.
export function figures(node, tree) {
  const { measure, root } = tree, { row } = node;
  const share = (x) => percent(x / root.w);
  return [
    ['total', withInterval(share, node.w, node.lo, node.hi), withInterval(measure.format, node.w, node.lo, node.hi)],
    tree.form !== 'bottom-up' && ['self', withInterval(share, node.self, measure.selfLo(row), measure.selfHi(row)), withInterval(measure.format, node.self, measure.selfLo(row), measure.selfHi(row))],
  ].filter(Boolean);
}

function facts(node, tree) {
  const { row } = node;
  return [moduleName(row), row.inlined && 'inlined', row.recursive && 'recursive', row.kernel && 'kernel',
    row.call_file && `${tree.form === 'bottom-up' ? 'calls' : 'called'} at ${lineText({ file: row.call_file, line: row.call_line })}`].filter(Boolean).join(' · ');
}

export function tipOf(tree) {
  return (node) => [h('strong', {}, node.row.function),
    h('table', {}, figures(node, tree).map(([name, share, amount]) => h('tr', {}, h('th', {}, name), h('td', {}, share), h('td', {}, amount)))),
    h('p', {}, facts(node, tree))];
}

// The line below the picture: of the selected frame, for those who use the keyboard, too.
function detail(element, node, tree) {
  if (!node) {
    show(element, h('span', { class: 'small' }, 'Keys: arrows move, Enter zooms in, Escape out, / searches, n next match. Mouse: click or wheel zooms, drag moves.'));
    return;
  }
  const [total, self] = figures(node, tree);
  show(element, h('strong', { class: 'mono' }, functionLink(node.row)),
    h('span', {}, `${total[1]} · ${total[2]}`), self && h('span', { class: 'small' }, `self ${self[1]}`),
    h('span', { class: 'small' }, facts(node, tree)),
    hasPage('contexts') && !isFile() && h('a', { href: href('contexts', { function: node.row.linkage ?? node.row.function }) }, 'callers and callees'));
}

function keyOf(palette, tree) {
  return h('p', { class: 'key flame-key' }, palette.key().map(([name, color]) => [h('i', { style: { background: color } }), name]),
    h('i', { class: 'soft' }), 'within the 95 % interval', h('i', { class: 'folded' }), tree.cut ? 'too thin, or not loaded until zoomed into' : 'too thin to draw');
}

// A glob for names that contain the text, in either case, as the page matches them.
function glob(text) {
  const one = (c) => (c.toLowerCase() !== c.toUpperCase() ? `[${c.toLowerCase()}${c.toUpperCase()}]` : /[*?[\]\\]/.test(c) ? `\\${c}` : c);
  return `*${[...text].map(one).join('')}*`;
}

class Page {
  constructor(root, params) {
    this.root = root;
    this.params = { ...params };
    this.field = h('input', { type: 'search', placeholder: 'search functions (/)', 'aria-label': 'search functions', value: params.search ?? '' });
    this.said = h('span', { class: 'said', role: 'status' });
    this.detail = h('div', { class: 'flame-detail', role: 'status' });
    this.place = h('div', { class: 'flame-place' });
    this.key = h('div', { class: 'flame-key-place' });
    this.bar = h('div', { class: 'tools flame-tools' });
    show(root, this.bar, this.place, this.detail, this.key);
    this.field.addEventListener('input', () => this.search(this.field.value));
    this.field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === 'ArrowDown') { this.view?.scroll.focus(); event.preventDefault(); }
      if (event.key === 'Escape') { this.field.value = ''; this.search(''); this.view?.scroll.focus(); }
    });
    this.tools();
  }

  choice(name, value, title, help) {
    const on = (this.params[name] ?? '') === value;
    const wanted = { [name]: name === 'threads' && on ? '' : value };
    const there = canShow({ ...this.params, ...wanted });
    return h('button', { type: 'button', class: 'choice', 'aria-pressed': String(on), disabled: !there, title: there ? help : 'not in this file; gait view shows it',
      onclick: () => this.change(wanted) }, title);
  }

  tools() {
    show(this.bar,
      h('span', { class: 'group' }, this.choice('form', '', 'top-down', 'from where threads start to what they call'),
        this.choice('form', 'bottom-up', 'bottom-up', 'from functions with time of their own to their callers')),
      this.choice('threads', '1', 'by thread', 'each thread has its own root'),
      this.timed !== false && h('span', { class: 'group' }, BASES.map(([value, title, help]) => this.choice('base', value, title, help))),
      this.field, h('button', { type: 'button', title: 'show everything (Escape)', onclick: () => this.view?.zoomTo(this.tree.root) }, 'whole'), this.said);
  }

  async change(changes) {
    Object.assign(this.params, changes, { zoom: '' });
    note({ ...changes, zoom: '' });
    this.tools();
    await this.load();
  }

  async load() {
    const mine = this.loading = {};
    const options = question(this.params);
    const answer = await ask('contexts', { ...options, limit: ROWS });
    const zoom = idOf(this.params.zoom);
    const more = zoom !== null && !answer.rows.some((row) => row.id === zoom) ? await ask('contexts', { ...options, below: zoom, limit: ROWS }).catch(() => null) : null;
    if (mine !== this.loading) return;
    this.close();
    this.tree = new Tree(answer, measureOf(answer));
    if (answer.time_of === undefined) { // an exact profile has no times to choose from
      this.timed = false;
      this.tools();
    }
    if (more && this.tree.add(more)) this.tree.place(this.tree.root);
    this.palette = new Palette(moduleWeights(this.tree));
    this.view = flameView({ tree: this.tree, palette: this.palette, label: 'flame graph; arrow keys move, Enter zooms in, Escape zooms out',
      tip: tipOf(this.tree), onSelect: (node) => detail(this.detail, node, this.tree), onZoom: (node) => this.zoomed(node) });
    show(this.place, this.tree.nodes.size ? this.view.element : h('p', {}, baseOf(this.params) === 'kernel' ? 'The kernel was not sampled.' : 'No stacks were recorded.'));
    this.view.grown();
    const drawKey = () => show(this.key, keyOf(this.palette, this.tree));
    drawKey();
    this.unfollow = onTheme(drawKey);
    detail(this.detail, null, this.tree);
    const node = zoom === null ? null : this.tree.find(zoom);
    if (node) this.view.zoomTo(node, { smooth: false });
    if (this.field.value) this.search(this.field.value);
    else this.say();
  }

  // Asks for what is folded below a frame that fills the view.
  async zoomed(node) {
    note({ zoom: node.id ?? '' });
    this.params.zoom = node.id ?? '';
    if (!node.row || node.complete || !this.folds(node)) return;
    node.complete = true;
    const tree = this.tree;
    const answer = await ask('contexts', { ...question(this.params), below: node.id, limit: ROWS }).catch(() => null);
    if (!answer || tree !== this.tree || !tree.add(answer)) return;
    tree.place(node);
    if (this.field.value) tree.mark(this.field.value);
    this.view.grown();
    this.say();
  }

  // Whether anything below the frame was cut off.
  folds(node) {
    return node.folded > 0 || node.children.some((child) => this.folds(child));
  }

  say() {
    const { root, measure, nodes } = this.tree;
    // Whose time it is, the buttons say.
    this.said.textContent = `${measure.format(root.w)}${measure.id === 'time' ? '' : ` of ${measure.title}`}, ${exact(nodes.size)} ${this.tree.cut ? 'heaviest contexts' : 'contexts'}`;
    this.said.title = `${measure.format(root.w)} of ${measure.title}`;
  }

  // Matches are marked at once. Their share is asked for: contexts that are not loaded count, too.
  async search(text) {
    const mine = this.searching = {};
    note({ search: text });
    this.params.search = text;
    if (!this.tree) return;
    const { weight, frames } = this.tree.mark(text);
    this.view.search(!!text);
    if (!text) {
      this.say();
      return;
    }
    const { root, cut } = this.tree;
    const local = `${cut ? 'at least ' : ''}${percent(weight / root.w)} in ${inFrames(frames)}`;
    this.said.textContent = frames || cut ? `matches: ${local}` : 'no match';
    await new Promise((done) => setTimeout(done, 200));
    if (mine !== this.searching || !(frames || cut)) return;
    const { 'bottom-up': _, ...options } = question(this.params);
    const answer = await ask('contexts', { ...options, function: glob(text), limit: 1 }).catch(() => null);
    if (mine !== this.searching || !answer) return;
    const all = answer.selected, { measure } = this.tree;
    this.said.textContent = `matches: ${withInterval((x) => percent(x / root.w), measure.value(all), measure.lo(all), measure.hi(all))} in ${inFrames(frames)}`;
  }

  close() {
    this.unfollow?.();
    this.view?.destroy();
  }
}

export const flame = {
  id: 'flame', title: 'Flame graph', group: 'Program',
  command: (params) => ({ route: 'contexts', params: { ...question(params), function: params.search ? glob(params.search) : undefined } }),
  async show(root, params) {
    const page = root.page = new Page(root, params); // tests look into it
    await page.load();
    return () => page.close();
  },
};
