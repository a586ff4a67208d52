// One window: calls and loops over its instructions, down to single ones.
import { h, show } from '../dom.js';
import { ask, canAsk } from '../ask.js';
import { go, href, note } from '../route.js';
import { functionLink } from '../links.js';
import { exact, number, seconds } from '../format.js';
import { profileNames, quoted } from '../command.js';
import { Palette } from '../flame/colors.js';
import { Window, colorOf, nameOf } from '../window/model.js';
import { windowView } from '../window/view.js';
import { lengthsView } from '../window/lengths.js';
import { unusualText } from './windows.js';

const LISTED = 256; // instructions that are listed one by one
const whole = (text) => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

// The functions with most instructions have colours of their own; all others share one.
function paletteOf(shown) {
  const weights = new Map();
  for (const scope of shown.scopes) weights.set(scope.owner.name, (weights.get(scope.owner.name) ?? 0) + scope.own);
  return new Palette(weights);
}

class Page {
  constructor(root, params, answer) {
    this.root = root;
    this.number = answer.window;
    this.shown = new Window(answer);
    this.palette = paletteOf(this.shown);
    this.view = windowView({ window: this.shown, palette: this.palette, onSelect: (scope) => this.select(scope), onRange: (range) => this.move(range) });
    this.said = h('span', { class: 'said', role: 'status' });
    this.unusual = h('span', {});
    this.detail = h('div', { class: 'window-detail', role: 'status' });
    this.list = h('div', { class: 'window-side', tabindex: 0, role: 'group', 'aria-label': 'what is in sight' });
    this.lengths = h('div', { class: 'window-side', role: 'group', 'aria-label': 'lengths of calls' });
    this.field = h('input', { type: 'search', placeholder: 'find function (/)', 'aria-label': 'find function', value: params.find ?? '', oninput: () => this.find(this.field.value) });
    this.draw(params, answer);
  }

  draw(params, answer) {
    const button = (text, title, f) => h('button', { type: 'button', title, onclick: f }, text);
    const turn = (n, text, title) => (n >= 1 && n <= answer.kept && canAsk('windows', { show: n })
      ? h('a', { class: 'button', href: href('window', { n }), title }, text) : h('span', { class: 'button off' }, text));
    show(this.root,
      h('p', { class: 'small window-facts' }, this.facts(answer), this.unusual),
      h('div', { class: 'tools window-tools' }, turn(this.number - 1, '‹', 'the window before ([)'), turn(this.number + 1, '›', 'the window after (])'),
        h('span', { class: 'group' }, button('−', 'zoom out (s)', () => this.view.zoom(2)), button('+', 'zoom in (w)', () => this.view.zoom(0.5)), button('all', 'the whole window (Escape)', () => this.view.show(0, this.shown.n))),
        this.field, this.said, this.perfetto()),
      this.view.element,
      this.detail,
      h('div', { class: 'window-sides' }, this.list, this.lengths));
    this.select(this.shown.byId.get(whole(params.at)) ?? null, true);
    if (this.view.selected === null && whole(params.at) !== null) this.view.select(this.shown.byId.get(whole(params.at)) ?? null);
    const from = whole(params.from) ?? 0, to = whole(params.to) ?? this.shown.n;
    if (to > from) this.view.show(from, to);
    this.find(this.field.value);
    this.unusualFill();
  }

