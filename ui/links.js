// Links to places of the program. A place whose page does not exist is plain text.
import { h } from './dom.js';
import { hasPage, href } from './route.js';
import { base } from './format.js';

// A function's row of any answer: {name or function, address}.
export function functionLink(row) {
  const name = row.name ?? row.function ?? row.address ?? '';
  const target = row.address ?? row.linkage ?? name;
  if (!hasPage('function') || !target || row.kernel) return h('span', { title: row.linkage }, name);
  return h('a', { href: href('function', { name: target }), title: row.linkage }, name);
}

export function lineText(row) {
  return row.file ? `${base(row.file)}:${row.line}` : '–';
}

// The module of an address, "libc.so.6+0x97360".
export function moduleOf(address) {
  const at = address?.lastIndexOf('+') ?? -1;
  return at < 0 ? '' : address.slice(0, at);
}
