// The control flow graph of a function, where Graphviz put it (`gait graph --json`).
import { h, show, svg } from '../dom.js';
import { ask, canAsk } from '../ask.js';
import { base, counted, exact, percent, plural, times, withInterval } from '../format.js';
import { offset } from './assembly.js';
import { Walk } from './graph_keys.js';

const known = (x) => typeof x === 'number' && Number.isFinite(x);
const MOST_BLOCKS = 800;

function curve(points) {
  const pairs = [];
  for (let i = 0; i + 1 < points.length; i += 2) pairs.push(`${points[i]} ${points[i + 1]}`);
  return `M${pairs[0]}C${pairs.slice(1).join(' ')}`;
}

// The head of an arrow at the end of a curve, which Graphviz leaves room for.
function tip(points) {
  const n = points.length, x = points[n - 2], y = points[n - 1];
  let dx = x - points[n - 4], dy = y - points[n - 3];
  const long = Math.hypot(dx, dy) || 1;
  dx /= long; dy /= long;
  return `M${x + 9 * dx} ${y + 9 * dy}L${x - 4 * dy} ${y + 4 * dx}L${x + 4 * dy} ${y - 4 * dx}Z`;
}

// Where the label of an edge stands: near its beginning, so that both ways out of a block differ.
function labelPlace(points) {
  const at = (t, k) => (1 - t) ** 3 * points[k] + 3 * (1 - t) ** 2 * t * points[k + 2] + 3 * (1 - t) * t ** 2 * points[k + 4] + t ** 3 * points[k + 6];
  const t = points.length > 8 ? 0.85 : 0.5;
  return [at(t, 0), at(t, 1)];
}

function edgeElement(edge, most) {
  const never = edge.count === 0;
  const kind = never ? 'never' : edge.back ? 'back' : edge.kind === 'taken' || edge.kind === 'jump' ? 'taken' : 'fall';
  const wide = known(edge.count) && most ? 0.8 + 3.2 * Math.sqrt(edge.count / most) : 1;
  const [x, y] = labelPlace(edge.points);
  const said = known(edge.probability) ? withInterval(percent, edge.probability, edge.probability_lo, edge.probability_hi) : 'not known';
  return svg('g', { class: `edge ${kind}`, 'data-from': edge.from, 'data-to': edge.to },
    svg('title', {}, `${edge.kind}: ${said}; ${known(edge.count) ? withInterval(exact, edge.count, edge.lo, edge.hi) : '–'} times`),
    svg('path', { d: curve(edge.points), 'stroke-width': wide }),
    svg('path', { d: tip(edge.points), class: 'tip' }),
    known(edge.probability) && edge.probability < 1 && !never &&
      svg('text', { x: x + 4, y: y + 3 }, percent(edge.probability)));
}

function blockElement(block, onselect) {
  const lines = !block.line ? '' : `${base(block.file)}:${block.line}${block.line_last > block.line ? `–${block.line_last}` : ''}`;
  const more = block.more_in + block.more_out;
  const rect = svg('rect', { width: block.width, height: block.height, rx: 3 });
  rect.style.setProperty('--heat-part', `${Math.round(100 * Math.sqrt(block.heat))}%`);
  return svg('g', {
    class: `block${block.entry ? ' entry' : ''}${block.count === 0 ? ' never' : ''}`, transform: `translate(${block.x} ${block.y})`,
    id: `block-${block.id}`, tabindex: -1, role: 'button', 'data-id': block.id, 'aria-label': `block ${offset(block.address)}, ${percent(block.share)}`,
    onclick: () => onselect(block),
  },
    svg('title', {}, `${block.address}: ${exact(block.instructions)} instructions, share ${withInterval(percent, block.share, block.share_lo, block.share_hi)}, ` +
      `${known(block.count) ? withInterval(exact, block.count, block.lo, block.hi) : '–'} times${more ? `; ${exact(more)} edges of it are not drawn` : ''}`),
    rect,
    svg('text', { x: 7, y: 14, class: 'name' }, `${block.entry ? '▸ ' : ''}${offset(block.address)}${block.leaves ? ' ⏎' : ''}`),
    svg('text', { x: block.width - 7, y: 14, class: 'figure' }, block.share > 0 ? percent(block.share) : ''),
    svg('text', { x: 7, y: 28 }, lines.length > 26 ? `…${lines.slice(-25)}` : lines),
    svg('text', { x: 7, y: 42, class: 'faint' }, `${exact(block.instructions)} insn${more ? ` +${exact(more)}` : ''}`),
    svg('text', { x: block.width - 7, y: 42, class: 'figure faint' }, block.count > 0 ? `${counted(block.count, block.lo, block.hi, true)} ×` : ''));
}

