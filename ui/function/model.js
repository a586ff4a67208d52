// What the page of a function shows: rows of `gait annotate --json --source`, put in order for the two
// lists, and what other commands say about the same addresses.

const FOLD_COLD = 10; // so many instructions in a row that did not run are one row
const AROUND = 2; // but not the first and last of them

const ran = (row) => row.count > 0 || row.share > 0 || row.total > 0;

// The outermost function that is inlined there, with the line of its call: one run of code of it is
// one fold.
function inlineKey(row) {
  const n = row.inlined.length;
  return n ? `${row.inlined[n - 1]}@${(row.sites ?? []).slice(-2).join(':')}` : '';
}

function folds(rows) {
  const list = [];
  for (let i = 0; i < rows.length;) {
    const key = inlineKey(rows[i]);
    let end = i + 1;
    while (end < rows.length && inlineKey(rows[end]) === key) end++;
    if (key) list.push({ from: i, to: end, name: rows[i].inlined[rows[i].inlined.length - 1], kind: 'inlined' });
    i = end;
  }
  return list;
}

function coldRuns(rows) {
  const list = [];
  for (let i = 0; i < rows.length;) {
    if (ran(rows[i])) { i++; continue; }
    let end = i + 1;
    while (end < rows.length && !ran(rows[end])) end++;
    const from = i === 0 ? 0 : i + AROUND, to = end === rows.length ? end : end - AROUND;
    if (to - from >= FOLD_COLD) list.push({ from, to, kind: 'cold' });
    i = end;
  }
  return list;
}

// Code as items: {row} an instruction, {fold} the head of a fold, whose rows follow if it is open.
class Code {
  constructor(answer) {
    this.rows = answer.rows;
    this.at = new Map(this.rows.map((row, i) => [row.address, i]));
    this.lineKeys = this.rows.map((row) => (row.sites?.[1] ? `${row.sites[0]}:${row.sites[1]}` : ''));
    this.inlined = folds(this.rows);
    this.cold = coldRuns(this.rows);
    const anyRan = this.rows.some(ran);
    for (const fold of this.inlined) {
      fold.ran = this.rows.slice(fold.from, fold.to).some(ran);
      fold.open = fold.ran || !anyRan;
      fold.most = this.rows.slice(fold.from, fold.to).reduce((most, row) => Math.max(most, row.share ?? 0), 0);
    }
    for (const fold of this.cold) fold.open = !anyRan;
    this.arrange();
  }

  // Inlined code that did not run is one row even if it is part of more that did not.
  arrange() {
    const items = this.items = [], place = this.place = new Int32Array(this.rows.length).fill(-1);
    let inline = 0, cold = 0;
    for (let i = 0; i < this.rows.length;) {
      while (cold < this.cold.length && this.cold[cold].to <= i) cold++;
      while (inline < this.inlined.length && this.inlined[inline].to <= i) inline++;
      const dead = this.cold[cold];
      if (dead && !dead.open && dead.from <= i) {
        items.push({ fold: dead, from: i });
        for (; i < dead.to; i++) place[i] = items.length - 1;
        continue;
      }
      const body = this.inlined[inline];
      if (body?.from === i) items.push({ fold: body, from: i });
      if (body && body.from <= i && !body.open) {
        if (body.from !== i) items.push({ fold: body, from: i });
        for (; i < body.to; i++) place[i] = items.length - 1;
        continue;
      }
      place[i] = items.length;
      items.push({ row: i, inside: body && body.from <= i });
      i++;
    }
  }

  // Opens what hides a row.
  show(row) {
    for (const fold of [...this.inlined, ...this.cold])
      if (fold.from <= row && row < fold.to) fold.open = true;
    this.arrange();
  }

  toggle(fold) {
    fold.open = !fold.open;
    this.arrange();
  }

  // 'hot': what ran is open; 'all'; 'none'.
  openInlined(how) {
    for (const fold of this.inlined) fold.open = how === 'all' || (how === 'hot' && fold.ran);
    if (how === 'all') for (const fold of this.cold) fold.open = true;
    this.arrange();
  }
}

