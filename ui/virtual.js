// A list of rows of one height, of which only those in sight are elements.
//
//   const list = virtual({rows: n, row: (i) => element, label, height: 20, keys: {Enter: (i) => {}}})
//   list.element    to be put into the page
//   list.draw()     after a change of what rows show; list.resize(n) after a change of their number
//   list.select(i)  the row that the arrow keys move; list.reveal(i) scrolls to it
import { h, show } from './dom.js';

const AROUND = 16; // rows drawn above and below those in sight

export function virtual({ row, label, height, onselect, keys, head, over }) {
  let n = 0, at = -1;
  const space = h('div', { class: 'virtual-space' });
  const body = h('div', { class: 'virtual-rows' });
  const above = over ? over() : null;
  space.append(body);
  if (above) space.append(above);
  const view = h('div', { class: 'virtual', tabindex: 0, role: 'listbox', 'aria-label': label }, head, space);

  function seen() {
    const first = Math.floor(view.scrollTop / height), many = Math.ceil((view.clientHeight || 600) / height);
    return [Math.max(0, first - AROUND), Math.min(n, first + many + AROUND)];
  }

  function draw() {
    const [from, to] = seen();
    const rows = [];
    for (let i = from; i < to; i++) {
      const element = row(i);
      element.setAttribute('role', 'option');
      element.dataset.row = i;
      if (i === at) element.setAttribute('aria-selected', 'true');
      rows.push(element);
    }
    body.style.transform = `translateY(${from * height}px)`;
    show(body, rows);
    list.drawn?.(from, to);
  }

  const headHeight = () => head?.offsetHeight ?? 0;

  // Scrolls as little as needed; far away ones to the middle.
  function reveal(i) {
    const top = i * height, room = view.clientHeight - headHeight();
    const whole = (x) => Math.max(0, Math.round(x / height) * height);
    if (top < view.scrollTop - room || top > view.scrollTop + 2 * room) view.scrollTop = whole(top - room / 2);
    else if (top < view.scrollTop + height) view.scrollTop = top - height;
    else if (top + 2 * height > view.scrollTop + room) view.scrollTop = whole(top + 3 * height - room);
  }

  const list = {
    element: view,
    draw,
    reveal,
    get at() { return at; },
    select(i) {
      at = Math.max(-1, Math.min(n - 1, i));
    },
    resize(rows) {
      n = rows;
      space.style.height = `${n * height}px`;
      at = Math.min(at, n - 1);
      draw();
    },
    stop: () => resized.disconnect(),
  };

  function move(to) {
    const i = Math.max(0, Math.min(n - 1, to));
    if (n) onselect(i, true);
  }
  const page = () => Math.max(1, Math.floor(view.clientHeight / height) - 3);
  const moves = {
    ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1),
    PageDown: () => move(at + page()), PageUp: () => move(at - page()),
    Home: () => move(0), End: () => move(n - 1),
  };
  view.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== view) return;
    const f = moves[event.key] ?? (keys?.[event.key] && (() => keys[event.key](at)));
    if (!f) return;
    f();
    event.preventDefault();
  });
  view.addEventListener('click', (event) => {
    if (event.target.closest('a, button')) return;
    const hit = event.target.closest('[data-row]');
    if (hit && body.contains(hit)) onselect(Number(hit.dataset.row), false);
  });
  view.addEventListener('scroll', draw, { passive: true });
  const resized = new ResizeObserver(draw);
  resized.observe(view);
  return list;
}
