// Links to places of the program. A place whose page does not exist is plain text.
import { h } from './dom.js';
import { ask, canAsk, isFile } from './ask.js';
import { hasPage, href } from './route.js';
import { base } from './format.js';

// What the page of a function asks for first. A file has the hottest functions alone.
export function functionQuestion(name) {
  return ['annotate', { function: name, limit: '1', source: '' }];
}

// In a file: the addresses of functions that have a page there, by their names.
const held = new Map();
export async function holdFunctions() {
  if (!isFile()) return;
  const { rows } = await ask('report', { by: 'function' });
  for (const row of rows) if (canAsk(...functionQuestion(row.address))) held.set(row.name, row.address);
}

export const heldFunctions = () => held.size;

// A function's row of any answer: {name or function, address}.
export function functionLink(row) {
  const name = row.name ?? row.function ?? row.address ?? '';
  let target = row.address ?? row.linkage ?? name;
  if (target && !canAsk(...functionQuestion(target))) target = held.get(name);
  if (!hasPage('function') || !target || row.kernel) return h('span', { title: row.linkage }, name);
  return h('a', { href: href('function', { name: target }), title: row.linkage }, name);
}

// An instruction in a function, by its address; more: parameters of the page; a file knows it by the function's name.
export function placeLink(address, text, more, name = text) {
  const target = isFile() ? held.get(name) : address;
  if (!hasPage('function') || !target || !address || address.startsWith('[')) return h('span', { title: address }, text);
  return h('a', { href: href('function', { name: target, at: address, ...more }), title: address }, text);
}

export function lineText(row) {
  return row.file && row.line ? `${base(row.file)}:${row.line}` : '–';
}

// The module of an address, "libc.so.6+0x97360".
export function moduleOf(address) {
  const at = address?.lastIndexOf('+') ?? -1;
  return at < 0 ? '' : address.slice(0, at);
}
