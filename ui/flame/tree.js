// Rows of `gait contexts --json` as a tree with a place for each frame: x and width in the unit of
// the weight, so that drawing only scales. The tree can hold a part of what was recorded: rows come
// heaviest first and are cut by a limit, and more of them are added when the reader comes closer.
import { count, seconds } from '../format.js';

const TITLES = { user: 'user CPU time', kernel: 'kernel CPU time', cpu: 'CPU time, user and kernel' };
const timed = { id: 'time', format: seconds, value: (row) => row.time,
  lo: (row) => row.time_lo, hi: (row) => row.time_hi, self: (row) => row.metrics.self_time,
  selfLo: (row) => row.metrics.self_time_lo, selfHi: (row) => row.metrics.self_time_hi };

const metric = (id, title) => ({ id, title, format: count, value: (row) => row.metrics[id],
  lo: (row) => row.metrics[`${id}_lo`] ?? row.metrics[id], hi: (row) => row.metrics[`${id}_hi`] ?? row.metrics[id],
  self: (row) => row.metrics[`self_${id}`], selfLo: (row) => row.metrics[`self_${id}_lo`] ?? row.metrics[`self_${id}`],
  selfHi: (row) => row.metrics[`self_${id}_hi`] ?? row.metrics[`self_${id}`] });

// What contexts weigh: time, or what an exact recording counted.
export function measureOf(answer) {
  const row = answer.rows[0];
  if (!row || row.time !== null) return { ...timed, title: TITLES[answer.time_of] ?? TITLES.user };
  if (row.metrics.instructions !== undefined) return metric('instructions', 'executed instructions');
  return metric('events', answer.mode === 'exact' ? 'calls' : 'events');
}

function makeNode(row, parent, measure) {
  return { row, id: row.id, parent, children: [], depth: parent.depth + 1, x: 0, w: measure.value(row) ?? 0,
    lo: measure.lo(row), hi: measure.hi(row), self: measure.self(row) ?? 0, folded: 0, match: false };
}

export class Tree {
  constructor(answer, measure) {
    this.measure = measure;
    this.form = answer.form;
    this.cut = answer.rows.length < answer.selected.contexts;
    this.nodes = new Map();
    this.root = { row: null, id: null, parent: null, children: [], depth: 0, x: 0, w: 0, self: 0, folded: 0, match: false };
    this.depth = 0;
    this.add(answer);
    this.root.w = measure.value(answer.selected) || this.root.children.reduce((sum, child) => sum + child.w, 0);
    this.root.lo = this.root.hi = this.root.w;
    this.place(this.root);
  }

  // Adds rows that are not there yet; a parent stands before its children. Returns how many.
  add(answer) {
    let added = 0;
    for (const row of answer.rows) {
      if (this.nodes.has(row.id)) continue;
      const parent = row.parent === null ? this.root : this.nodes.get(row.parent);
      if (!parent) continue;
      const node = makeNode(row, parent, this.measure);
      parent.children.push(node);
      this.nodes.set(row.id, node);
      this.depth = Math.max(this.depth, node.depth);
      added++;
    }
    return added;
  }

  // Places everything below a node: the heaviest on the left, then what is folded, then its own.
  place(from) {
    const todo = [from];
    while (todo.length) {
      const node = todo.pop();
      let x = node.x;
      node.children.sort((a, b) => b.w - a.w || a.id - b.id);
      for (const child of node.children) {
        child.x = x;
        x += child.w;
        todo.push(child);
      }
      // A bottom-up root has all of its weight in itself and in its callers alike.
      const own = this.form === 'bottom-up' ? 0 : node.self;
      const more = node.row ? node.row.children > node.children.length : this.cut;
      node.folded = more ? Math.max(0, node.w - own - (x - node.x)) : 0;
      node.foldedAt = x;
    }
  }

  find(id) {
    return this.nodes.get(id);
  }

  // What matches is marked. The weight in it: of frames inside of each other the outermost counts.
  mark(text) {
    const words = text.toLowerCase();
    let weight = 0, frames = 0;
    const todo = [[this.root, false]];
    while (todo.length) {
      const [node, inside] = todo.pop();
      node.match = !!words && !!node.row && node.row.function.toLowerCase().includes(words);
      if (node.match) frames++;
      if (node.match && !inside) weight += node.w;
      for (const child of node.children) todo.push([child, inside || node.match]);
    }
    return { weight, frames };
  }
}

// The frames of a path, the outermost first.
export function pathOf(node) {
  const path = [];
  for (; node; node = node.parent) path.unshift(node);
  return path;
}