// Source as items: {file}, {line}, {gap}.
function sourceItems(sources) {
  const items = [];
  const at = new Map();
  for (const file of [...sources].sort((a, b) => b.own - a.own)) {
    if (items.length || sources.length > 1 || !file.there) items.push({ file });
    let last = 0;
    // Without the blanks that all of it begins with: the pane is narrow.
    const indent = file.lines.reduce((least, line) => (line.text?.trim() && line.instructions ? Math.min(least, line.text.search(/\S/)) : least), Infinity);
    file.indent = Number.isFinite(indent) ? indent : 0;
    for (const line of file.lines) {
      if (last && line.line > last + 1) items.push({ gap: line.line - last - 1 });
      at.set(`${file.id}:${line.line}`, items.length);
      items.push({ line, file });
      last = line.line;
    }
  }
  return { items, at };
}

function byAddress(answer) {
  const map = new Map();
  for (const row of answer?.rows ?? []) {
    if (!map.has(row.address)) map.set(row.address, []);
    map.get(row.address).push(row);
  }
  return map;
}

// Jumps inside of the function, each with a lane of the margin: short ones next to the code. Those
// that find no free lane are drawn only if they are selected.
function jumps(code, lanes) {
  const list = [];
  code.rows.forEach((row, from) => {
    const to = row.target === undefined ? undefined : code.at.get(row.target);
    if (to !== undefined && to !== from && !row.assembly.startsWith('call'))
      list.push({ from, to, low: Math.min(from, to), high: Math.max(from, to), row, ran: ran(row) && row.taken !== 0 });
  });
  list.sort((a, b) => b.ran - a.ran || a.high - a.low - (b.high - b.low));
  const taken = Array.from({ length: lanes }, () => []);
  for (const jump of list) {
    const free = (spans) => spans.every(([low, high]) => jump.high < low || high < jump.low);
    jump.lane = list.length > 3000 && !jump.ran ? -1 : taken.findIndex(free);
    if (jump.lane >= 0) taken[jump.lane].push([jump.low, jump.high]);
  }
  return list;
}

export const LANES = 5;

export function modelOf(answer) {
  const code = new Code(answer);
  const rows = answer.rows;
  const most = (key) => rows.reduce((max, row) => Math.max(max, row[key] ?? 0), 0);
  const source = sourceItems(answer.sources ?? []);
  const linesMost = (answer.sources ?? []).reduce((max, file) =>
    file.lines.reduce((m, line) => Math.max(m, line.total_hi ?? line.total ?? 0), max), 0);
  return {
    answer, code, source,
    about: answer.functions[0],
    jumps: jumps(code, LANES),
    shareMost: Math.max(most('share_hi'), most('share')) || 1,
    lineMost: linesMost || 1,
    // From the hottest: by time where times are known, else by executions.
    ranking: rows.map((_, i) => i).filter((i) => ran(rows[i]))
      .sort((a, b) => (rows[b].share ?? 0) - (rows[a].share ?? 0) || (rows[b].count ?? 0) - (rows[a].count ?? 0) || a - b),
    values: new Map(), latencies: new Map(), pipeline: new Map(), loops: new Map(), stagesMost: 1,
    path: null,
  };
}

export function addMeasures(model, kind, answer) {
  model[kind] = byAddress(answer);
}

// The instructions of a path, and its lines: what lights up.
export function lightPath(model, path) {
  if (!path) { model.path = null; return; }
  const rows = new Set(), lines = new Set();
  path.blocks.forEach((first, i) => {
    const from = model.code.at.get(first), to = model.code.at.get(path.lasts[i]);
    if (from === undefined || to === undefined) return;
    for (let row = from; row <= to; row++) rows.add(row);
  });
  for (const row of rows) {
    const sites = model.code.rows[row].sites ?? [];
    for (let k = 0; k < sites.length; k += 2) lines.add(`${sites[k]}:${sites[k + 1]}`);
  }
  model.path = { ...path, rows, rowLines: lines };
}

export function siteKeys(row) {
  const keys = [];
  for (let k = 0; k < (row.sites ?? []).length; k += 2) keys.push(`${row.sites[k]}:${row.sites[k + 1]}`);
  return keys;
}
