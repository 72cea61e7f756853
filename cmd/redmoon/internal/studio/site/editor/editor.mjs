// The editor of the page: CodeMirror with Lua, breakpoints, the line of the debugger, the line of an
// error, completion and findings.
import {
  EditorView, Decoration, GutterMarker, crosshairCursor, drawSelection, dropCursor, gutter, highlightActiveLine,
  highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, rectangularSelection,
} from '@codemirror/view';
import {EditorState, RangeSet, StateEffect, StateField} from '@codemirror/state';
import {defaultKeymap, history, historyKeymap, indentLess, insertTab} from '@codemirror/commands';
import {StreamLanguage, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap} from '@codemirror/autocomplete';
import {lintKeymap, setDiagnostics} from '@codemirror/lint';
import {highlightSelectionMatches, searchKeymap} from '@codemirror/search';
import {classHighlighter} from '@lezer/highlight';
import {lua} from '@codemirror/legacy-modes/mode/lua';

const setBreakpoints = StateEffect.define(); // line numbers
const setLines = StateEffect.define(); // {current, error}: line numbers, 0 for none

class BreakpointMarker extends GutterMarker {
  toDOM() {
    const dot = document.createElement('span');
    dot.className = 'breakpoint-dot';
    dot.textContent = '●';
    dot.setAttribute('aria-label', 'breakpoint');
    return dot;
  }
}
const marker = new BreakpointMarker();

const breakpointField = StateField.define({
  create: () => RangeSet.empty,
  update(set, tr) {
    set = set.map(tr.changes);
    for (const e of tr.effects) {
      if (!e.is(setBreakpoints)) continue;
      const lines = [...new Set(e.value)].filter((n) => n >= 1 && n <= tr.state.doc.lines).sort((a, b) => a - b);
      set = RangeSet.of(lines.map((n) => marker.range(tr.state.doc.line(n).from)));
    }
    return set;
  },
});

function linesOf(state) {
  const lines = new Set();
  for (let i = state.field(breakpointField).iter(); i.value; i.next()) lines.add(state.doc.lineAt(i.from).number);
  return [...lines].sort((a, b) => a - b);
}

const lineField = StateField.define({
  create: () => Decoration.none,
  update(set, tr) {
    set = tr.docChanged ? Decoration.none : set;
    for (const e of tr.effects) {
      if (!e.is(setLines)) continue;
      const marks = [];
      const add = (line, name) => {
        if (line >= 1 && line <= tr.state.doc.lines) {
          marks.push(Decoration.line({class: name}).range(tr.state.doc.line(line).from));
        }
      };
      add(e.value.current, 'line-current');
      add(e.value.error, 'line-error');
      set = Decoration.set(marks, true);
    }
    return set;
  },
  provide: (f) => EditorView.decorations.from(f),
});

