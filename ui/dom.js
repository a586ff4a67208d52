// Elements. Text from profiles reaches the page as text nodes only: names of functions, files and
// threads are somebody else's, and may look like markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, children);
  return element;
}

function put(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) put(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== undefined && child !== null && child !== false)
      element.append(document.createTextNode(String(child)));
  }
}

// h('a', {href: '#x', onclick: f, style: {width: '3px'}}, 'text', element, [more])
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

// Replaces all that an element holds.
export function show(element, ...children) {
  element.replaceChildren();
  put(element, children);
}
