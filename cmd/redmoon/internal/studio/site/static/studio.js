// The page of redmoon studio.
import {createEditor} from './editor.js';
import {connect} from './transport.js';
import {show, showProblem} from './show.js';

const $ = (id) => document.getElementById(id);
const transport = connect();
let state = 'idle'; // idle, busy, stopped
let examples = [];
let turn = 0; // counts what the user has begun: answers to what was stopped are dropped
let focused = null; // the button that had the focus when it was disabled
// What the user has changed since the script went on.
let textChanged = false, breakpointsChanged = false;
let unchecked = false; // the linter has to wait for the script
let placing = 0; // counts requests of breakpoints: only the last answer is used

const editor = createEditor({
  parent: $('editor'), doc: '',
  changed: edited,
  breakpointsChanged: sendBreakpoints,
  complete: (source, at) => transport.request({op: 'complete', source, at, server: server()}).catch(() => null),
  hover: (source, at) => transport.request({op: 'hover', source, at, server: server()}).catch(() => null),
});

// server returns the chosen server; the default is undefined, which keeps links short.
const server = () => ($('server').selectedIndex > 0 ? $('server').value : undefined);

// wantedCall is the function that a document calls, until the list of functions is known.
let wantedCall;

// showFunctions offers the functions of a library; none hides the choice.
function showFunctions(functions) {
  const select = $('call'), chosen = wantedCall || select.value;
  select.replaceChildren(...functions.map((f) => {
    const option = new Option(f.flags ? `${f.name} (${f.flags.join(', ')})` : f.name, f.name);
    option.title = f.description || '';
    return option;
  }));
  const at = functions.findIndex((f) => f.name === chosen);
  if (functions.length > 0) {
    select.selectedIndex = Math.max(at, 0);
    wantedCall = undefined;
  }
  $('call-choice').hidden = functions.length === 0;
}

function documentNow() {
  return {
    source: editor.text(), call: $('call').value || undefined, keys: $('keys').value, args: $('args').value, fixture: $('fixture').value, server: server(),
    breakpoints: editor.breakpoints(),
  };
}

function openDocument(d) {
  editor.setText(d.source || '');
  wantedCall = d.call;
  showFunctions([]);
  $('keys').value = d.keys || '';
  $('args').value = d.args || '';
  $('fixture').value = d.fixture || '';
  $('server').value = d.server || $('server').options[0]?.value;
  $('keep').checked = false;
  editor.setBreakpoints(d.breakpoints || []);
  editor.setLines(0, 0);
  document.title = d.name ? `${d.name} – Redmoon Studio` : 'Redmoon Studio';
}

function setState(next, text) {
  state = next;
  document.documentElement.dataset.state = next;
  if (document.activeElement?.closest('#toolbar')) focused = document.activeElement;
  $('status').textContent = text;
  $('run').disabled = next === 'busy' || next === 'loading';
  $('debug').disabled = next === 'busy' || next === 'loading';
  $('debug').textContent = next === 'stopped' ? 'Continue' : 'Debug';
  $('stop').disabled = next !== 'busy' && next !== 'stopped';
  for (const b of document.querySelectorAll('[data-step]')) b.disabled = next !== 'stopped';
  if (next === 'busy' || next === 'loading') return;
  // A disabled button loses the focus, and the next key would go nowhere.
  if (focused && document.activeElement === document.body) (focused.disabled ? $('result') : focused).focus();
  focused = null;
  if (unchecked) check();
}

// ask sends a request whose answer is a state of the script, and shows it.
async function ask(body) {
  if (state === 'busy' || state === 'loading') return;
  const was = state, mine = ++turn;
  textChanged = breakpointsChanged = false;
  setState('busy', 'Running…');
  try {
    const st = await transport.request(body);
    if (mine !== turn) return;
    if (st.state === 'stopped' && textChanged) {
      state = 'stopped';
      stop(); // the lines of the debugger are those of the text before
      return;
    }
    show(st, editor);
    editor.setLines(st.state === 'stopped' && !st.failure ? st.line : 0, st.failure && !textChanged ? st.failure.line || 0 : 0);
    if (st.state === 'stopped' && breakpointsChanged) await placeBreakpoints(editor.breakpoints());
    if (mine !== turn) return;
    if (st.state === 'stopped') setState('stopped', `Line ${st.line}: ${st.reason}`);
    else setState('idle', st.aborted ? 'Stopped' : st.failure ? 'Ended with an error' : 'Ended');
  } catch (e) {
    if (mine !== turn) return;
    if (was === 'stopped' && body.op === 'step') {
      setState('stopped', e.message);
      return;
    }
    editor.setLines(0, 0);
    showProblem(e.message);
    setState('idle', 'Not run');
  }
}

const run = () => ask({op: 'run', ...documentNow(), keep: $('keep').checked});
const debug = () => (state === 'stopped' ? step('continue') : ask({op: 'debug', ...documentNow(), keep: $('keep').checked}));
const step = (how) => (state === 'stopped' ? ask({op: 'step', how}) : undefined);

async function stop() {
  if (state !== 'busy' && state !== 'stopped') return;
  const busy = state === 'busy';
  turn++;
  setState('loading', 'Stopping…');
  try {
    await transport.stop(busy);
  } catch (e) {
    showProblem(e.message);
  }
  editor.setLines(0, 0);
  setState('idle', 'Stopped');
}