  // The command that writes the window for other viewers.
  perfetto() {
    const names = profileNames(), file = names[names.length - 1];
    const text = `gait export --format perfetto --window ${this.number} -o window-${this.number}.json${file === 'gait.data' ? '' : ` ${quoted(file)}`}`;
    const button = h('button', { type: 'button', title: `copy the command that writes this window for ui.perfetto.dev: ${text}` }, 'Perfetto');
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        this.said.textContent = `copied: ${text}`;
      } catch {
        this.said.textContent = text;
      }
    });
    return button;
  }

  facts(answer) {
    return [`thread ${answer.thread} ${answer.tid}`, answer.time !== null && `${seconds(answer.time)} after the ${answer.since}`, `${exact(answer.instructions)} instructions`,
      `${exact(answer.calls)} calls`, `${exact(answer.levels)} levels`, `cycles modelled: ${answer.core}`,
      answer.breaks > 0 && `${exact(answer.breaks)} times something else ran in between`,
      answer.opaque > 0 && `${exact(answer.opaque)} instructions cannot be read`].filter(Boolean).join(' · ');
  }

  // The list of all windows knows what is unusual in this one.
  async unusualFill() {
    if (!canAsk('windows')) return;
    const row = (await ask('windows')).rows.find((one) => one.window === this.number);
    const text = row ? unusualText(row) : '';
    show(this.unusual, text ? [' · ', h('strong', {}, `unusual: ${text}`)] : ' · nothing unusual');
  }

  find(text) {
    note({ find: text });
    this.view.mark(text);
  }

  select(scope, quiet) {
    if (!quiet) note({ at: scope?.id ?? '' });
    const { shown } = this;
    if (!scope) {
      show(this.detail, h('span', { class: 'small' }, 'Keys: arrows move among calls and loops, Enter zooms in, Escape out, w s zoom, a d move along, [ ] other windows. Mouse: wheel zooms, drag moves, click selects, double click zooms in.'));
      show(this.lengths, h('p', { class: 'small' }, 'Select a call to see how long calls of its function are in all windows.'));
      return;
    }
    const many = scope.to - scope.from, took = shown.took(scope.from, scope.to);
    show(this.detail, h('strong', { class: 'mono' }, scope.kind === 'call' ? functionLink(scope.owner) : nameOf(scope)),
      scope.kind === 'loop' && h('span', {}, scope.iterations === 1 ? '1 iteration' : `${exact(scope.iterations)} iterations of ${number(many / scope.iterations)}`),
      h('span', {}, `${exact(many)} instructions, ${exact(scope.own)} own`),
      shown.modelled && h('span', {}, `${exact(took)} modelled cycles, ${number(took / many)} each`),
      h('span', { class: 'small' }, [`from ${exact(scope.from)}`, scope.before && 'begun before', scope.after && 'goes on after', scope.tail && 'tail call', scope.loop && `in ${scope.owner.name}`].filter(Boolean).join(' · ')));
    this.lengthsFill(scope.owner);
  }

  async lengthsFill(owner) {
    const params = { function: owner.address };
    if (this.lengthsOf === owner.address) return;
    this.lengthsOf = owner.address;
    if (!canAsk('windows', params)) {
      show(this.lengths, h('p', { class: 'small' }, 'gait view shows how long calls of this function are.'));
      return;
    }
    let found;
    try {
      found = lengthsView(await ask('windows', params));
    } catch (error) {
      found = h('p', { class: 'small' }, error.message);
    }
    if (this.lengthsOf === owner.address) show(this.lengths, found);
  }

  move({ from, to }) {
    const all = from === 0 && to === this.shown.n;
    note({ from: all ? '' : from, to: all ? '' : to });
    this.said.textContent = `instructions ${exact(from)} to ${exact(to)}, ${exact(to - from)} in sight${this.shown.modelled ? `, ${exact(this.shown.took(from, to))} modelled cycles` : ''}`;
    if (to - from <= LISTED) this.instructions(from, to);
    else this.outline(from, to, all);
  }

  instructions(from, to) {
    this.outlineOf = null;
    const { shown } = this, rows = [];
    for (let i = from; i < to; i++) {
      const code = shown.code(i), owner = shown.answer.functions[code.function];
      rows.push(h('tr', { onclick: () => this.view.select(shown.innermost(i)) }, h('td', { class: 'figure' }, exact(i)), shown.modelled && h('td', { class: 'figure' }, exact(shown.cycles[i + 1])),
        h('td', { class: 'faint' }, code.address), h('td', {}, ' '.repeat(Math.min(shown.depths[i], 12)), code.assembly || 'cannot be read'), h('td', {}, functionLink(owner), code.line ? ` ${code.line}` : '')));
    }
    show(this.list, h('table', { class: 'steps', 'aria-label': 'instructions in sight' }, h('thead', {}, h('tr', {}, h('th', { class: 'figure' }, 'at'), shown.modelled && h('th', { class: 'figure', title: 'the modelled cycle in which it retires' }, 'retires'),
      h('th', {}, 'address'), h('th', {}, 'instruction'), h('th', {}, 'function, line'))), h('tbody', {}, rows)));
  }

  // What is alike below the same call or loop is one line: `gait windows --show` prints the same.
  async outline(from, to, all) {
    const params = all ? { show: this.number } : { show: this.number, from, to };
    const key = `${from} ${to}`;
    if (this.outlineOf === key) return;
    this.outlineOf = key;
    if (!canAsk('windows', params)) return;
    const answer = await ask('windows', params);
    if (this.outlineOf === key) this.outlineShow(answer, to - from);
  }

  outlineShow(answer, many) {
    const { shown } = this;
    const line = (one) => {
      const scope = shown.byId.get(one.first);
      return h('tr', { onclick: () => this.view.select(scope, true) },
        h('td', { class: 'figure' }, exact(one.instructions)), h('td', { class: 'part' }, h('span', { class: 'amount', style: { width: `${(100 * one.instructions) / many}%` } })),
        shown.modelled && h('td', { class: 'figure' }, number(one.cycles / one.instructions)),
        h('td', { title: nameOf(scope) }, h('span', { style: { paddingLeft: `${Math.min(one.level, 24) * 10}px` } },
          h('i', { class: scope.kind === 'call' ? 'swatch' : 'swatch round', style: scope.kind === 'call' ? { background: this.palette.of(colorOf(scope))[0] } : null }), scope.kind === 'call' ? functionLink(scope.owner) : h('span', { class: 'faint' }, nameOf(scope)),
          ' ', (one.iterations ?? one.runs) > 1 && h('b', {}, `×${exact(one.iterations ?? one.runs)}`), scope.kind === 'loop' && one.runs > 1 && h('span', { class: 'faint' }, ` in ${exact(one.runs)} runs`))));
    };
    const lines = answer.outline.slice(0, 400);
    show(this.list, h('table', { class: 'steps outline', 'aria-label': 'calls and loops in sight, folded' }, h('thead', {}, h('tr', {}, h('th', { class: 'figure' }, 'instructions'), h('th', {}), shown.modelled && h('th', { class: 'figure', title: 'modelled cycles of an instruction' }, 'cycles'),
      h('th', {}, 'calls and loops, folded'))), h('tbody', {}, lines.map(line))),
    answer.outline.length > lines.length && h('p', { class: 'small' }, `and ${exact(answer.outline.length - lines.length)} more`));
  }

  turn(event) {
    if (event.target.matches('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey) return;
    const n = this.number + { '[': -1, ']': 1 }[event.key];
    if (n >= 1 && n <= this.shown.answer.kept && canAsk('windows', { show: n })) go('window', { n });
  }
}

export const window_ = {
  id: 'window', title: 'Window', group: 'Program', hidden: true, under: 'windows',
  heading: (params) => `Window ${whole(params.n) ?? 1}`,
  command: (params) => ({ route: 'windows', params: { show: String(whole(params.n) ?? 1), from: params.from, to: params.to } }),
  async show(root, params) {
    const answer = await ask('windows', { show: whole(params.n) ?? 1 });
    const page = new Page(root, params, answer);
    root.page = page; // for tests
    const turn = (event) => page.turn(event);
    addEventListener('keydown', turn);
    return () => { removeEventListener('keydown', turn); page.view.close(); };
  },
};