// Blocks and edges on a path: the blocks of the graph that each of its blocks consists of, in order.
function onPath(graph, model) {
  const blocks = new Set(), edges = new Set();
  if (!model.path) return { blocks, edges };
  const { at } = model.code;
  const spans = graph.rows.map((block) => [at.get(block.address), at.get(block.last), block.id]);
  let before;
  model.path.blocks.forEach((first, i) => {
    const from = at.get(first), to = at.get(model.path.lasts[i]);
    for (const [low, high, id] of spans.filter(([low, high]) => low >= from && high <= to).sort((a, b) => a[0] - b[0])) {
      if (before !== undefined) edges.add(`${before}-${id}`);
      blocks.add(id);
      before = id;
    }
  });
  return { blocks, edges };
}

// "taken 97 %, ~60 M times"
function wayText({ edge }) {
  const share = known(edge.probability) ? ` ${withInterval(percent, edge.probability, edge.probability_lo, edge.probability_hi)}` : '';
  return `${edge.kind}${share}${known(edge.count) ? `, ${times(edge.count, edge.lo, edge.hi)}` : ''}`;
}

export function graphPane(model, name, { onselect, onopen }) {
  const said = h('span', { class: 'said' }), way = h('span', { class: 'said way', role: 'status' });
  const place = h('div', { class: 'graph', tabindex: 0, role: 'group', 'aria-label': 'control flow graph; down and up follow the likeliest edge, left and right choose another, Home is the entry, Enter opens the code, plus and minus zoom' });
  let graph = null, picture = null, zoom = 1, selected = -1, asked = 0, blocks = 100, walk = null;

  const set = (to) => {
    if (!picture) return;
    const middle = [(place.scrollLeft + place.clientWidth / 2) / zoom, (place.scrollTop + place.clientHeight / 2) / zoom];
    zoom = Math.max(0.15, Math.min(2, to));
    picture.setAttribute('width', graph.width * zoom);
    picture.setAttribute('height', graph.height * zoom);
    place.scrollLeft = middle[0] * zoom - place.clientWidth / 2;
    place.scrollTop = middle[1] * zoom - place.clientHeight / 2;
  };
  const fit = () => graph?.width && set(Math.min(1, (place.clientWidth - 16) / graph.width));
  const more = h('button', { type: 'button', hidden: true, onclick: () => { blocks = Math.min(MOST_BLOCKS, 2 * blocks); load(); } }, 'more blocks');
  const bar = h('div', { class: 'graph-tools' },
    h('button', { type: 'button', title: 'smaller (-)', onclick: () => set(zoom / 1.25) }, '−'),
    h('button', { type: 'button', title: 'larger (+)', onclick: () => set(zoom * 1.25) }, '+'),
    h('button', { type: 'button', title: 'as wide as the pane (0)', onclick: fit }, 'fit'), more, said, way);

  const here = () => graph?.rows.find((one) => model.code.at.get(one.address) <= selected && selected <= model.code.at.get(one.last));
  const select = (block) => { walk.last = null; way.textContent = ''; onselect(block); };

  function mark() {
    if (!picture) return;
    const lit = onPath(graph, model);
    const block = here();
    if (block) place.setAttribute('aria-activedescendant', `block-${block.id}`);
    for (const element of picture.querySelectorAll('.block')) {
      const id = Number(element.dataset.id);
      element.classList.toggle('at', id === block?.id);
      element.classList.toggle('on-path', lit.blocks.has(id));
    }
    for (const element of picture.querySelectorAll('.edge'))
      element.classList.toggle('on-path', lit.edges.has(`${element.dataset.from}-${element.dataset.to}`));
    picture.classList.toggle('with-path', lit.blocks.size > 0);
    return block;
  }

  function reveal() {
    const block = mark();
    if (!block) return;
    const x = block.x * zoom, y = block.y * zoom;
    if (x < place.scrollLeft || x + block.width * zoom > place.scrollLeft + place.clientWidth) place.scrollLeft = x - place.clientWidth / 2 + block.width * zoom / 2;
    if (y < place.scrollTop || y + block.height * zoom > place.scrollTop + place.clientHeight) place.scrollTop = y - place.clientHeight / 2;
  }

  function draw() {
    const most = graph.edges.reduce((max, edge) => Math.max(max, edge.count ?? 0), 0);
    picture = svg('svg', { viewBox: `-2 -2 ${graph.width + 4} ${graph.height + 4}` },
      graph.edges.filter((edge) => edge.points.length >= 8).map((edge) => edgeElement(edge, most)),
      graph.rows.map((block) => blockElement(block, select)));
    walk = new Walk(graph);
    show(place, picture);
    zoom = 1;
    set(1);
    if (graph.width > place.clientWidth) set(Math.max(0.7, (place.clientWidth - 16) / graph.width));
    reveal();
  }

  async function load() {
    if (!canAsk('graph', { function: name, blocks: String(blocks) })) {
      asked++;
      show(place, h('p', { class: 'missing' }, 'This file holds the graphs of the hottest functions. gait export --format html --graphs N holds more; gait view shows all.'));
      return;
    }
    const mine = ++asked;
    said.textContent = 'Graphviz lays it out …';
    try {
      const answer = await ask('graph', { function: name, blocks: String(blocks) });
      if (mine !== asked) return;
      graph = answer;
    } catch (error) {
      if (mine === asked) { said.textContent = ''; show(place, h('p', { class: 'problem', role: 'alert' }, error.message)); }
      return;
    }
    const cut = graph.rows.length < graph.all_blocks;
    more.hidden = !cut || blocks >= MOST_BLOCKS;
    said.textContent = `${cut ? `${exact(graph.rows.length)} of ${exact(graph.all_blocks)} blocks, the hottest` : plural(graph.rows.length, 'block')}, ` +
      `${exact(graph.edges.length)}${graph.edges.length < graph.all_edges ? ` of ${exact(graph.all_edges)}` : ''} edges`;
    if (graph.layout === 'none') show(place, h('p', { class: 'missing' }, graph.layout_why));
    else draw();
  }

  // A step of the keys; what was followed is said beside the picture.
  function step(to) {
    if (!to) return;
    way.textContent = wayText(to);
    onselect(graph.rows.find((block) => block.id === to.id));
  }

  const entry = () => graph.rows.find((block) => block.entry) ?? graph.rows[0];
  const moves = {
    ArrowDown: (block) => step(walk.along(block.id, 1)), ArrowUp: (block) => step(walk.along(block.id, -1)),
    ArrowRight: (block) => step(walk.beside(block.id, 1)), ArrowLeft: (block) => step(walk.beside(block.id, -1)),
    Home: () => select(entry()), Enter: (block) => onopen(block),
  };
  const zooms = { '+': () => set(zoom * 1.25), '-': () => set(zoom / 1.25), 0: fit };
  place.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (picture && moves[event.key]) {
      const block = here();
      if (block) moves[event.key](block);
      else select(entry());
    } else if (zooms[event.key]) zooms[event.key]();
    else return;
    event.preventDefault();
  });
  place.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    set(zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
    event.preventDefault();
  }, { passive: false });

  return {
    element: h('div', { class: 'graph-pane' }, bar, place),
    // On demand: only a pane that is shown asks for its graph.
    shown: () => { if (!asked) load(); },
    mark(row) { selected = row; mark(); },
    reveal,
  };
}
