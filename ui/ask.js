// All data of all pages comes through ask(): from the server, or, in a file, from the file itself.
// An answer is what `gait ROUTE --json` prints.
import { show } from './dom.js';
import { eventText, timeText } from './route.js';
import { takes } from './command.js';

const kept = new Map();
let loading = 0, timer = 0;

// The line at the top, for what takes more than half a second. It takes no room.
function progress(change) {
  loading += change;
  const line = document.getElementById('progress');
  clearTimeout(timer);
  if (!loading) line.hidden = true;
  else timer = setTimeout(() => { line.hidden = false; }, 500);
}

// Parameters in one order, so that equal questions are equal texts.
export function questionKey(route, params) {
  const search = new URLSearchParams();
  for (const name of Object.keys(params ?? {}).sort())
    if (params[name] !== undefined && params[name] !== null) search.append(name, params[name]);
  const text = search.toString();
  return text ? `${route}?${text}` : route;
}

// The data of a file, in its element "data":
// {"notes": [SENTENCE], "answers": {KEY: TEXT}}, where TEXT is the answer, deflated, in base64.
let file;
function fileData() {
  if (file === undefined) {
    const element = document.getElementById('data');
    file = element ? JSON.parse(element.textContent) : null;
    if (element) show(element);
  }
  return file;
}

export function isFile() {
  return fileData() !== null;
}

// Whether there will be an answer: a file holds those of ui/questions.txt alone. A page can leave
// out what leads to others.
export function canAsk(route, params) {
  return !isFile() || Object.hasOwn(fileData().answers, questionKey(route, params));
}

// What the file says about itself: what was left out.
export function fileNotes() {
  return fileData()?.notes ?? [];
}

async function fromServer(key) {
  let response;
  try {
    response = await fetch(`api/${key}`, { cache: 'no-store' });
  } catch {
    throw new Error('The server does not answer: gait view has ended. Start it again.');
  }
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`The server's answer to ${key} is not JSON.`);
  }
  if (!response.ok) throw new Error(answer.error ?? `The server answered ${response.status}.`);
  return answer;
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).json();
}

async function fromFile(key) {
  const { answers } = fileData();
  if (!Object.hasOwn(answers, key)) throw new Error(`This file does not hold ${key}; gait view shows everything.`);
  const answer = await inflate(answers[key]);
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

// Routes whose answers are of the whole run although a part of it is to be shown, since the last call.
let unrestricted = new Set();
export function takeUnrestricted() {
  const routes = [...unrestricted];
  unrestricted = new Set();
  return routes;
}

// What windows counted is known by whole batches: the part {counts_from, counts_to} of the run, in seconds, that
// the last answers have counts of; null: they have none.
let counted = null;
export function takeCounted() {
  const part = counted;
  counted = null;
  return part;
}

// Whether an answer was of samples alone, though the command can count.
let uncounted = false;
export function takeUncounted() {
  const was = uncounted;
  uncounted = false;
  return was;
}

// Answers are of the part of the run that the address names, where the command can do that.
// ask('report', {by: 'function'}): the answer as an object; throws an Error with a sentence.
export function ask(route, params) {
  const time = isFile() ? null : timeText();
  const restricted = time && takes(route, 'time');
  if (time && !restricted && !['about', 'info', 'timeline'].includes(route)) unrestricted.add(route);
  const event = !isFile() && takes(route, 'event') ? eventText() : null;
  const key = questionKey(route, { ...params, ...(restricted && { time }), ...(event && { event }) });
  if (!kept.has(key)) {
    progress(1);
    const answer = (isFile() ? fromFile(key) : fromServer(key)).finally(() => progress(-1));
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
  }
  const answer = kept.get(key);
  if (restricted) answer.then(({ part, mode }) => {
    if (part?.counts_to !== undefined) counted = part;
    else if (mode === 'plain') uncounted = true;
  }, () => {});
  return answer;
}