// edited checks the script a moment after the last change.
let timer = 0;
function edited() {
  textChanged = true;
  if (state === 'stopped') stop();
  clearTimeout(timer);
  timer = setTimeout(check, 300);
}

async function check() {
  unchecked = state === 'busy' || state === 'loading';
  if (unchecked) return;
  const source = editor.text();
  try {
    const answer = await transport.request({op: 'check', source, server: server()});
    if (source !== editor.text()) return;
    editor.setFindings(answer.findings);
    showFunctions(answer.functions || []);
  } catch { /* the next change checks again */ }
}

async function sendBreakpoints(lines) {
  if (state === 'busy') breakpointsChanged = true;
  else await placeBreakpoints(lines);
}

async function placeBreakpoints(lines) {
  const source = editor.text(), mine = ++placing;
  try {
    const answer = await transport.request({op: 'breakpoints', source, breakpoints: lines});
    if (mine === placing && source === editor.text()) editor.setBreakpoints(answer.breakpoints);
  } catch { /* they are sent again with the next run */ }
}

async function share() {
  try {
    const {packed} = await transport.request({op: 'pack', ...documentNow()});
    const link = new URL(location.href);
    link.hash = packed;
    history.replaceState(null, '', link);
    $('share-link').value = link.href;
    $('share-hint').textContent = document.documentElement.dataset.engine === 'server'
      ? 'Others open it with: redmoon studio \'LINK\''
      : '';
    $('share-dialog').showModal();
    $('share-link').select();
  } catch (e) {
    showProblem(e.message);
  }
}

async function copy() {
  $('share-link').select();
  try {
    await navigator.clipboard.writeText($('share-link').value);
    $('copy').textContent = 'Copied';
  } catch {
    document.execCommand('copy');
  }
}

async function evaluate(event) {
  event.preventDefault();
  const frame = Number(document.querySelector('#frames h3')?.dataset.level || 0);
  try {
    const answer = await transport.request({op: 'eval', code: $('eval').value, frame});
    $('eval-value').textContent = answer.value || 'no value';
    $('eval-value').className = answer.failed ? 'failed' : '';
  } catch (e) {
    $('eval-value').textContent = e.message;
    $('eval-value').className = 'failed';
  }
}

// openHash opens the document of the address, if it has one.
async function openHash() {
  if (location.hash.length < 3) return false;
  try {
    const d = (await transport.request({op: 'unpack', packed: location.hash})).document;
    listExamples([{...d, name: d.name || 'From the link'}, ...examples]);
    openDocument(d);
    return true;
  } catch (e) {
    showProblem(e.message);
    return false;
  }
}

// listExamples fills the menu, and chooses the first of the list.
function listExamples(list) {
  examples = list;
  $('examples').replaceChildren(...list.map((d, i) => new Option(d.name || 'Script', i)));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

const dark = matchMedia('(prefers-color-scheme: dark)');
setTheme(localStorage.getItem('studio-theme') || (dark.matches ? 'dark' : 'light'));
dark.addEventListener('change', () => {
  if (!localStorage.getItem('studio-theme')) setTheme(dark.matches ? 'dark' : 'light');
});
$('theme').onclick = () => {
  setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  localStorage.setItem('studio-theme', document.documentElement.dataset.theme);
};
$('run').onclick = run;
$('debug').onclick = debug;
$('stop').onclick = stop;
$('share').onclick = share;
$('copy').onclick = copy;
$('eval-form').onsubmit = evaluate;
for (const b of document.querySelectorAll('[data-step]')) b.onclick = () => step(b.dataset.step);
$('examples').onchange = async () => {
  await stop();
  history.replaceState(null, '', location.pathname);
  openDocument(examples[$('examples').value]);
  show(null);
  setState('idle', 'Ready');
};
window.addEventListener('hashchange', async () => {
  await stop();
  if (await openHash()) show(null);
});

const shortcuts = {
  'Ctrl+Enter': run, 'F5': debug, 'Shift+F5': stop, 'F8': () => step('back'), 'Shift+F8': () => step('reverse'),
  'F10': () => step('over'), 'F11': () => step('in'), 'Shift+F11': () => step('out'),
};
window.addEventListener('keydown', (e) => {
  const f = shortcuts[(e.ctrlKey || e.metaKey ? 'Ctrl+' : '') + (e.shiftKey ? 'Shift+' : '') + e.key];
  if (!f) return;
  e.preventDefault();
  e.stopPropagation();
  f();
}, true);

setState('loading', document.documentElement.dataset.engine === 'wasm' ? 'Loading the engine…' : 'Loading…');
try {
  await transport.ready;
  const opened = await transport.request({op: 'open'});
  for (const name of opened.servers) $('server').add(new Option(name));
  const own = !opened.examples.some((d) => d.source === opened.document.source);
  $('server').addEventListener('change', check);
  listExamples(own ? [opened.document, ...opened.examples] : opened.examples);
  show(null);
  if (!await openHash()) openDocument(opened.document);
  setState('idle', 'Ready');
  check();
} catch (e) {
  showProblem(e.message);
  $('status').textContent = 'Not ready';
}
