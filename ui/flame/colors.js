// Colours of frames. A module has one, by its weight; tints keep names readable on them. The hues
// are Okabe and Ito's, whose order here keeps neighbours apart for colour-blind people, too.
import { isDark } from '../theme.js';
import { moduleOf } from '../links.js';

const HUES = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#0072b2', '#d55e00'];
const OTHER = '#9aa4b3';

export function parts(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// a, and `share` of b.
export function mixed(a, b, share) {
  const x = parts(a), y = parts(b);
  const byte = (i) => Math.round(x[i] + (y[i] - x[i]) * share).toString(16).padStart(2, '0');
  return `#${byte(0)}${byte(1)}${byte(2)}`;
}

export function moduleName(row) {
  return row.kernel ? '[kernel]' : row.module ?? moduleOf(row.address);
}

// Neighbours of one module differ a little.
function shade(name) {
  let sum = 0;
  for (let i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) | 0;
  return Math.abs(sum) % 4;
}

// The k-th of several series; -1: all others together.
export function seriesColor(k, dark) {
  const hue = HUES[k] ?? OTHER;
  return dark ? mixed(hue, '#14171c', 0.3) : mixed(hue, '#ffffff', 0.15);
}

export class Palette {
  // weights: Map of module names to what weighs there; the heaviest get hues of their own.
  constructor(weights) {
    this.names = [...weights.keys()].sort((a, b) => weights.get(b) - weights.get(a));
    this.hue = new Map(this.names.map((name, i) => [name, HUES[i] ?? OTHER]));
    this.kept = new Map();
  }

  // [of what is certain, of what is within the interval]
  of(row) {
    const module = moduleName(row);
    const key = `${module}\n${shade(row.function)}\n${isDark()}`;
    let colors = this.kept.get(key);
    if (!colors) {
      const hue = this.hue.get(module) ?? OTHER, step = 0.055 * shade(row.function);
      const full = isDark() ? mixed(hue, '#14171c', 0.46 + step) : mixed(hue, '#ffffff', 0.34 + step);
      colors = [full, mixed(full, isDark() ? '#14171c' : '#ffffff', 0.52)];
      this.kept.set(key, colors);
    }
    return colors;
  }

  // For a key to the colours: [name, colour], the heaviest first.
  key() {
    const all = this.names.filter(Boolean).map((name) => [name, isDark() ? mixed(this.hue.get(name), '#14171c', 0.5) : mixed(this.hue.get(name), '#ffffff', 0.38)]);
    const own = all.slice(0, HUES.length);
    return all.length > own.length ? [...own, [all.length - own.length === 1 ? '1 other' : `${all.length - own.length} others`, isDark() ? mixed(OTHER, '#14171c', 0.5) : mixed(OTHER, '#ffffff', 0.38)]] : own;
  }
}

// Own weight by module, of the frames that are there; what only calls comes last.
export function moduleWeights(...trees) {
  const weights = new Map();
  for (const tree of trees)
    for (const node of tree.nodes.values()) {
      const name = moduleName(node.row);
      weights.set(name, (weights.get(name) ?? 0) + node.self + 0.001 * node.w);
    }
  return weights;
}
