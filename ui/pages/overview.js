// What ran, what it cost, what was lost, and what to look at first.
import { h, show } from '../dom.js';
import { ask, fileNotes } from '../ask.js';
import { hasPage, href } from '../route.js';
import { pageOfCommand, withFile } from '../command.js';
import { functionLink } from '../links.js';
import { timeline } from '../timeline.js';
import { cpuTime, rowsRanked } from '../report_page.js';
import { count, exact, percent, seconds } from '../format.js';

const MODES = {
  sampled: 'sampled: walks of the program on copies of its code',
  exact: 'exact: every instruction was counted',
  plain: 'plain: samples and stacks from the kernel',
};

// A sentence of advice leads to the page that shows the place.
function card(one) {
  const [page, params] = (one.command && pageOfCommand(one.command)) ?? [];
  const inside = [h('p', {}, one.text), one.command && h('code', {}, withFile(one.command))];
  return page && hasPage(page)
    ? h('a', { class: 'card', href: href(page, params) }, inside)
    : h('div', { class: 'card' }, inside);
}

function fact(name, ...value) {
  return [h('dt', {}, name), h('dd', {}, value)];
}

// A profile of another machine is complete in itself, but for files that it does not hold.
function machine(info, about) {
  const host = info.facts.host?.join(', ');
  const other = host && about.host && !info.facts.host.includes(about.host);
  return [info.facts.cpu?.join(', '), host && `host ${host}${other ? `, not this one (${about.host})` : ''}`].filter(Boolean).join('; ');
}

function facts(info, about) {
  const totals = info.rows[0];
  const started = info.start_ns ? new Date(info.start_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19) : null;
  const cost = totals.agent_share === null ? null
    : `agent ${percent(totals.agent_share)}, tool ${percent(totals.tool_share)} of the CPU time`;
  return h('dl', { class: 'facts' },
    fact('command', h('code', {}, info.command || 'not known')),
    fact('recorded', MODES[info.mode] ?? info.mode, info.complete ? '' : '; the file was not closed'),
    started && fact('started', `${started} UTC`),
    (info.facts.cpu || info.facts.host) && fact('machine', machine(info, about)),
    fact('CPU time', h('span', { id: 'user-time' }, seconds(totals.user_time)), ' user, ', seconds(totals.kernel_time), ' kernel; ',
      seconds(totals.off_time), ' off CPU'),
    fact('seen', info.mode === 'exact' ? `${count(totals.instructions)} instructions`
      : `${exact(totals.interrupts)} samples, ${exact(totals.windows)} windows, ${count(totals.instructions)} instructions`),
    info.mode !== 'exact' && cost && fact('gait cost', cost));
}

// CPU and waiting time of threads, busiest first, on one scale.
function threads(info) {
  const rows = info.threads.filter((thread) => thread.user_time !== null)
    .sort((a, b) => b.user_time + b.kernel_time - a.user_time - a.kernel_time).slice(0, 12);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((thread) => thread.user_time + thread.kernel_time + thread.off_time)) || 1;
  const part = (x) => ({ width: `${(100 * x) / most}%` });
  return [h('h2', {}, 'Threads'),
    h('p', { class: 'key' }, h('i', { class: 'user' }), 'user', h('i', { class: 'kernel' }), 'kernel', h('i', { class: 'off' }), 'off CPU'),
    h('div', { class: 'threads' }, rows.map((thread) => [
      h('span', { title: `process ${thread.pid}, thread ${thread.tid}` }, `${thread.name} ${thread.tid}`),
      h('span', { class: 'stack', title: `user ${seconds(thread.user_time)}, kernel ${seconds(thread.kernel_time)}, off CPU ${seconds(thread.off_time)}` },
        h('i', { class: 'user', style: part(thread.user_time) }),
        h('i', { class: 'kernel', style: part(thread.kernel_time) }),
        h('i', { class: 'off', style: part(thread.off_time) })),
      h('span', { class: 'number' }, seconds(thread.user_time + thread.kernel_time))])),
    info.threads.length > rows.length && h('p', { class: 'small' }, `and ${info.threads.length - rows.length} more`)];
}

function hottest(report) {
  const all = cpuTime(report);
  const timed = report.weight === 'time' && all > 0;
  const rows = (timed ? rowsRanked(report) : report.rows).slice(0, 10);
  const value = (row) => (timed ? row.time / all : row.instructions ?? row.count);
  const most = Math.max(...rows.map((row) => (timed ? row.time_hi / all : value(row))), 0) || 1;
  return [h('h2', {}, 'Hottest functions'),
    h('div', { class: 'hottest' }, rows.map((row) => [
      row.kernel ? h('span', {}, row.name, h('small', {}, ' kernel')) : functionLink(row),
      h('span', { class: 'bar' }, h('span', { class: 'amount', style: { width: `${(100 * value(row)) / most}%` } }),
        timed && h('span', { class: 'interval', style: { left: `${(100 * row.time_lo) / all / most}%`, width: `${(100 * (row.time_hi - row.time_lo)) / all / most}%` } })),
      h('span', { class: 'number' }, timed ? percent(value(row)) : count(value(row)))])),
    h('p', { class: 'small' }, h('a', { href: href('functions') }, `all ${report.rows.length} functions`))];
}

function losses(info) {
  const met = Object.entries(info.losses);
  return [h('h2', {}, 'What was lost'),
    met.length ? h('ul', { class: 'losses' }, met.map(([name, n]) =>
      h('li', {}, h('strong', {}, exact(n)), ` × ${info.loss_texts[name] ?? name}`)))
      : h('p', {}, 'Nothing.')];
}

// Code whose names or lines are not known, and where to get them.
function missing(report) {
  if (!report.missing?.length) return null;
  return [h('h2', {}, 'Code without names'),
    h('ul', {}, report.missing.map((one) => h('li', {}, h('strong', {}, percent(one.share)), ` ${one.module}: ${one.text}`))),
    h('p', { class: 'small' }, 'Files that are elsewhere now: gait view --binary OLD=NEW, or --symfs FOLDER.')];
}

export const overview = {
  id: 'overview', title: 'Overview', group: 'Program',
  command: () => ({ route: 'report', params: {} }),
  async show(root) {
    const [about, info, report, times] = await Promise.all([ask('about'), ask('info'), ask('report', { by: 'function' }), ask('timeline', { limit: 8 }).catch((error) => error)]);
    const run = h('div', { class: 'timeline' });
    const advice = [...(report.verdict ?? []), ...(report.advice ?? [])];
    show(root,
      about.problems.map((text) => h('p', { class: 'problem' }, text)),
      fileNotes().map((text) => h('p', { class: 'small' }, text)),
      facts(info, about),
      h('h2', {}, 'CPU time over the run'), times instanceof Error ? h('p', { class: 'small' }, times.message) : run,
      advice.length > 0 && [h('h2', {}, 'What to look at first'), h('div', { class: 'cards' }, advice.map(card))],
      h('div', { class: 'columns' }, h('section', {}, hottest(report)),
        h('section', {}, threads(info), missing(report), losses(info),
          report.limits?.length > 0 && [h('h2', {}, 'How far this can be trusted'), h('ul', {}, report.limits.map((one) => h('li', {}, one.text)))])));
    return times instanceof Error ? undefined : timeline(run, times);
  },
};