// createEditor makes an editor in o.parent. o.complete(doc, at) and o.hover(doc, at) return promises
// of what the protocol answers; o.changed() and o.breakpointsChanged(lines) are called.
export function createEditor(o) {
  const toggle = (view, line) => {
    const lines = linesOf(view.state);
    const at = lines.indexOf(line);
    if (at >= 0) lines.splice(at, 1);
    else lines.push(line);
    view.dispatch({effects: setBreakpoints.of(lines)});
    o.breakpointsChanged(linesOf(view.state));
    return true;
  };
  const source = async (context) => {
    const word = context.matchBefore(/[\w.]+/);
    const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
    if (!word && !context.explicit && before !== '\'' && before !== '"') return null;
    const c = await o.complete(context.state.doc.toString(), context.pos);
    if (context.aborted || !c || !c.items || !c.items.length) return null;
    return {
      from: c.from, to: c.to, validFor: /^\w*$/,
      options: c.items.map((i) => ({
        label: i.label, type: i.kind, detail: i.detail, apply: i.insert || undefined, info: i.doc ? () => prose(i.doc) : undefined,
      })),
    };
  };
  const tooltip = hoverTooltip(async (view, pos) => {
    const h = await o.hover(view.state.doc.toString(), pos);
    if (!h || !h.text) return null;
    return {pos: h.from, end: h.to, above: true, create: () => ({dom: prose(h.text)})};
  });
  const view = new EditorView({
    parent: o.parent,
    doc: o.doc,
    extensions: [
      breakpointField, lineField,
      gutter({
        class: 'breakpoint-gutter', markers: (v) => v.state.field(breakpointField), initialSpacer: () => marker,
        domEventHandlers: {mousedown: (v, block) => toggle(v, v.state.doc.lineAt(block.from).number)},
      }),
      lineNumbers({domEventHandlers: {mousedown: (v, block) => toggle(v, v.state.doc.lineAt(block.from).number)}}),
      highlightActiveLineGutter(), highlightSpecialChars(), history(), foldGutter(), drawSelection(), dropCursor(),
      EditorState.allowMultipleSelections.of(true), indentOnInput(), indentUnit.of('  '), bracketMatching(), closeBrackets(),
      autocompletion({override: [source]}), rectangularSelection(), crosshairCursor(), highlightActiveLine(),
      highlightSelectionMatches(), tooltip,
      StreamLanguage.define(lua), syntaxHighlighting(classHighlighter),
      keymap.of([
        {key: 'F9', run: (v) => toggle(v, v.state.doc.lineAt(v.state.selection.main.head).number)},
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
        {key: 'Tab', run: indentOrLeave, shift: (v) => !leaves && indentLess(v)},
      ]),
      EditorView.contentAttributes.of({'aria-label': 'Script in Lua', 'aria-describedby': 'editor-help'}),
      EditorView.updateListener.of((u) => {
        if (u.docChanged) o.changed();
      }),
    ],
  });
  // Tab leaves the editor after Escape, so that the keyboard is not caught in it.
  let leaves = false;
  function indentOrLeave(v) {
    return leaves ? false : insertTab(v);
  }
  view.contentDOM.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') leaves = true;
    else if (e.key !== 'Tab' && e.key !== 'Shift') leaves = false;
  }, true);
  return {
    view,
    text: () => view.state.doc.toString(),
    setText(text) {
      view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}, selection: {anchor: 0}});
    },
    breakpoints: () => linesOf(view.state),
    setBreakpoints(lines) { view.dispatch({effects: setBreakpoints.of(lines)}); },
    setLines(current, error) {
      const effects = [setLines.of({current, error})];
      const line = current || error;
      if (line >= 1 && line <= view.state.doc.lines) {
        effects.push(EditorView.scrollIntoView(view.state.doc.line(line).from, {y: 'nearest', yMargin: 60}));
      }
      view.dispatch({effects});
    },
    goTo(line) {
      if (line < 1 || line > view.state.doc.lines) return;
      view.dispatch({selection: {anchor: view.state.doc.line(line).from}, scrollIntoView: true});
      view.focus();
    },
    setFindings(list) {
      const length = view.state.doc.length;
      view.dispatch(setDiagnostics(view.state, list.map((f) => ({
        from: Math.min(f.from, length), to: Math.min(f.to, length), severity: f.severity, message: `${f.message} (${f.rule})`,
      }))));
    },
    focus: () => view.focus(),
  };
}

// prose shows simple Markdown: paragraphs and code.
function prose(text) {
  const box = document.createElement('div');
  box.className = 'prose';
  for (const [i, part] of text.split('```').entries()) {
    if (i % 2) {
      const pre = document.createElement('pre');
      pre.textContent = part.replace(/^\w*\n/, '').trimEnd();
      box.append(pre);
      continue;
    }
    for (const paragraph of part.split(/\n\s*\n/)) {
      if (!paragraph.trim()) continue;
      const p = document.createElement('p');
      for (const [k, piece] of paragraph.trim().replace(/\*\*|\[([^\]]*)\]\([^)]*\)/g, '$1').split('`').entries()) {
        p.append(k % 2 ? Object.assign(document.createElement('code'), {textContent: piece}) : piece);
      }
      box.append(p);
    }
  }
  return box;
}
