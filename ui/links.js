// Links to places of the program. A place whose page does not exist is plain text.
import { h } from './dom.js';
import { canAsk, isFile } from './ask.js';
import { hasPage, href } from './route.js';
import { base } from './format.js';

// What the page of a function asks for first. A file has the hottest functions alone.
export function functionQuestion(name) {
  return ['annotate', { function: name, limit: '1', source: '' }];
}

// A function's row of any answer: {name or function, address}.
export function functionLink(row) {
  const name = row.name ?? row.function ?? row.address ?? '';
  const target = row.address ?? row.linkage ?? name;
  if (!hasPage('function') || !target || row.kernel || !canAsk(...functionQuestion(target))) return h('span', { title: row.linkage }, name);
  return h('a', { href: href('function', { name: target }), title: row.linkage }, name);
}

// An instruction in a function, by its address; more: parameters of the page.
export function placeLink(address, name, more) {
  if (!hasPage('function') || !address || isFile() || address.startsWith('[')) return h('span', { title: address }, name);
  return h('a', { href: href('function', { name: address, at: address, ...more }), title: address }, name);
}

export function lineText(row) {
  return row.file ? `${base(row.file)}:${row.line}` : '–';
}

// The module of an address, "libc.so.6+0x97360".
export function moduleOf(address) {
  const at = address?.lastIndexOf('+') ?? -1;
  return at < 0 ? '' : address.slice(0, at);
}
