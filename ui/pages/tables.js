// What ran, by function, line, edge and loop.
import { reportPage } from '../report_page.js';

export const functions = reportPage({ id: 'functions', title: 'Functions', by: 'function' });
export const lines = reportPage({ id: 'lines', title: 'Lines', by: 'line' });
export const edges = reportPage({ id: 'edges', title: 'Edges', by: 'edge' });
export const loops = reportPage({ id: 'loops', title: 'Loops', by: 'loop' });
