// Shows a state of the script.
const $ = (id) => document.getElementById(id);
let goTo = () => {};

function element(name, className, ...children) {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function lineButton(line) {
  const b = element('button', 'at', `line ${line}`);
  b.type = 'button';
  b.onclick = () => goTo(line);
  return b;
}

function fill(id, list) {
  $(id).replaceChildren(...list);
}

// word returns a word of a command line as people type it.
function word(text) {
  return /^[^\s'"\\]+$/.test(text) ? text : JSON.stringify(text);
}

// show shows a state; null clears everything.
export function show(st, editor) {
  if (editor) goTo = (line) => editor.goTo(line);
  showAnswer(st);
  const empty = {calls: [], changes: [], output: [], frames: [], keys: []};
  const s = {...empty, ...st, frames: st?.frames || [], keys: st?.keys || []};
  $('variables-panel').hidden = s.frames.length === 0;
  fill('frames', s.frames.flatMap(showFrame));
  $('eval-value').textContent = '';
  $('calls-count').textContent = s.hidden ? `the last ${s.calls.length} of ${s.calls.length + s.hidden}` : '';
  fill('calls', s.calls.length ? s.calls.map(showCall) : [element('li', 'quiet', st ? 'None.' : 'Run the script to see them.')]);
  $('changes-count').textContent = s.changes.length ? String(s.changes.length) : '';
  fill('changes', s.changes.length ? s.changes.map(showChange) : [
    element('span', 'quiet', s.partial ? 'More keys have changed than are shown at a stop.' : st ? 'None.' : 'Run the script to see them.')]);
  $('output-panel').hidden = s.output.length === 0;
  fill('output', s.output.map((o) => element('li', o.kind, o.text, ' ', lineButton(o.line))));
  $('keyspace-panel').hidden = s.keys.length === 0;
  $('keys-count').textContent = `${s.keys.length + (s.more || 0)} keys`;
  fill('keyspace', [element('table', 'mono', element('tbody', '', ...s.keys.map(showKey)))]);
  if (st) $('result').scrollTop = 0;
}

// showProblem shows why something could not be done.
export function showProblem(text) {
  show(null);
  $('answer').className = 'panel error';
  fill('answer', [element('p', 'title', 'Not done'), element('pre', '', text)]);
}

function showAnswer(st) {
  $('answer').className = st?.failure ? 'panel error' : 'panel';
  if (!st) return fill('answer', []);
  const parts = [];
  if (st.failure) {
    const title = element('p', 'title', st.state === 'stopped' ? 'Stopped at an error ' : 'The script has failed ');
    if (st.failure.line) title.append(lineButton(st.failure.line));
    parts.push(title, element('pre', '', st.failure.text));
    if (st.failure.writes) {
      parts.push(element('p', '', 'Written before the error, and kept:'), element('pre', '', st.failure.writes.join('\n')));
    }
  } else if (st.state === 'stopped') {
    const title = element('p', 'title', `Stopped before line ${st.line} `);
    title.append(element('span', 'quiet', st.reason));
    parts.push(title);
  } else {
    parts.push(element('p', 'title', st.aborted ? 'Stopped' : 'Reply'), element('pre', '', st.reply || ''));
  }
  if (st.diverged) parts.push(element('p', 'quiet', `The run differs from the one before: ${st.diverged}`));
  fill('answer', parts);
}

function showFrame(f) {
  const head = element('h3', '', f.name, ' ', lineButton(f.line));
  head.dataset.level = f.level;
  const rows = f.locals.map((v) => {
    const name = element('th', '', v.name, v.kind === 'upvalue' ? element('span', 'quiet', ' outer') : null);
    name.scope = 'row';
    return element('tr', '', name, element('td', '', v.value));
  });
  return [head, rows.length ? element('table', 'mono', element('tbody', '', ...rows)) : element('p', 'quiet', 'No variables yet.')];
}

function showCall(c) {
  const args = c.args.map(word);
  return element('li', c.isError ? 'failed' : c.done ? '' : 'waiting',
    element('span', 'command', args[0] || ''), ' ', args.slice(1).join(' '), ' ', lineButton(c.line),
    element('span', 'reply', c.done ? c.reply : 'not run yet'));
}

function showChange(c) {
  const what = !c.before ? 'new' : !c.after ? 'deleted' : 'changed';
  const side = (text, sign, name) => (text ? [element('pre', `diff ${name}`, text.split('\n').map((l) => `${sign} ${l}`).join('\n'))] : []);
  return element('div', 'change', element('h3', 'mono', c.db ? `${c.key} (db ${c.db})` : c.key, ' ', element('span', 'quiet', what)),
    ...side(c.before, '-', 'minus'), ...side(c.after, '+', 'plus'));
}

function showKey(k) {
  const ttl = k.ttl >= 0 ? `, expires in ${k.ttl / 1000} s` : '';
  const name = element('th', k.changed ? 'changed' : '', k.name, k.changed ? ' (changed)' : '');
  name.scope = 'row';
  return element('tr', '', name, element('td', '', element('span', 'quiet', `${k.type}${ttl}\n`), k.value || `${k.len} elements`));
}
