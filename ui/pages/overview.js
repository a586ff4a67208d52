// What ran, what it cost, what was lost, and what to look at first.
import { h, show } from '../dom.js';
import { ask, fileNotes } from '../ask.js';
import { hasPage, href } from '../route.js';
import { pageOfCommand, withFile } from '../command.js';
import { functionLink } from '../links.js';
import { timeline } from '../timeline.js';
import { rowsRanked, wholeText } from '../report_page.js';
import { count, exact, percent, plural, seconds, withInterval } from '../format.js';

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

function seen(info) {
  const totals = info.rows[0];
  if (info.mode === 'exact') return `${count(totals.instructions)} instructions`;
  return totals.windows || !info.facts.imported ? `${plural(totals.interrupts, 'sample')}, ${plural(totals.windows, 'window')}, ${count(totals.instructions)} instructions`
    : plural(totals.interrupts, 'sample');
}

// part: the report's, of the part of the run that is shown; what is not kept by time says that it is of the whole run.
function facts(info, about, part) {
  const totals = info.rows[0], times = part ?? totals, whole = part ? ' (whole run)' : '';
  const started = info.start_ns ? new Date(info.start_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19) : null;
  const cost = totals.agent_share === null || info.facts.imported ? null
    : `agent ${percent(totals.agent_share)}, tool ${percent(totals.tool_share)} of the CPU time`;
  return h('dl', { class: 'facts' },
    fact(info.facts.imported ? 'recorded by' : 'command', h('code', {}, info.command || 'not known')),
    info.facts.imported ? fact('imported', `from ${info.facts.imported.join(', ')}: samples and stacks of another profiler`)
      : fact('recorded', MODES[info.mode] ?? info.mode, info.complete ? '' : '; the file was not closed'),
    info.facts.carried && fact('carried over', `${info.facts.carried.join('; ')}. Left out: ${[...(info.facts.carried_without ?? []), 'counts of a part of the run'].join(', ')}`),
    started && fact('started', `${started} UTC`),
    (info.facts.cpu || info.facts.host) && fact('machine', machine(info, about)),
    fact('CPU time', h('span', { id: 'user-time' }, seconds(times.user_time)), ' user, ', seconds(times.kernel_time), ' kernel',
      !info.facts.imported && `; ${seconds(totals.off_time)} off CPU${whole}`),
    fact('seen', `${seen(info)}${whole}`),
    info.mode !== 'exact' && cost && fact('gait cost', `${cost}${whole}`));
}

// After an exec a thread is a row of its own, by another name: here it is one again, by the name that used the most time.
function wholeThreads(threads) {
  const all = new Map();
  const cpu = (thread) => thread.user_time + thread.kernel_time;
  for (const thread of threads) {
    const key = `${thread.pid}/${thread.tid}`;
    const known = all.get(key);
    const add = (name) => (thread[name] === null && known[name] === null ? null : thread[name] + known[name]);
    all.set(key, !known ? { ...thread } : {
      ...(cpu(thread) > cpu(known) ? thread : known), user_time: add('user_time'), kernel_time: add('kernel_time'), off_time: add('off_time') });
  }
  return [...all.values()];
}

// CPU and waiting time of threads, busiest first, on one scale.
function threads(info, restricted) {
  const all = wholeThreads(info.threads);
  const rows = all.filter((thread) => thread.user_time !== null)
    .sort((a, b) => b.user_time + b.kernel_time - a.user_time - a.kernel_time).slice(0, 12);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((thread) => thread.user_time + thread.kernel_time + thread.off_time)) || 1;
  const part = (x) => ({ width: `${(100 * x) / most}%` });
  return [h('h2', {}, restricted ? 'Threads, in the whole run' : 'Threads'),
    h('p', { class: 'key' }, h('i', { class: 'user' }), 'user', h('i', { class: 'kernel' }), 'kernel', h('i', { class: 'off' }), 'off CPU'),
    h('div', { class: 'threads' }, rows.map((thread) => [
      h('span', { title: `process ${thread.pid}, thread ${thread.tid}` }, `${thread.name} ${thread.tid}`),
      h('span', { class: 'stack', title: `user ${seconds(thread.user_time)}, kernel ${seconds(thread.kernel_time)}, off CPU ${seconds(thread.off_time)}` },
        h('i', { class: 'user', style: part(thread.user_time) }),
        h('i', { class: 'kernel', style: part(thread.kernel_time) }),
        h('i', { class: 'off', style: part(thread.off_time) })),
      h('span', { class: 'number' }, seconds(thread.user_time + thread.kernel_time))])),
    all.length > rows.length && h('p', { class: 'small' }, `and ${all.length - rows.length} more`)];
}

function hottest(report) {
  const ranked = rowsRanked(report), rows = ranked.filter((row) => row.share > 0).slice(0, 10);
  const most = Math.max(...rows.map((row) => row.share_hi ?? row.share), 0) || 1;
  const part = (x) => `${(100 * x) / most}%`;
  return [h('h2', {}, 'Hottest functions'),
    h('div', { class: 'hottest' }, rows.map((row) => [
      row.kernel ? h('span', { title: row.name }, h('small', {}, 'kernel '), row.name) : functionLink(row),
      h('span', { class: 'bar' }, h('span', { class: 'amount', style: { width: part(row.share) } }),
        row.share_hi > row.share_lo && h('span', { class: 'interval', style: { left: part(row.share_lo), width: part(row.share_hi - row.share_lo) } })),
      h('span', { class: 'number', title: withInterval(percent, row.share, row.share_lo, row.share_hi) }, percent(row.share))])),
    h('p', { class: 'small' }, `Shares of ${wholeText(report)}. `, h('a', { href: href('functions') }, `All ${plural(ranked.length, 'function')}`))];
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
    const info = await ask('info');
    const line = info.views.includes('timeline') ? ask('timeline', { limit: 8 }).catch((error) => error)
      : new Error(info.mode === 'exact' ? 'An exact recording does not have when code ran.' : 'This recording does not have when samples were taken: an older gait made it.');
    const [about, report, times] = await Promise.all([ask('about'), ask('report', { by: 'function' }), line]);
    const run = h('div', { class: 'timeline' });
    const advice = [...(report.verdict ?? []), ...(report.advice ?? [])];
    show(root,
      about.problems.map((text) => h('p', { class: 'problem' }, text)),
      fileNotes().map((text) => h('p', { class: 'small' }, text)),
      facts(info, about, report.part && report),
      h('h2', {}, 'CPU time over the run'), times instanceof Error ? h('p', { class: 'small' }, times.message) : run,
      advice.length > 0 && [h('h2', {}, 'What to look at first'), h('div', { class: 'cards' }, advice.map(card))],
      h('div', { class: 'columns' }, h('section', {}, hottest(report)),
        h('section', {}, threads(info, report.part), missing(report), losses(info),
          report.limits?.length > 0 && [h('h2', {}, 'How far this can be trusted'), h('ul', {}, report.limits.map((one) => h('li', {}, one.text)))])));
    return times instanceof Error ? undefined : timeline(run, times);
  },
};
