// Numbers as people read them. A figure that is not known is an en dash.

export const UNKNOWN = '–';
const known = (x) => typeof x === 'number' && Number.isFinite(x);

// 3 significant digits, at most.
function digits(x) {
  const size = Math.abs(x);
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export function percent(share) {
  if (!known(share)) return UNKNOWN;
  const x = 100 * share;
  return `${x !== 0 && Math.abs(x) < 0.01 ? '<0.01' : digits(x)} %`;
}

export function seconds(s) {
  if (!known(s)) return UNKNOWN;
  if (s === 0) return '0 s';
  const size = Math.abs(s);
  if (size >= 0.9995) return `${digits(s)} s`;
  if (size >= 0.0009995) return `${digits(1e3 * s)} ms`;
  return size >= 0.9995e-6 ? `${digits(1e6 * s)} µs` : `${digits(1e9 * s)} ns`;
}

export function count(n) {
  if (!known(n)) return UNKNOWN;
  const steps = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k', 1e3]];
  for (const [from, letter, by] of steps)
    if (Math.abs(n) >= from * 0.9995) return `${digits(n / (by ?? from))} ${letter}`;
  return Number.isInteger(n) ? String(n) : digits(n);
}

export function exact(n) {
  return known(n) ? n.toLocaleString('en-GB') : UNKNOWN;
}

export function number(x) {
  return known(x) ? digits(x) : UNKNOWN;
}

export function bytes(n) {
  if (!known(n)) return UNKNOWN;
  return n >= 1 << 20 ? `${digits(n / (1 << 20))} MiB` : n >= 1024 ? `${digits(n / 1024)} KiB` : `${n} B`;
}

// "12.3 % (10.1 to 14.4)"
export function withInterval(format, value, lo, hi) {
  if (!known(lo) || !known(hi) || lo === hi) return format(value);
  return `${format(value)} (95 %: ${format(lo)} to ${format(hi)})`;
}

// What is not known to a quarter is about so much, and to one digit: "~60 M".
function about(n) {
  const unit = 10 ** Math.floor(Math.log10(n));
  return `~${count(Math.round(n / unit) * unit).replace(/\.0+(?= |$)/, '')}`;
}

const uncertain = (n, lo, hi) => Math.max(hi - n, n - lo) / n;

// Counts as `gait report` prints them: "60.6 M ±12 %", "~60 M" where it is known less well than to a quarter, and "?"
// where it may be twice as much. brief: without the ±.
export function counted(n, lo, hi, brief) {
  if (!known(n)) return UNKNOWN;
  if (n <= 0 || lo === hi) return known(lo) || n <= 0 ? count(n) : about(n);
  const part = known(lo) && known(hi) ? uncertain(n, lo, hi) : NaN;
  if (part > 1) return '?';
  if (!(part < 0.25)) return about(n);
  return brief ? count(n) : `${count(n)} ±${part < 0.0995 ? (100 * part).toFixed(1) : Math.round(100 * part)} %`;
}

// "~60 M times"; where little is known, "up to 76.3 M times".
export function times(n, lo, hi) {
  const text = counted(n, lo, hi);
  return text === '?' && known(hi) ? `up to ${count(hi)} times` : `${text} times`;
}

// Ticks for each instruction, where they are known: as `gait annotate` prints them, and no fewer than processors can.
export function ticks(row) {
  return known(row.cpi) && known(row.cpi_hi) && row.cpi_hi - row.cpi_lo < row.cpi && row.cpi >= 0.08 ? row.cpi : null;
}

// "1 row", "2 rows"
export const plural = (n, one) => `${exact(n)} ${one}${n === 1 ? '' : 's'}`;

// The last part of a path.
export function base(path) {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}
