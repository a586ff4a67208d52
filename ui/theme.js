// Light or dark: as the system says, until the reader says otherwise.
import { h } from './dom.js';

const NAME = 'gait-theme';

// A file opened from disk may have no storage.
function stored(value) {
  try {
    if (value !== undefined) localStorage.setItem(NAME, value);
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

// Called when light changes to dark or back: canvases must be drawn again.
const followers = new Set();
export function onTheme(f) {
  followers.add(f);
  return () => followers.delete(f);
}

export function themeStart() {
  const chosen = stored();
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => followers.forEach((f) => f()));
}

export function themeButton() {
  const flip = () => {
    const next = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    stored(next);
    followers.forEach((f) => f());
  };
  return h('button', { type: 'button', id: 'theme', title: 'light or dark (t)', onclick: flip }, '◐');
}
