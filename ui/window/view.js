// A window on a canvas: calls and loops over instructions, and modelled cycles below them.
//
//   const view = windowView({window, palette, onSelect, onRange})
//
// view.element is what to put on the page. From the top: all of the window, small, with the part in
// sight; a scale of instructions; lanes of calls, and of the loops in them; modelled cycles of each
// instruction as bars; a scale of modelled cycles.
import { h, show } from '../dom.js';
import { isDark, onTheme } from '../theme.js';
import { exact, number } from '../format.js';
import { mixed } from '../flame/colors.js';
import { colorOf, nameOf } from './model.js';

const HEIGHTS = [[19, 14], [17, 12], [15, 11], [13, 10]], GAP = 1; // of lanes of calls and of loops: the tallest that fit
const MAP = 34, SCALE = 18, BARS = 44, CODE = 17;
const LEAST = 8; // instructions in sight, at least
const FONT = '12px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace';
const SMALL = '10.5px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace';
const TINY = '9px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace';
const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  const back = of('--back'), faint = of('--faint');
  return { back, raised: of('--raised'), line: of('--line'), text: of('--text'), faint, accent: of('--accent'), at: of('--at'),
    onColor: isDark() ? '#eef1f5' : '#14181f', loop: mixed(back, faint, isDark() ? 0.3 : 0.2), loopOdd: mixed(back, faint, isDark() ? 0.42 : 0.32),
    cycles: isDark() ? '#b3501a' : '#e07b39', warming: mixed(back, faint, 0.35) };
}

// 1, 2 or 5 times a power of ten.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((by) => by * power).find((step) => step >= least) ?? 1;
}

