// Starts the page: the frame around all pages, and which of them is shown.
import { h, show } from './dom.js';
import { ask, isFile, takeCounted, takeUncounted, takeUnrestricted } from './ask.js';
import { current, href, onNote, onRoute, registerPages, timePart } from './route.js';
import { commandLine, profileNames, setAbout } from './command.js';
import { themeButton, themeStart } from './theme.js';
import { holdFunctions } from './links.js';
import { base } from './format.js';
import { pages } from './pages.js';

let leave = () => {}; // what the page that is shown wants done before another is
let shows = 0;

// What can be shown of this: --diff has pages more, and so has Python.
let info = { views: [], facts: {} };
function offered() {
  return pages.filter((page) => !page.needs || page.needs(profileNames(), info));
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.dataset.done = 'copied';
  } catch {
    button.dataset.done = 'press Ctrl-C';
    getSelection().selectAllChildren(button.querySelector('code'));
  }
  setTimeout(() => { delete button.dataset.done; }, 1500);
}

function commandButton(page, params) {
  const question = page.command(params);
  if (!question) return null;
  const text = commandLine(question.route, question.params);
  const button = h('button', { type: 'button', class: 'command', title: 'copy the command that prints this' },
    h('span', {}, 'copy'), h('code', {}, text));
  button.addEventListener('click', () => copy(text, button));
  return button;
}

function drawTop() {
  const names = profileNames().map(base).join(' → ');
  document.title = `gait: ${names}`;
  show(document.getElementById('top'),
    h('a', { class: 'logo', href: href('overview') }, 'gait'),
    h('span', { class: 'profile', title: profileNames().join(' → ') }, names),
    h('span', { id: 'part' }),
    h('span', { id: 'event' }),
    h('span', { id: 'command' }),
    isFile() && h('span', { class: 'tag', title: 'this file needs no server' }, 'file'),
    themeButton());
}

// Which part of the run is shown, and a way back to all of it.
function drawPart(page, params) {
  const part = timePart();
  const text = (s) => (s === Infinity ? 'the end' : `${s.toFixed(2)} s`);
  show(document.getElementById('part'), part && h('a', { class: 'tag', href: href(page.id, { ...params, time: '' }), title: 'show the whole run' },
    `${text(part.from)} to ${text(part.to)} of the run ✕`));
}

// Which event is shown, of an import with several.
function drawEvents() {
  const names = [info.facts.event?.[0] ?? info.facts.clock?.[0] ?? 'cpu-clock', ...(info.facts.other_event ?? [])];
  if (isFile() || names.length < 2) return;
  const { params } = current();
  const choose = h('select', { 'aria-label': 'event', title: 'the event whose samples are shown', onchange: () => {
    const at = current();
    location.hash = href(at.page ?? 'overview', { ...at.params, event: choose.value === names[0] ? '' : choose.value });
  } }, names.map((name) => h('option', { value: name, selected: name === (params.event || names[0]) }, name)));
  show(document.getElementById('event'), choose);
}

function drawNav(page) {
  let group;
  const items = [];
  for (const one of offered()) {
    if (one.hidden) continue;
    if (one.group !== group) items.push(h('h2', {}, group = one.group));
    items.push(h('a', { href: href(one.id), 'aria-current': one.id === (page.under ?? page.id) ? 'page' : null }, one.title));
  }
  const nav = document.getElementById('nav');
  show(nav, items);
  const at = nav.querySelector('[aria-current]');
  if (at) nav.scrollLeft = at.offsetLeft - (nav.clientWidth - at.offsetWidth) / 2; // where the list is a row
}

function failed(error) {
  return h('div', { class: 'problem', role: 'alert' }, h('strong', {}, 'This cannot be shown. '), error.message);
}

function pageOf(id) {
  const all = offered();
  return all.find((one) => one.id === id) ?? all.find((one) => one.id === 'diff') ?? all[0];
}

function drawCommand() {
  const { page, params } = current();
  show(document.getElementById('command'), commandButton(pageOf(page), params));
}

// Shows what the address says. A page that was left while it loaded does not draw over the next.
async function draw() {
  const mine = ++shows;
  const { page: id, params } = current();
  const page = pageOf(id);
  const main = document.getElementById('page');
  const root = h('div', { class: `body page-${page.id}` });
  leave();
  leave = () => {};
  takeUnrestricted();
  takeCounted();
  takeUncounted();
  drawNav(page);
  drawPart(page, params);
  drawEvents();
  drawCommand();
  main.dataset.state = 'loading';
  const title = h('h1', {}, page.heading?.(params) ?? page.title);
  show(main, title, root);
  try {
    const left = await page.show(root, params);
    if (mine !== shows) left?.();
    else leave = left ?? leave;
  } catch (error) {
    if (mine === shows) show(root, failed(error));
  }
  if (mine !== shows) return;
  const whole = takeUnrestricted();
  if (whole.length) title.append(h('span', { class: 'tag', title: 'what this shows is not kept by time' }, `gait ${whole.join(', ')}: of the whole run`));
  const part = takeCounted();
  if (part) title.append(h('span', { class: 'tag', title: 'executions, instructions and paths are kept in batches of 250 ms or more: these are of the batches that the stretch touches; times are of the stretch itself' }, `executions: of ${part.counts_from.toFixed(2)} to ${part.counts_to.toFixed(2)} s`));
  if (takeUncounted() && info.mode === 'sampled')
    title.append(h('span', { class: 'tag', title: info.facts.carried ? 'counts of a part of the run were not carried over from the old build; times are of samples, which were' : 'this recording does not have when windows counted, or none lies in this part; times are of samples' },
      info.facts.carried ? 'executions: not carried over by time' : 'executions: not kept by time'));
  main.dataset.shows = mine; // tests wait for it
  main.dataset.state = 'ready';
  performance.mark('ready'); // bench/view-speed reads it
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea')) return;
  if (event.key === '/') {
    const field = document.querySelector('#page input[type=search]');
    if (field) { field.focus(); event.preventDefault(); }
  } else if (event.key === 't') {
    document.getElementById('theme').click();
  } else if (event.key === 'g') {
    document.querySelector('#nav a[aria-current]')?.focus();
  }
}

async function start() {
  themeStart();
  try {
    const answers = await Promise.all([ask('about'), ask('info')]);
    setAbout(answers[0]);
    info = answers[1];
  } catch (error) {
    show(document.getElementById('page'), failed(error));
    return;
  }
  await holdFunctions().catch(() => {}); // then none is a link
  registerPages(offered().map((page) => page.id));
  drawTop();
  onRoute(draw);
  onNote(drawCommand);
  addEventListener('keydown', onKey);
  await draw();
}

start();
