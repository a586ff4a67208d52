// A flame graph on a canvas: drawn, zoomed, searched, and walked through by keyboard.
//
//   const view = flameView({tree, palette, up, label, onSelect, onZoom, tip})
//
// view.element is what to put on the page. Frames hang from the top (icicles), or stand on the
// bottom if `up`. A frame is solid up to the low end of its 95 % interval, and paler from there to
// the estimate.
import { h, show } from '../dom.js';
import { isDark, onTheme } from '../theme.js';

const ROW = 19, TEXT_AT = 13, LEAST = 0.6; // pixels
const FONT = '12px ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace';
const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { back: of('--back'), raised: of('--raised'), line: of('--line'), text: of('--text'), faint: of('--faint'),
    accent: of('--accent'), match: isDark() ? ['#b3501a', '#7a3c1b'] : ['#f2935b', '#f9cdb0'], frameText: isDark() ? '#eef1f5' : '#14181f' };
}

// Stripes for what is there but not drawn one by one.
function stripes(context, colors) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const pen = tile.getContext('2d');
  pen.fillStyle = colors.raised;
  pen.fillRect(0, 0, 6, 6);
  pen.strokeStyle = colors.line;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const at of [-3, 3, 9]) { pen.moveTo(at - 3, 9); pen.lineTo(at + 9, -3); }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

// A name without parameters, for frames that it does not fit into.
const short = new Map();
function shorter(name) {
  let text = short.get(name);
  if (text === undefined) {
    const at = name.indexOf('(', name.includes('operator()') ? name.indexOf('operator()') + 10 : 1);
    text = at > 0 && name[0] !== '[' ? name.slice(0, at) : name;
    short.set(name, text);
  }
  return text;
}

