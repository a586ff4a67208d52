// The source of a function, with what each line costs.
import { h } from '../dom.js';
import { virtual } from '../virtual.js';
import { base, exact } from '../format.js';
import { executions, heat } from './marks.js';

const ROW = 20; // pixels, as in style.css

function fileElement(file) {
  const why = !file.there ? 'is not there: no source to show' : file.newer ? 'changed after the program was built: lines may be others' : '';
  return h('div', { class: 'line file', title: file.file }, h('span', { class: 'name' }, base(file.file)),
    h('span', { class: why ? 'why' : 'small' }, why || (file.own ? '' : 'inlined code')));
}

export function sourcePane(model, { onselect }) {
  let own = '', around = new Set();
  const { items, at } = model.source;

  function rowElement(i) {
    const { file, line, gap } = items[i];
    if (gap) return h('div', { class: 'line gap' }, `⋯ ${exact(gap)} lines`);
    if (!line) return fileElement(file);
    const key = `${file.id}:${line.line}`;
    const names = ['line'];
    if (key === own) names.push('at');
    else if (around.has(key)) names.push('lit');
    if (model.path?.rowLines.has(key)) names.push('on-path');
    return h('div', { class: names.join(' ') },
      line.instructions === undefined ? h('span', { class: 'heat' }) : heat(line.share, line.share_lo, line.share_hi, model.lineMost, line.total),
      line.instructions ? executions(line) : h('span', { class: 'count' }),
      h('span', { class: 'at-line' }, line.line),
      h('span', { class: 'text', title: line.text ?? '' }, line.text === null ? `${base(file.file)}:${line.line}` : line.text.replace(new RegExp(`^ {0,${file.indent}}`), '')));
  }

  const head = h('div', { class: 'line titles' },
    h('span', { title: 'share, with its 95 % interval; lighter: of functions that are inlined there' }, 'share'),
    h('span', { class: 'count', title: 'executions of its busiest instruction' }, 'ran'), h('span', { class: 'at-line' }, 'line'), h('span', { class: 'text' }, 'source'));
  const list = virtual({
    row: rowElement, label: 'source; arrow keys move', height: ROW, head,
    onselect: (i) => onselect(items[i].line?.instructions !== undefined ? `${items[i].file.id}:${items[i].line.line}` : null, i),
  });
  return {
    ...list,
    element: list.element,
    refresh: () => list.resize(items.length),
    mark(key, others) {
      own = key;
      around = others;
      if (at.has(key)) list.select(at.get(key));
    },
    move: (i) => list.select(i),
    reveal: (key) => { if (at.has(key)) list.reveal(at.get(key)); },
  };
}
