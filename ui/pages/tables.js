// What ran, by function, line, edge, loop and Python function.
import { reportPage } from '../report_page.js';

export const functions = reportPage({ id: 'functions', title: 'Functions', by: 'function' });
export const lines = reportPage({ id: 'lines', title: 'Lines', by: 'line' });
export const edges = reportPage({ id: 'edges', title: 'Edges', by: 'edge' });
export const loops = reportPage({ id: 'loops', title: 'Loops', by: 'loop' });
export const python = reportPage({ id: 'python', title: 'Python', by: 'python', needs: (profiles, info) => info.views.includes('python') });
