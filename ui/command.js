// The command line that prints what a page shows.
import { eventText, timeText } from './route.js';

let about = { profiles: ['gait.data'], routes: {} };

export function setAbout(answer) {
  about = answer;
}

export function profileNames() {
  return about.profiles;
}

export function takes(route, option) {
  return about.routes[route]?.includes(option) ?? false;
}

// A word as a shell reads it.
export function quoted(word) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function commandLine(route, params) {
  const words = ['gait', route];
  const files = about.profiles;
  let argument;
  const time = takes(route, 'time') ? timeText() : null, event = takes(route, 'event') ? eventText() : null;
  for (const [name, value] of Object.entries({ ...params, time, event })) {
    if (name === 'of' || value === undefined || value === null) continue;
    if (takes(route, `!${name}`)) argument = value;
    else if (value === '') words.push(`--${name}`);
    else words.push(`--${name}`, quoted(value));
  }
  if (route === 'diff') return [...words, ...files.map(quoted)].join(' ');
  const file = params?.of === 'before' ? files[0] : files[files.length - 1];
  if (argument !== undefined) words.push(quoted(argument));
  if (file !== 'gait.data') words.push(...(argument === undefined ? [] : ['-i']), quoted(file));
  return words.join(' ');
}

// A command of the advice, which names no file, as it is to be typed.
export function withFile(command) {
  const file = about.profiles[about.profiles.length - 1];
  if (command.startsWith('gait record')) return command;
  const route = command.split(' ')[1], words = [command];
  if (takes(route, 'time') && timeText()) words.push('--time', timeText());
  if (takes(route, 'event') && eventText()) words.push('--event', quoted(eventText()));
  if (file !== 'gait.data') words.push('-i', quoted(file));
  return words.join(' ');
}

// The words of a command line, as a shell would read them.
function shellWords(command) {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, a, b, c) => a ?? b ?? c));
}

// Pages that answer what a command of the advice prints: "gait annotate f" is the page of f.
export function pageOfCommand(command) {
  const words = shellWords(command);
  if (words[0] !== 'gait') return null;
  const file = words.indexOf('-i');
  if (file > 0) words.splice(file, 2); // the profile that is shown
  const option = (name) => {
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  if (words[1] === 'annotate' && words[2]) return ['function', { name: words[2] }];
  if (words[1] === 'contexts')
    return ['contexts', { function: option('--function'), base: words.includes('--kernel') ? 'kernel' : undefined }];
  if (words[1] === 'report' && option('--function')) return ['function', { name: option('--function') }];
  if (words[1] === 'report' && (option('--by') ?? '').startsWith('python')) return ['python', {}];
  if (words[1] === 'report') return [`${option('--by') ?? 'function'}s`, {}];
  if (words[1] === 'info') return ['overview', {}];
  return [words[1], {}];
}