export function windowView({ window: shown, palette, onSelect, onRange }) {
  const canvas = h('canvas', { 'aria-hidden': 'true' });
  const tooltip = h('div', { class: 'tip', hidden: true });
  const scroll = h('div', { class: 'window-scroll', tabindex: 0, role: 'group', 'aria-label': 'timeline; arrow keys move, Enter zooms in, Escape out, w and s zoom, a and d move along' }, canvas);
  const element = h('div', { class: 'window-view' }, scroll, tooltip);
  const context = canvas.getContext('2d', { alpha: false });
  let CALL = HEIGHTS[0][0], LOOP = HEIGHTS[0][1], laneHeights = [], laneTops = [], lanesHeight = 0;
  function lanesFit() {
    for (const [call, loop] of HEIGHTS) {
      [CALL, LOOP, laneHeights, laneTops, lanesHeight] = [call, loop, shown.lanes.map((lane) => (lane.nest ? loop : call) + GAP), [], 0];
      for (const tall of laneHeights) { laneTops.push(lanesHeight); lanesHeight += tall; }
      if (lanesHeight <= lanesRoom()) return;
    }
  }
  const laneAt = new Map(shown.lanes.map((lane, i) => [`${lane.depth} ${lane.nest}`, i]));
  const laneOf = (scope) => laneAt.get(`${scope.depth} ${scope.nest ?? 0}`);

  let colors = themeColors(), width = 0, height = 0, charWidth = 7.2, smallWidth = 6.3, tinyWidth = 5.4, offset = 0;
  let range = { from: 0, to: shown.n }, motion = null, frame = 0, told = 0;
  let selected = null, hovered = null, marked = () => false, marking = false;
  const timings = [];

  const lanesTop = MAP + SCALE;
  const footer = () => (shown.modelled ? BARS + SCALE : 0) + CODE;
  const lanesRoom = () => Math.max(30, height - lanesTop - footer());
  const scale = () => width / (range.to - range.from);
  const xOf = (at) => (at - range.from) * scale();

  // ---- drawing

  function label(text, left, right, base, each) {
    const room = Math.floor((right - left - 7) / each);
    if (room < 2) return;
    context.fillText(text.length <= room ? text : `${text.slice(0, room - 1)}…`, left + 4, base);
  }

  function drawMap() {
    const columns = Math.floor(width), most = Math.max(1, shown.answer.levels);
    context.fillStyle = colors.back;
    context.fillRect(0, 0, width, MAP);
    context.fillStyle = colors.line;
    for (let x = 0; x < columns; x++) {
      const from = Math.floor((x * shown.n) / columns), to = Math.max(from + 1, Math.floor(((x + 1) * shown.n) / columns));
      let deep = 0;
      for (let i = from; i < to; i++) deep = Math.max(deep, shown.depths[i]);
      const tall = ((deep + 1) / most) * (MAP - 6);
      context.fillRect(x, MAP - 2 - tall, 1, tall);
    }
    const left = (range.from / shown.n) * width, right = Math.max(left + 3, (range.to / shown.n) * width);
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.18;
    context.fillRect(left, 0, right - left, MAP - 2);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 1;
    context.strokeRect(Math.round(left) + 0.5, 0.5, Math.max(2, Math.round(right - left) - 1), MAP - 3);
  }

  function tick(x, top, text, up) {
    context.fillStyle = colors.line;
    context.fillRect(Math.round(x), up ? top : top + SCALE - 4, 1, 4);
    const wide = text.length * smallWidth;
    context.fillStyle = colors.faint;
    context.fillText(text, Math.max(2, Math.min(width - wide - 2, x - wide / 2)), top + 12.5);
  }

  // What a scale is of, at its left end; returns where its figures may begin.
  function named(text, top) {
    context.fillStyle = colors.faint;
    context.fillText(text, 4, top + 12.5);
    return (text.length + 0.5) * smallWidth;
  }

  function drawInstructionScale() {
    const top = MAP;
    context.font = SMALL;
    const step = roundStep(90 / scale());
    let clear = named('instructions', top);
    for (let at = Math.ceil(range.from / step) * step; at <= range.to; at += step) {
      const text = exact(at), x = xOf(at) + (scale() > 30 ? scale() / 2 : 0);
      if (x - (text.length * smallWidth) / 2 < clear + 10 || x > width) continue;
      tick(x, top, text, false);
      clear = x + (text.length * smallWidth) / 2;
    }
  }

  // The instruction at which so many cycles have passed.
  function atCycle(cycle) {
    let low = 0, high = shown.n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shown.cycles[middle] < cycle) low = middle + 1; else high = middle;
    }
    return low;
  }

  function drawCycleScale(top) {
    const from = shown.cycles[Math.max(0, Math.floor(range.from))], to = shown.cycles[Math.min(shown.n, Math.ceil(range.to))];
    context.font = SMALL;
    const step = roundStep(((to - from) * 90) / width);
    let clear = named('modelled cycles', top);
    for (let cycle = Math.ceil(from / step) * step; cycle <= to; cycle += step) {
      const x = xOf(atCycle(cycle)), text = exact(cycle);
      if (x - (text.length * smallWidth) / 2 < clear + 10 || x < 0 || x > width) continue;
      tick(x, top, text, true);
      clear = x + (text.length * smallWidth) / 2;
    }
  }

  // Cycles of each instruction, or of those that share a pixel, as bars.
  function drawBars(top) {
    const one = scale() >= 1, columns = one ? Math.ceil(range.to) - Math.floor(range.from) : Math.floor(width);
    const cost = (i) => {
      const from = one ? Math.floor(range.from) + i : Math.floor(range.from + i / scale());
      const to = one ? from + 1 : Math.max(from + 1, Math.floor(range.from + (i + 1) / scale()));
      return from < shown.n ? shown.took(from, Math.min(to, shown.n)) / (Math.min(to, shown.n) - from) : 0;
    };
    let most = 0;
    for (let i = 0; i < columns; i++) most = Math.max(most, cost(i));
    const room = BARS - 14, warm = Math.min(xOf(shown.warming), width);
    if (warm > 0) {
      context.fillStyle = colors.raised;
      context.fillRect(0, top, warm, BARS);
    }
    context.fillStyle = colors.cycles;
    for (let i = 0; i < columns; i++) {
      const each = cost(i);
      if (!each) continue;
      const tall = Math.max(1, (each / most) * room);
      const left = one ? xOf(Math.floor(range.from) + i) : i;
      context.fillRect(left, top + BARS - tall, one ? Math.max(1, scale() - (scale() > 4 ? 1 : 0)) : 1, tall);
    }
    context.font = SMALL;
    const text = `modelled cycles an instruction, up to ${number(most)}`, wide = text.length * smallWidth;
    context.fillStyle = colors.faint;
    context.fillText(text, width - wide - 4, top + 10.5);
    const word = 'the model warms up: not to be trusted', room2 = Math.min(warm, width - wide - 12);
    if (word.length * smallWidth + 8 < room2) context.fillText(word, 4, top + 10.5);
    else if (15 * smallWidth < room2) context.fillText('model warms up', 4, top + 10.5);
  }

  function drawCode(top) {
    context.fillStyle = colors.line;
    context.fillRect(0, top, width, 1);
    if (scale() < 5) {
      context.font = SMALL;
      context.fillStyle = colors.faint;
      context.fillText('zoom in for single instructions', 4, top + 12.5);
      return;
    }
    context.font = SMALL;
    for (let i = Math.floor(range.from); i < Math.min(shown.n, range.to); i++) {
      const left = xOf(i), right = left + scale();
      context.fillStyle = colors.line;
      context.fillRect(Math.round(left), top + 1, 1, CODE - 1);
      context.fillStyle = colors.text;
      label(shown.code(i).assembly || '?', left - 1, right, top + 12.5, smallWidth);
    }
  }

  // Iterations are told apart by shade where there is room.
  function drawLoop(scope, left, right, top) {
    const from = Math.max(left, 0), to = Math.min(right, width);
    context.fillStyle = colors.loop;
    context.fillRect(from, top, to - from, LOOP);
    const each = (right - left) / scope.iterations;
    if (each >= 3 && scope.iterations > 1) {
      context.fillStyle = colors.loopOdd;
      for (let i = 1; i < scope.iterations; i += 2) {
        const begin = Math.max(from, xOf(scope.starts[i])), end = Math.min(to, xOf(scope.starts[i + 1] ?? scope.to));
        if (end > begin) context.fillRect(begin, top, end - begin, LOOP);
      }
    }
    const small = LOOP < 12, each1 = small ? tinyWidth : smallWidth;
    context.font = small ? TINY : SMALL;
    context.fillStyle = colors.text;
    const times = `×${exact(scope.iterations)}`, room = Math.floor((to - from - 7) / each1);
    label(room > times.length + 10 ? `${times} ${nameOf(scope)}` : times, from, to, top + LOOP - (small ? 2.2 : 3.5), each1);
  }

  function drawCall(scope, left, right, top) {
    const from = Math.max(left, 0), to = Math.min(right, width), gap = right - left > 3 ? 1 : 0;
    const [full] = palette.of(colorOf(scope));
    context.globalAlpha = marking && !marked(scope) ? 0.28 : 1;
    context.fillStyle = full;
    context.fillRect(from, top, Math.max(0.6, to - from - gap), CALL);
    context.globalAlpha = marking && !marked(scope) ? 0.5 : 1;
    context.font = FONT;
    context.fillStyle = colors.onColor;
    label(scope.owner.name, from, to - gap, top + CALL - (CALL < 15 ? 2.5 : CALL < 17 ? 4 : 5.5), charWidth);
    context.globalAlpha = 1;
  }

  function drawLane(lane, top) {
    let drawn = -1; // pixels up to here are taken by thin ones
    for (const scope of lane.scopes) {
      const left = xOf(scope.from), right = xOf(scope.to);
      if (right < 0) continue;
      if (left > width) break;
      if (right <= drawn) continue;
      if (lane.nest) drawLoop(scope, left, right, top);
      else drawCall(scope, left, right, top);
      if (right - left < 1) drawn = Math.floor(left) + 1;
    }
  }

  function outline(scope, color, thick) {
    const top = lanesTop + laneTops[laneOf(scope)] - offset, tall = scope.kind === 'loop' ? LOOP : CALL;
    if (top < lanesTop - 1 || top + tall > lanesTop + lanesRoom() + 1) return;
    const left = Math.max(0, xOf(scope.from)), right = Math.min(width, xOf(scope.to));
    if (right < 0 || left > width) return;
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.strokeRect(left + thick / 2, top + thick / 2, Math.max(2, right - left - thick), tall - thick);
  }

  function draw() {
    const began = performance.now();
    frame = 0;
    if (motion) move(began);
    context.fillStyle = colors.back;
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(0, lanesTop, width, lanesRoom());
    context.clip();
    shown.lanes.forEach((lane, i) => {
      const top = lanesTop + laneTops[i] - offset;
      if (top + laneHeights[i] > lanesTop && top < lanesTop + lanesRoom()) drawLane(lane, top);
    });
    if (hovered && hovered !== selected) outline(hovered, colors.text, 1);
    if (selected) outline(selected, colors.accent, 2);
    if (offset + lanesRoom() < lanesHeight - 1) {
      const word = '▾ deeper: drag up', at = width - word.length * smallWidth - 6;
      context.fillStyle = colors.raised;
      context.fillRect(at - 4, lanesTop + lanesRoom() - 15, width - at + 4, 15);
      context.font = SMALL;
      context.fillStyle = colors.faint;
      context.fillText(word, at, lanesTop + lanesRoom() - 4);
    }
    context.restore();
    drawMap();
    drawInstructionScale();
    const foot = height - footer();
    drawCode(foot);
    if (shown.modelled) {
      drawBars(foot + CODE);
      drawCycleScale(foot + CODE + BARS);
    }
    timings.push(performance.now() - began);
    if (timings.length > 600) timings.shift();
    if (motion) redraw();
    else tell();
  }

  const redraw = () => { frame ||= requestAnimationFrame(draw); };

  // The part in sight is told when it has stayed the same for a moment.
  function tell() {
    clearTimeout(told);
    told = setTimeout(() => onRange(view.range), 120);
  }

  function move(now) {
    const t = Math.min(1, (now - motion.start) / 140), ease = 1 - (1 - t) ** 3;
    range = { from: motion.from.from + (motion.to.from - motion.from.from) * ease, to: motion.from.to + (motion.to.to - motion.from.to) * ease };
    if (t >= 1) { range = motion.to; motion = null; }
  }

  function go(from, to, smooth = true) {
    const many = Math.min(shown.n, Math.max(LEAST, to - from));
    const begin = Math.max(0, Math.min((from + to - many) / 2, shown.n - many));
    const wanted = { from: begin, to: begin + many };
    if (smooth && !still()) motion = { from: range, to: wanted, start: performance.now() };
    else { motion = null; range = wanted; }
    redraw();
  }

  const target = () => motion?.to ?? range;
  // `by`: how much of what is in sight stays; `at`: the instruction that stays where it is.
  function zoom(by, at, smooth) {
    const now = target(), middle = at ?? (now.from + now.to) / 2;
    const many = Math.min(shown.n, Math.max(LEAST, (now.to - now.from) * by)), part = (middle - now.from) / (now.to - now.from);
    const from = Math.max(0, Math.min(middle - part * many, shown.n - many));
    go(from, from + many, smooth);
  }
  function pan(by, smooth) {
    const now = target(), many = now.to - now.from, from = Math.max(0, Math.min(now.from + by * many, shown.n - many));
    go(from, from + many, smooth);
  }

  // ---- selecting

  function scopeAt(x, y) {
    if (y < lanesTop || y >= lanesTop + lanesRoom()) return null;
    const inside = y - lanesTop + offset;
    const index = laneTops.findLastIndex((top) => top <= inside);
    if (index < 0) return null;
    const at = range.from + x / scale();
    let found = null;
    for (const scope of shown.lanes[index].scopes) {
      if (scope.from > at + 1.5 / scale()) break;
      if (scope.to >= at - 1.5 / scale()) { if (!found || (scope.from <= at && at < scope.to)) found = scope; }
    }
    return found;
  }

  function into(scope) {
    const top = laneTops[laneOf(scope)], tall = laneHeights[laneOf(scope)];
    if (top < offset) offset = top;
    else if (top + tall > offset + lanesRoom()) offset = laneTops.find((one) => one >= top + tall - lanesRoom()) ?? top;
  }

  // Puts a scope in sight: along, too, if it is not.
  function select(scope, follow) {
    selected = scope;
    if (scope) into(scope);
    if (scope && follow) {
      const now = target();
      if (scope.to <= now.from || scope.from >= now.to) {
        const many = now.to - now.from, middle = (scope.from + Math.min(scope.to, scope.from + many)) / 2;
        go(middle - many / 2, middle + many / 2);
      }
    }
    onSelect(scope);
    redraw();
  }

  const zoomTo = (scope) => { if (scope) go(scope.from - (scope.to - scope.from) * 0.02, scope.to + (scope.to - scope.from) * 0.02); };
  const near = (lists, at) => lists.reduce((best, one) => (!best || Math.abs(one.from - at) < Math.abs(best.from - at) ? one : best), null);
  const sibling = (by) => {
    if (!selected) return shown.scopes[0];
    const list = shown.lanes[laneOf(selected)].scopes;
    return list[list.indexOf(selected) + by] ?? selected;
  };
  const keys = {
    ArrowLeft: () => select(sibling(-1), true), ArrowRight: () => select(sibling(1), true),
    ArrowUp: () => select(selected?.parent ?? selected ?? shown.scopes[0], true),
    ArrowDown: () => select(near(selected?.children ?? [], target().from) ?? selected ?? shown.scopes[0], true),
    Enter: () => zoomTo(selected), Escape: () => { if (target().to - target().from >= shown.n) select(null); go(0, shown.n); },
    w: () => zoom(0.5), s: () => zoom(2), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
    a: () => pan(-0.25), d: () => pan(0.25), Home: () => go(0, target().to - target().from), End: () => go(shown.n - (target().to - target().from), shown.n),
    PageUp: () => pan(-0.9), PageDown: () => pan(0.9), 0: () => go(0, shown.n),
  };
  scroll.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });

  // ---- the mouse

  function tipFor(scope) {
    const many = scope.to - scope.from, took = shown.took(scope.from, scope.to);
    return [h('strong', {}, nameOf(scope)),
      h('table', {},
        h('tr', {}, h('th', {}, 'instructions'), h('td', {}, exact(many)), h('td', {}, `${exact(scope.own)} its own`)),
        shown.modelled && h('tr', {}, h('th', {}, 'modelled'), h('td', {}, `${exact(took)} cycles`), h('td', {}, `${number(took / many)} an instruction`)),
        scope.kind === 'loop' && h('tr', {}, h('th', {}, 'iterations'), h('td', {}, exact(scope.iterations)), h('td', {}, `${number(many / scope.iterations)} instructions each`))),
      h('p', {}, [scope.before && 'begun before', scope.after && 'goes on after', scope.tail && 'tail call', scope.loop && `in ${scope.owner.name}`].filter(Boolean).join(' · ') || scope.owner.address)];
  }

  function hover(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const next = scopeAt(x, y);
    if (next !== hovered) { hovered = next; redraw(); }
    if (!next) { tooltip.hidden = true; return; }
    show(tooltip, tipFor(next));
    tooltip.hidden = false;
    const left = Math.max(0, Math.min(x + 14, width - tooltip.offsetWidth - 6));
    const below = y + 18 + tooltip.offsetHeight < height;
    Object.assign(tooltip.style, { left: `${left}px`, top: `${below ? y + 18 : Math.max(0, y - tooltip.offsetHeight - 10)}px` });
  }

  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    drag = { x, y, range, offset, map: y < MAP, moved: false };
    canvas.setPointerCapture(event.pointerId);
    if (drag.map) { const middle = (x / width) * shown.n, many = range.to - range.from; go(middle - many / 2, middle + many / 2, false); drag.range = range; }
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) { hover(event); return; }
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
    drag.moved = true;
    tooltip.hidden = true;
    const many = drag.range.to - drag.range.from;
    const by = drag.map ? ((x - drag.x) / width) * shown.n : (-(x - drag.x) / width) * many;
    const from = Math.max(0, Math.min(drag.range.from + by, shown.n - many));
    motion = null;
    range = { from, to: from + many };
    if (!drag.map) offset = Math.max(0, Math.min(drag.offset - (y - drag.y), lanesHeight - lanesRoom()));
    redraw();
  });
  canvas.addEventListener('pointerup', (event) => {
    const box = canvas.getBoundingClientRect();
    if (drag && !drag.moved && !drag.map) select(scopeAt(event.clientX - box.left, event.clientY - box.top));
    drag = null;
  });
  canvas.addEventListener('dblclick', (event) => {
    const box = canvas.getBoundingClientRect();
    zoomTo(scopeAt(event.clientX - box.left, event.clientY - box.top));
  });
  canvas.addEventListener('pointerleave', () => { tooltip.hidden = true; if (hovered) { hovered = null; redraw(); } });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    tooltip.hidden = true;
    const box = canvas.getBoundingClientRect(), now = range;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(((event.deltaX || event.deltaY) / width) * 0.8, false);
    else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.0022))), now.from + (event.clientX - box.left) / scale(), false);
  }, { passive: false });

  // ---- size and theme

  function resize() {
    const ratio = devicePixelRatio || 1;
    width = scroll.clientWidth;
    height = scroll.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    charWidth = context.measureText('0'.repeat(40)).width / 40;
    context.font = SMALL;
    smallWidth = context.measureText('0'.repeat(40)).width / 40;
    context.font = TINY;
    tinyWidth = context.measureText('0'.repeat(40)).width / 40;
    lanesFit();
    offset = Math.max(0, Math.min(offset, lanesHeight - lanesRoom()));
    cancelAnimationFrame(frame);
    draw(); // at once: a canvas whose size was set is empty
  }
  const resized = new ResizeObserver(resize);
  resized.observe(scroll);
  const forget = onTheme(() => { colors = themeColors(); redraw(); });

  const view = {
    element, scroll, timings, select, zoom, zoomTo,
    show(from, to) { go(from, to, false); },
    mark(text) { // calls of functions whose names hold the text
      const part = text.toLowerCase();
      marking = part !== '';
      marked = (scope) => scope.owner.name.toLowerCase().includes(part);
      redraw();
    },
    get range() { const now = target(); return { from: Math.max(0, Math.floor(now.from)), to: Math.min(shown.n, Math.ceil(now.to)) }; },
    get moves() { return motion !== null || frame !== 0; },
    get selected() { return selected; },
    // Where a scope lies on the canvas.
    box(scope) {
      return { left: xOf(scope.from), width: (scope.to - scope.from) * scale(), top: lanesTop + laneTops[laneOf(scope)] - offset, height: scope.kind === 'loop' ? LOOP : CALL };
    },
    close() { clearTimeout(told); cancelAnimationFrame(frame); resized.disconnect(); forget(); },
  };
  return view;
}
