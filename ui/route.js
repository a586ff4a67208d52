// What is shown is in the address: #PAGE?name=value&... Every view can be linked to, and the
// browser's back button works.

const known = new Set();
let listener = () => {};

export function registerPages(ids) {
  for (const id of ids) known.add(id);
}

export function hasPage(id) {
  return known.has(id);
}

// {page, params} of the address; page is null if it names none.
export function current() {
  const text = location.hash.slice(1);
  const at = text.indexOf('?');
  const page = at < 0 ? text : text.slice(0, at);
  const params = Object.fromEntries(new URLSearchParams(at < 0 ? '' : text.slice(at + 1)));
  return { page: known.has(page) ? page : null, params };
}

// The part of the run that all pages show: the parameter `time` of every address, "FROM:TO".
export function timeText() {
  const text = current().params.time ?? '';
  return /^\d*\.?\d*:\d*\.?\d*$/.test(text) && /\d/.test(text) ? text : null;
}

// The same in seconds; null: the whole run.
export function timePart() {
  const text = timeText();
  if (!text) return null;
  const [from, to] = text.split(':');
  return { from: Number(from || 0), to: to ? Number(to) : Infinity };
}

// Which event all pages show, of an import with several: the parameter `event` of every address; null: the first.
export function eventText() {
  return current().params.event || null;
}

// A link. It stays in the part of the run and with the event that are shown, unless it says otherwise.
export function href(page, params) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ time: timeText(), event: eventText(), ...params }))
    if (value !== undefined && value !== null && value !== '') search.append(name, value);
  const text = search.toString();
  return `#${page}${text ? `?${text}` : ''}`;
}

// Goes to a page.
export function go(page, params) {
  location.hash = href(page, params);
}

// Notes what the page shows now, without showing it anew: a sort order, a filter. '' removes one.
export function note(changes) {
  const { page, params } = current();
  history.replaceState(null, '', href(page, { ...params, ...changes }));
  noted();
}

// Called when a page has noted something: what the page's command is may have changed.
let noted = () => {};
export function onNote(f) {
  noted = f;
}

export function onRoute(f) {
  listener = f;
  addEventListener('hashchange', () => listener());
}
