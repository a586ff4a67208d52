// All data of all pages comes through ask(): from the server, or, in a file, from the file itself.
// An answer is what `gait ROUTE --json` prints.
import { show } from './dom.js';

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

// The data of a file: <script type="application/json" id="data">, {"answers": {KEY: ANSWER}}.
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

async function fromFile(key) {
  const answer = fileData().answers[key];
  if (answer === undefined)
    throw new Error('This file does not hold that; gait view shows everything.');
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

// ask('report', {by: 'function'}): the answer as an object; throws an Error with a sentence.
export function ask(route, params) {
  const key = questionKey(route, params);
  if (!kept.has(key)) {
    progress(1);
    const answer = (isFile() ? fromFile(key) : fromServer(key)).finally(() => progress(-1));
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
  }
  return kept.get(key);
}
