// One window as `gait windows --show N --json` has it, made ready to be drawn: where each call and
// loop lies, and the modelled cycle at each instruction. No analysis: indices become references.

export class Window {
  constructor(answer) {
    this.answer = answer;
    this.n = answer.instructions;
    this.warming = answer.warming;
    this.modelled = answer.course.cycles.length > 0;
    this.steps = expand(answer.course.steps, this.n);
    this.cycles = sums(answer.course.cycles, this.n);
    this.byId = new Map();
    this.scopes = answer.rows.map((row) => this.scope(row));
    this.depths = this.levels();
    this.lanes = lanesOf(this.scopes, answer.levels);
  }

  scope(row) {
    const { answer } = this;
    const owner = answer.functions[row.function], loop = row.kind === 'loop' ? answer.loops[row.loop] : null;
    const scope = { ...row, owner, loop, parent: this.byId.get(row.parent) ?? null, children: [] };
    scope.parent?.children.push(scope);
    this.byId.set(row.id, scope);
    return scope;
  }

  // The deepest call at each instruction.
  levels() {
    const depths = new Uint16Array(this.n);
    for (const scope of this.scopes)
      if (scope.kind === 'call') depths.fill(scope.depth, scope.from, scope.to);
    return depths;
  }

  code(at) {
    return this.answer.code[this.steps[at]];
  }

  // Modelled cycles from one instruction to another.
  took(from, to) {
    return this.cycles[to] - this.cycles[from];
  }

  // The innermost scope around an instruction, of calls alone if so asked.
  innermost(at, kind) {
    let found = null;
    for (const scope of this.scopes) {
      if (scope.from > at) break;
      if (scope.to > at && (!kind || scope.kind === kind)) found = scope;
    }
    return found;
  }
}

function expand(pairs, n) {
  const steps = new Uint32Array(n);
  let at = 0;
  for (const [first, many] of pairs)
    for (let i = 0; i < many && at < n; i++) steps[at++] = first + i;
  return steps;
}

function sums(cycles, n) {
  const all = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) all[i + 1] = all[i] + (cycles[i] ?? 0);
  return all;
}

// Calls of one depth are one lane; the loops in them are lanes below it, one for each nesting.
// [{depth, nest, scopes}], from the top down.
function lanesOf(scopes, levels) {
  const nests = new Array(levels).fill(0);
  for (const scope of scopes)
    if (scope.kind === 'loop') nests[scope.depth] = Math.max(nests[scope.depth], scope.nest);
  const lanes = [], at = [];
  for (let depth = 0; depth < levels; depth++) {
    at[depth] = lanes.length;
    for (let nest = 0; nest <= nests[depth]; nest++) lanes.push({ depth, nest, scopes: [] });
  }
  for (const scope of scopes) lanes[at[scope.depth] + (scope.nest ?? 0)].scopes.push(scope);
  return lanes;
}

// What a palette knows a call by.
export function colorOf(scope) {
  return { module: scope.owner.name, function: scope.owner.name };
}

export function nameOf(scope) {
  return scope.kind === 'call' ? scope.owner.name : `loop ${scope.loop.line || scope.loop.address}`;
}
