#include "cli/trace_page.hpp"

namespace cadre::cli {

std::string_view trace_style()
{
    return R"css(
:root { color-scheme: light; --ink: #1c2430; --dim: #667085; --paper: #fff; --band: #f4f6f9; --line: #dfe4ea;
  --pick: #e3edff; --step: #3b6fd4; --call: #1f8a5b; --rest: #c98a12; --bad: #c93a3a; --scope: #9aa6b6; --mark: #fff3c4; }
:root.dark { color-scheme: dark; --ink: #e4e8ee; --dim: #98a2b3; --paper: #12161c; --band: #1a2029; --line: #2b3440; --pick: #22314d;
  --step: #6f9cf0; --call: #4fbf8b; --rest: #e0ae4a; --bad: #ef6b6b; --scope: #5d6a7c; --mark: #4a3f16; }
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; color: var(--ink); background: var(--paper);
  font: 14px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
header { padding: 12px 16px 8px; border-bottom: 1px solid var(--line); }
h1 { font-size: 16px; margin: 0 0 2px; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 2; overflow: hidden; }
.facts { color: var(--dim); font-variant-numeric: tabular-nums; }
.tools { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; align-items: center; }
input, button { font: inherit; color: inherit; background: var(--band); border: 1px solid var(--line); border-radius: 6px;
  padding: 3px 10px; }
input { flex: 1 1 180px; max-width: 320px; }
button { cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--step); outline-offset: 1px; }
.rows:focus { outline: none; }
.rows:focus .row.picked .name { box-shadow: inset 3px 0 var(--step); }
.found { color: var(--dim); min-width: 5em; }
main { flex: 1; min-height: 0; display: flex; }
.rows { flex: 1 1 auto; min-width: 0; overflow: auto; }
.sheet { position: relative; min-width: 100%; }
.row, .axis { display: flex; height: 26px; align-items: center; }
.row { cursor: default; border-bottom: 1px solid transparent; }
.row:nth-child(even) .name, .row:nth-child(even) { background: var(--band); }
.row:hover, .row:hover .name, .row.picked, .row.picked .name { background: var(--pick); }
.row.dimmed { opacity: .35; }
.row.hit .label { background: var(--mark); }
.name { position: sticky; left: 0; z-index: 2; flex: none; width: min(320px, 42vw); height: 100%; display: flex;
  align-items: center; gap: 5px; padding-right: 8px; background: var(--paper); border-right: 1px solid var(--line); }
.number { flex: none; width: 26px; padding-right: 4px; text-align: right; font-size: 12px; color: var(--dim); }
.fold { flex: none; width: 14px; text-align: center; color: var(--dim); cursor: pointer; user-select: none; }
.dot { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--scope); }
.label { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane { position: relative; flex: 1; height: 100%; margin: 0 76px 0 10px; }
.bar { position: absolute; top: 7px; height: 12px; min-width: 3px; border-radius: 3px; background: var(--scope); }
.took { position: absolute; top: 4px; padding-left: 6px; font-size: 12px; color: var(--dim); white-space: nowrap;
  font-variant-numeric: tabular-nums; pointer-events: none; }
.task .bar, .node .bar { top: 11px; height: 4px; }
.step .bar, .step .dot { background: var(--step); }
.call .bar, .call .dot, .delegate .bar, .delegate .dot { background: var(--call); }
.question .bar, .question .dot, .pause .bar, .pause .dot, .sleep .bar, .sleep .dot { background: var(--rest); }
.fact .bar, .fact .dot { background: var(--ink); }
.fact .bar { top: 9px; width: 8px !important; height: 8px; min-width: 8px; border-radius: 1px; transform: rotate(45deg); }
.fact .took { display: none; }
.gap .bar, .gap .dot, .failed .bar, .failed .dot, .cancelled .bar, .cancelled .dot { background: var(--bad); }
.gap .bar, .question .bar, .pause .bar, .sleep .bar { opacity: .55; }
.open .bar { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right: 3px dotted var(--ink); }
.axis { position: sticky; top: 0; z-index: 3; background: var(--paper); border-bottom: 1px solid var(--line);
  color: var(--dim); font-size: 12px; font-variant-numeric: tabular-nums; }
.axis .name { z-index: 4; padding-left: 16px; }
.tick { position: absolute; top: 4px; padding-left: 4px; border-left: 1px solid var(--line); height: 22px;
  white-space: nowrap; }
aside { flex: none; width: min(440px, 40vw); border-left: 1px solid var(--line); overflow: auto; padding: 12px 16px; }
aside h2 { font-size: 15px; margin: 0 0 6px; overflow-wrap: anywhere; }
aside h3 { font-size: 12px; font-weight: 600; color: var(--dim); margin: 14px 0 4px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
pre { margin: 0; padding: 8px 10px; background: var(--band); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
pre.bad { border-color: var(--bad); }
kbd { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; border: 1px solid var(--line); border-bottom-width: 2px;
  border-radius: 4px; padding: 0 5px; background: var(--band); }
.keys { color: var(--dim); margin-top: 18px; display: flex; flex-wrap: wrap; gap: 6px 14px; }
.keys span { white-space: nowrap; }
@media (max-width: 760px) {
  main { flex-direction: column; }
  aside { width: auto; height: 45%; border-left: 0; border-top: 1px solid var(--line); }
  .lane { margin-right: 64px; }
}
)css";
}

std::string_view trace_script()
{
    return R"js(
'use strict';
const facts = JSON.parse(document.getElementById('facts').textContent);
const spans = JSON.parse(document.getElementById('trace').textContent).spans;
const requests = JSON.parse(document.getElementById('requests').textContent);
// calls and questions belong to the turn that made them
const last = [];  // by depth: how much deeper what was last there is shown, and whether it is of a turn
for (const s of spans) {
  const depth = s.depth;
  last.length = Math.min(last.length, depth + 1);
  const isOfTurn = Boolean(last[depth]?.turn) && ['call', 'question', 'delegate'].includes(s.kind);
  const more = (depth > 0 && last[depth - 1] ? last[depth - 1].more : 0) + (isOfTurn ? 1 : 0);
  last[depth] = { more, turn: s.kind === 'step' || isOfTurn };
  s.depth = depth + more;
}
const whole = Math.max(1, ...spans.map(s => s.begin_ms + s.duration_ms));

// everything that others wrote becomes text of an element, never markup
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
function duration(ms) {
  if (ms < 1000) return Math.round(ms) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + ' s';
  if (ms < 3600000) return Math.floor(ms / 60000) + ' min ' + Math.round(ms % 60000 / 1000) + ' s';
  return Math.floor(ms / 3600000) + ' h ' + Math.round(ms % 3600000 / 60000) + ' min';
}
function title(s) {
  if (s.kind === 'question') return (s.agent ? s.agent + ' asks: ' : 'asks: ') + s.input;
  if (s.kind === 'pause') return 'paused, ' + s.name;
  if (s.kind === 'delegate') return 'has ' + s.name + ' do it';
  if (s.joins) return s.name + ' joins ' + s.after.join(', ');
  if (s.kind === 'task') return s.depth ? 'task of ' + s.name : 'task';
  return s.name + (s.kind === 'step' ? ' thinks' : '') + (s.attempts > 1 ? ' (' + s.attempts + ' attempts)' : '');
}
function pretty(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value ? JSON.stringify(value, null, 2) : text;
  } catch { return text; }
}

// ---- the page ----
const header = element('header');
header.append(element('h1', '', facts.prompt || 'Task ' + facts.id));
header.append(element('div', 'facts', 'task ' + facts.id + ' · ' + facts.status + ' · ' + duration(whole) + ' · ' + facts.used));
const tools = element('div', 'tools');
const search = element('input');
search.type = 'search';
search.placeholder = 'Search all text';
search.setAttribute('aria-label', 'Search all text');
const found = element('span', 'found');
found.setAttribute('aria-live', 'polite');
tools.append(search, found);
function button(text, help, act) {
  const made = element('button', '', text);
  made.type = 'button';
  made.title = help;
  made.setAttribute('aria-label', help);
  made.addEventListener('click', act);
  tools.append(made);
  return made;
}
button('−', 'Zoom out (-)', () => zoomTo(zoom / 1.5));
button('+', 'Zoom in (+)', () => zoomTo(zoom * 1.5));
button('Fit', 'Show everything (0)', () => zoomTo(1));
button('Light / dark', 'Change colours (d)', () => document.documentElement.classList.toggle('dark'));
header.append(tools);
const rows = element('div', 'rows');
rows.tabIndex = 0;
rows.setAttribute('role', 'listbox');
rows.setAttribute('aria-label', 'What happened, in order');
const sheet = element('div', 'sheet');
const axis = element('div', 'axis');
const ticks = element('div', 'lane');
axis.append(element('div', 'name', '# Step'), ticks);
sheet.append(axis);
rows.append(sheet);
const aside = element('aside');
aside.setAttribute('aria-live', 'polite');
const main = element('main');
main.append(rows, aside);
document.body.append(header, main);

const folded = new Set();
const hasInside = i => i + 1 < spans.length && spans[i + 1].depth > spans[i].depth;
const made = spans.map((s, i) => {
  const row = element('div', 'row ' + s.kind + ' ' + s.status);
  row.id = 'row' + i;
  row.setAttribute('role', 'option');
  const name = element('div', 'name');
  name.style.paddingLeft = 8 + 16 * s.depth + 'px';
  const fold = element('span', 'fold', hasInside(i) ? '▾' : '');
  fold.addEventListener('click', event => { event.stopPropagation(); toggle(i); });
  name.append(element('span', 'number', String(i + 1)), fold, element('span', 'dot'), element('span', 'label', title(s)));
  const lane = element('div', 'lane');
  const bar = element('div', 'bar');
  bar.style.left = 100 * s.begin_ms / whole + '%';
  bar.style.width = 100 * s.duration_ms / whole + '%';
  const used = [duration(s.duration_ms)];
  if (s.input_tokens + s.output_tokens) used.push((s.input_tokens + s.output_tokens).toLocaleString('en') + ' tokens');
  if (s.cost_usd) used.push('$' + s.cost_usd.toFixed(4));
  const took = element('div', 'took', used.join(' · '));
  took.style.left = 100 * (s.begin_ms + s.duration_ms) / whole + '%';
  lane.append(bar, took);
  row.append(name, lane);
  row.addEventListener('click', () => pick(i));
  sheet.append(row);
  return { row, fold, text: [title(s), s.kind, s.agent, s.input, s.output, s.error, s.calls.join(' ')].join('\n').toLowerCase() };
});

// ---- folding, picking, zooming, searching ----
function shown(i) {
  for (let above = spans[i].depth, j = i - 1; j >= 0; --j)
    if (spans[j].depth < above) {
      if (folded.has(j)) return false;
      above = spans[j].depth;
    }
  return true;
}
function toggle(i) {
  if (!hasInside(i)) return;
  if (!folded.delete(i)) folded.add(i);
  made[i].fold.textContent = folded.has(i) ? '▸' : '▾';
  made.forEach((m, j) => { m.row.hidden = !shown(j); m.row.style.display = shown(j) ? '' : 'none'; });
}
let picked = -1;
function pick(i) {
  if (picked >= 0) { made[picked].row.classList.remove('picked'); made[picked].row.removeAttribute('aria-selected'); }
  picked = i;
  made[i].row.classList.add('picked');
  made[i].row.setAttribute('aria-selected', 'true');
  rows.setAttribute('aria-activedescendant', 'row' + i);
  const top = made[i].row.offsetTop;
  if (top < rows.scrollTop + 30) rows.scrollTop = top - 30;
  if (top + 30 > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + 30 - rows.clientHeight;
  explain(spans[i]);
}
function explain(s) {
  aside.replaceChildren(element('h2', '', title(s)));
  const list = element('dl');
  const fact = (name, value) => { if (value) list.append(element('dt', '', name), element('dd', '', value)); };
  fact('kind', s.kind);
  fact('status', s.status);
  fact('agent', s.agent !== s.name ? s.agent : '');
  fact('model', s.model);
  fact('began', '+' + duration(s.begin_ms));
  fact('took', duration(s.duration_ms));
  fact('tokens', s.input_tokens + s.output_tokens ? s.input_tokens + ' in, ' + s.output_tokens + ' out' : '');
  fact('cost', s.cost_usd ? '$' + s.cost_usd.toFixed(4) : '');
  fact('attempts', s.attempts > 1 ? String(s.attempts) : '');
  fact('asked for', s.calls.join(', '));
  fact('after', (s.after || []).join(', '));
  fact('path', s.path);
  fact('task', s.task);
  aside.append(list);
  const names = { task: ['Prompt', 'Answer'], step: ['', 'Said'], call: ['Arguments', 'Result'], question: ['Question', 'Answer'],
                  pause: ['Why', ''], fact: ['', 'Announced'] };
  const [asked, said] = names[s.kind] || ['Given', 'Came back'];
  const part = (name, text, className) => {
    if (text) aside.append(element('h3', '', name), element('pre', className, pretty(text)));
  };
  part(asked, s.input);
  part(said, s.output);
  if (s.kind === 'step') part('Sent to the model', requests[s.path]);
  part('Error', s.error, 'bad');
  keys();
}
function keys() {
  const line = element('div', 'keys');
  const all = [['↑ ↓', 'pick'], ['← →', 'fold'], ['+ − 0', 'zoom'], ['/', 'search'], ['n', 'next found'], ['d', 'colours']];
  for (const [key, does] of all) {
    const pair = element('span');
    pair.append(element('kbd', '', key), ' ' + does);
    line.append(pair);
  }
  aside.append(line);
}
let zoom = 1;
function zoomTo(wanted) {
  const fixed = rows.querySelector('.name').offsetWidth;
  const view = rows.clientWidth - fixed;
  const middle = (rows.scrollLeft + view / 2) / (sheet.offsetWidth - fixed);
  zoom = Math.min(200, Math.max(1, wanted));
  sheet.style.width = fixed + view * zoom + 'px';
  if (zoom === 1) sheet.style.width = '';
  rows.scrollLeft = middle * (sheet.offsetWidth - fixed) - view / 2;
  drawAxis();
}
function drawAxis() {
  ticks.replaceChildren();
  const wide = Math.max(80, ticks.clientWidth);
  let step = whole / (wide / 110);
  const unit = 10 ** Math.floor(Math.log10(step));
  step = [1, 2, 5, 10].map(n => n * unit).find(n => n >= step);
  for (let at = 0, count = 0; at <= whole && count < 4000; at += step, ++count) {
    const tick = element('div', 'tick', duration(at));
    tick.style.left = 100 * at / whole + '%';
    ticks.append(tick);
  }
}
function hits() {
  const words = search.value.trim().toLowerCase();
  return words ? made.map((m, i) => m.text.includes(words) ? i : -1).filter(i => i >= 0) : null;
}
function find() {
  const list = hits();
  made.forEach((m, i) => {
    m.row.classList.toggle('hit', !!list && list.includes(i));
    m.row.classList.toggle('dimmed', !!list && !list.includes(i));
  });
  found.textContent = list ? list.length + ' found' : '';
  return list;
}
function next() {
  const list = find();
  if (!list || !list.length) return;
  pick(list.find(i => i > picked) ?? list[0]);
}
function move(by) {
  let i = picked;
  do { i += by; } while (i >= 0 && i < spans.length && !shown(i));
  if (i >= 0 && i < spans.length) pick(i);
}
search.addEventListener('input', find);
search.addEventListener('keydown', event => {
  if (event.key === 'Enter') next();
  if (event.key === 'Escape') { search.value = ''; find(); rows.focus(); }
  event.stopPropagation();
});
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1),
    Home: () => pick(0), End: () => move(spans.length - 1 - picked),
    ArrowLeft: () => { if (!folded.has(picked)) toggle(picked); }, ArrowRight: () => { if (folded.has(picked)) toggle(picked); },
    '+': () => zoomTo(zoom * 1.5), '=': () => zoomTo(zoom * 1.5), '-': () => zoomTo(zoom / 1.5), 0: () => zoomTo(1),
    '/': () => search.focus(), n: next, d: () => document.documentElement.classList.toggle('dark'),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
rows.addEventListener('wheel', event => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoomTo(zoom * (event.deltaY < 0 ? 1.25 : 0.8));
}, { passive: false });
window.addEventListener('resize', drawAxis);
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
drawAxis();
if (spans.length) pick(0);
rows.focus();
)js";
}

}  // namespace cadre::cli
