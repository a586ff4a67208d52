// All pages, in the order of the list on the left. A page is a module in pages/; README.md says how
// to add one.
import { overview } from './pages/overview.js';
import { contexts } from './pages/contexts.js';
import { diff, flameDiff } from './pages/diff.js';
import { flame } from './pages/flame.js';
import { functionPage } from './pages/function.js';
import { windows } from './pages/windows.js';
import { window_ } from './pages/window.js';
import { conflicts, latencies, paths, pipeline, values, waits, waste, whatif } from './pages/measures.js';
import { trend } from './pages/trend.js';
import { edges, functions, lines, loops, python } from './pages/tables.js';

export const pages = [overview, flame, contexts, functionPage, windows, window_, functions, lines, edges, loops, python,
  paths, values, latencies, conflicts, waste, pipeline, whatif, waits, trend, diff, flameDiff];