export function flameView({ tree, palette, up = false, label, onSelect, onZoom, tip }) {
  const canvas = h('canvas', { 'aria-hidden': 'true' });
  const spacer = h('div', { class: 'spacer' });
  const tooltip = h('div', { class: 'tip', hidden: true });
  const scroll = h('div', { class: 'flame-scroll', tabindex: 0, role: 'group', 'aria-label': label }, canvas, spacer);
  const element = h('div', { class: 'flame' }, scroll, tooltip);
  const context = canvas.getContext('2d', { alpha: false });
  let colors = themeColors(), fold = null, width = 0, height = 0, charWidth = 7.2;
  let range = { x: 0, w: tree.root.w || 1 }; // what is in sight, in the unit of the weight
  let focus = tree.root, selected = null, hovered = null, searching = false;
  let frame = 0, motion = null;
  const timings = [];

  const scale = () => width / range.w;
  const rowTop = (depth) => (up ? height - (depth + 1) * ROW + scroll.scrollTop - slack() : depth * ROW - scroll.scrollTop);
  const slack = () => (up ? Math.max(0, (tree.depth + 1) * ROW - height) : 0);

  function text(name, at, top, wide) {
    const room = Math.floor((wide - 8) / charWidth);
    if (room < 2) return;
    if (name.length > room) name = shorter(name);
    context.fillText(name.length <= room ? name : `${name.slice(0, room - 1)}…`, at + 4, top + TEXT_AT);
  }

  function drawFrame(node, left, right, top) {
    const from = Math.max(left, 0), to = Math.min(right, width), gap = right - left > 3 ? 1 : 0;
    const [full, soft] = !node.row ? [colors.raised, colors.raised] : searching && node.match ? colors.match : palette.of(node.row, node);
    const dim = searching && !node.match;
    context.globalAlpha = dim ? 0.28 : 1;
    context.fillStyle = soft;
    context.fillRect(from, top, to - from - gap, ROW - 1);
    const sure = Number.isFinite(node.lo) ? left + node.lo * scale() : right;
    context.fillStyle = full;
    context.fillRect(from, top, Math.max(0, Math.min(sure, to - gap) - from), ROW - 1);
    context.globalAlpha = dim ? 0.5 : 1;
    context.fillStyle = node.row ? colors.frameText : colors.faint;
    text(node.row ? node.row.function : 'all', from, top, to - from - gap);
    context.globalAlpha = 1;
  }

  function drawFolded(left, right, top) {
    const from = Math.max(left, 0), to = Math.min(right, width);
    if (to - from < LEAST) return;
    context.fillStyle = fold;
    context.fillRect(from, top, to - from, ROW - 1);
  }

  // Below a frame: children that can be seen one by one, and stripes for the others.
  function drawBelow(node) {
    const top = rowTop(node.depth + 1), by = scale();
    const inside = top > -ROW && top < height;
    let thin = -1, end = 0; // a run of frames that are too thin
    for (const child of node.children) {
      const left = (child.x - range.x) * by, right = left + child.w * by;
      if (right <= 0) continue;
      if (left >= width) break;
      if (right - left < LEAST) {
        if (thin < 0) thin = left;
        end = right;
        continue;
      }
      if (inside) drawFrame(child, left, right, top);
      if (up ? top > -ROW : top < height) drawBelow(child);
    }
    if (!inside) return;
    if (node.folded) {
      const left = (node.foldedAt - range.x) * by;
      drawFolded(thin < 0 ? left : thin, left + node.folded * by, top);
    } else if (thin >= 0) {
      drawFolded(thin, end, top);
    }
  }

  function outline(node, color, thick) {
    const left = (node.x - range.x) * scale(), right = left + node.w * scale(), top = rowTop(node.depth);
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.strokeRect(Math.max(left, 0) + thick / 2, top + thick / 2, Math.max(2, Math.min(right, width) - Math.max(left, 0) - 1 - thick), ROW - 1 - thick);
  }

  // From the low to the high end of its width.
  function whisker(node) {
    if (!Number.isFinite(node.lo) || node.hi === node.lo) return;
    const at = (weight) => (node.x + weight - range.x) * scale();
    const y = rowTop(node.depth) + ROW - 4.5, from = at(node.lo), to = Math.min(at(node.hi), width - 1);
    context.strokeStyle = colors.text;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(from, y); context.lineTo(to, y);
    context.moveTo(from, y - 4); context.lineTo(from, y + 4);
    context.moveTo(to, y - 4); context.lineTo(to, y + 4);
    context.stroke();
  }

  function draw() {
    const began = performance.now();
    frame = 0;
    if (motion) move(began);
    context.fillStyle = colors.back;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    if (tree.root.w > 0) {
      const left = -range.x * scale();
      drawFrame(tree.root, left, left + tree.root.w * scale(), rowTop(0));
      drawBelow(tree.root);
    }
    if (hovered && hovered !== selected) { outline(hovered, colors.text, 1); whisker(hovered); }
    if (selected) { outline(selected, colors.accent, 2); whisker(selected); }
    if (!timings.length && tree.nodes.size) performance.mark('picture'); // bench/view-speed reads it
    timings.push(performance.now() - began);
    if (timings.length > 600) timings.shift();
    if (motion) redraw();
  }

  const redraw = () => { frame ||= requestAnimationFrame(draw); };

  function move(now) {
    const t = Math.min(1, (now - motion.start) / motion.ms), ease = 1 - (1 - t) ** 3;
    // Left and right ends move evenly in the picture that is left.
    range = ease < 1 ? { x: motion.from.x + (motion.to.x - motion.from.x) * ease, w: motion.from.w + (motion.to.w - motion.from.w) * ease } : motion.to;
    if (t >= 1) motion = null;
  }

  function go(to, smooth = true) {
    const all = tree.root.w || 1, w = Math.max(Math.min(to.w, all), all * 1e-9);
    const wanted = { w, x: Math.max(0, Math.min(to.x, all - w)) };
    if (smooth && !still()) motion = { from: range, to: wanted, start: performance.now(), ms: 160 };
    else { motion = null; range = wanted; }
    redraw();
  }

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
    fold = stripes(context, colors);
    spacer.style.height = `${Math.max(0, (tree.depth + 1) * ROW - height)}px`;
    if (up && !resize.done) scroll.scrollTop = slack();
    resize.done = true;
    cancelAnimationFrame(frame);
    draw(); // at once: a canvas whose size was set is empty
  }

  // The frame at a point; null: none.
  function at(x, y) {
    const depth = up ? Math.floor((height - slack() + scroll.scrollTop - y) / ROW) : Math.floor((y + scroll.scrollTop) / ROW);
    const weight = range.x + x / scale();
    let node = tree.root;
    while (node && node.depth < depth) node = node.children.find((child) => weight >= child.x && weight < child.x + child.w && child.w * scale() >= LEAST);
    return node && node.depth === depth ? node : null;
  }

  function hover(node, event) {
    if (node !== hovered) {
      hovered = node;
      if (node?.row) show(tooltip, tip(node));
      redraw();
    }
    tooltip.hidden = !node?.row;
    canvas.style.cursor = node ? 'pointer' : 'default';
    if (tooltip.hidden) return;
    const box = element.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 14, box.width - tooltip.offsetWidth - 4);
    const below = event.clientY - box.top + 18;
    const top = below + tooltip.offsetHeight > box.height ? event.clientY - box.top - tooltip.offsetHeight - 12 : below;
    tooltip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  }

  function bringIntoSight(node) {
    const top = rowTop(node.depth);
    if (top < 0) scroll.scrollTop += top;
    else if (top + ROW > height) scroll.scrollTop += top + ROW - height;
  }

  function select(node, quiet) {
    selected = node === tree.root ? null : node;
    if (node) bringIntoSight(node);
    if (!quiet) onSelect?.(selected);
    redraw();
  }

  // Shows a frame as wide as the view.
  function zoomTo(node, { smooth = true, quiet = false } = {}) {
    focus = node ?? tree.root;
    if (node?.row) { selected = node; bringIntoSight(node); }
    go({ x: focus.x, w: focus.w }, smooth);
    if (!quiet) { onSelect?.(selected); onZoom?.(focus); }
  }

  function zoomBy(factor, x = width / 2) {
    const weight = range.x + x / scale(), to = motion ? motion.to : range;
    const w = Math.min(tree.root.w, to.w / factor);
    go({ w, x: weight - (x / width) * w }, false);
    zoomEnds();
  }

  // After turning the wheel: what is in sight may need more rows.
  let wheelEnd = 0;
  function zoomEnds() {
    clearTimeout(wheelEnd);
    wheelEnd = setTimeout(() => {
      let node = tree.root, next = node;
      while (next) {
        node = next;
        next = node.children.find((child) => child.x <= range.x * (1 + 1e-9) && child.x + child.w >= (range.x + range.w) * (1 - 1e-9));
      }
      if (node !== focus) { focus = node; onZoom?.(focus, true); }
    }, 250);
  }

  // The neighbour on the same level that can be seen.
  function beside(node, step) {
    let best = null;
    const visit = (one) => {
      if (one.w * scale() < LEAST) return;
      if (one.depth === node.depth) {
        if (step > 0 ? one.x > node.x && (!best || one.x < best.x) : one.x < node.x && (!best || one.x > best.x)) best = one;
        return;
      }
      for (const child of one.children) visit(child);
    };
    visit(tree.root);
    return best;
  }

  function matches() {
    return [...tree.nodes.values()].filter((node) => node.match).sort((a, b) => a.x - b.x || a.depth - b.depth);
  }

  function nextMatch(step) {
    const all = matches();
    if (!all.length) return;
    const i = all.indexOf(selected);
    zoomTo(all[(i + step + all.length) % all.length].parent, { quiet: true });
    select(all[(i + step + all.length) % all.length]);
  }

  const outwards = () => select(selected ? (selected.parent.row ? selected.parent : selected) : tree.root.children[0]);
  // Frames without weight are not drawn: kernel frames, where the kernel's time is not shown.
  const inside = (node) => node.children.find((child) => child.w > 0);
  const inwards = () => select(inside(selected ?? tree.root) ?? selected);
  const keys = {
    ArrowUp: () => (up ? inwards() : outwards()), ArrowDown: () => (up ? outwards() : inwards()),
    ArrowLeft: () => select(selected ? beside(selected, -1) ?? selected : tree.root.children[0]),
    ArrowRight: () => select(selected ? beside(selected, 1) ?? selected : tree.root.children[0]),
    Enter: () => zoomTo(selected ?? tree.root), Backspace: () => zoomTo(focus.parent ?? tree.root),
    Escape: () => zoomTo(tree.root), Home: () => zoomTo(tree.root),
    '+': () => zoomBy(1.5, selected ? middle(selected) : undefined), '=': () => zoomBy(1.5, selected ? middle(selected) : undefined), '-': () => zoomBy(1 / 1.5),
    a: () => pan(-0.15), d: () => pan(0.15), n: () => nextMatch(1), N: () => nextMatch(-1), p: () => nextMatch(-1),
  };
  const middle = (node) => Math.max(0, Math.min(width, (node.x + node.w / 2 - range.x) * scale()));
  const pan = (part) => go({ ...range, x: range.x + part * range.w }, false);

  scroll.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });

  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, from: range.x, top: scroll.scrollTop, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) {
      hover(at(event.offsetX, event.offsetY), event);
      return;
    }
    drag.moved ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4;
    if (!drag.moved) return;
    tooltip.hidden = true;
    scroll.scrollTop = drag.top - (event.clientY - drag.y);
    go({ w: range.w, x: drag.from - (event.clientX - drag.x) / scale() }, false);
  });
  canvas.addEventListener('pointerup', (event) => {
    const node = drag && !drag.moved ? at(event.offsetX, event.offsetY) : null;
    drag = null;
    if (node) zoomTo(node);
  });
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('pointerleave', (event) => hover(null, event));
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) pan((event.deltaX || event.deltaY) / width);
    else zoomBy(1.0016 ** -Math.max(-300, Math.min(300, event.deltaY)), event.offsetX);
  }, { passive: false });
  scroll.addEventListener('scroll', redraw, { passive: true });

  // It calls once at the beginning, a frame after the page is complete: grown() has drawn by then.
  const resized = new ResizeObserver(() => { if (scroll.clientWidth !== width || scroll.clientHeight !== height) resize(); });
  resized.observe(scroll);
  const themed = onTheme(() => { colors = themeColors(); fold = stripes(context, colors); redraw(); });
  return {
    element, scroll, zoomTo, select, zoomBy, timings,
    get focus() { return focus; },
    get moves() { return frame !== 0 || motion !== null; },
    get range() { return range; },
    get selected() { return selected; },
    // Where a frame is drawn, for tests: {left, top, width} in pixels of the canvas.
    frameBox: (node) => ({ left: (node.x - range.x) * scale(), top: rowTop(node.depth), width: node.w * scale(), height: ROW }),
    search(on) { searching = on; redraw(); },
    // After it was put on the page, so that what is brought into sight knows how high that is, and after rows were added to the tree.
    grown() { resize(); },
    destroy() { resized.disconnect(); themed(); cancelAnimationFrame(frame); clearTimeout(wheelEnd); },
  };
}
