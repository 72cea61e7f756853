// Runs the extension with a stand-in for VS Code against a real `redmoon lsp`, whose path is the
// argument, and prints what an editor would show. cmd/redmoon runs it.
"use strict";

const Module = require("node:module");

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
class Range {
  constructor(a, b, c, d) {
    Object.assign(this, { start: new Position(a, b), end: new Position(c, d) });
  }
}
const plain = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, i) => (this[name] = values[i]));
    }
  };
class WorkspaceEdit {
  constructor() {
    this.edits = {};
  }
  set(uri, edits) {
    this.edits[uri.toString()] = edits;
  }
}
class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(`${this.value}.${part}`);
  }
}
CodeActionKind.QuickFix = new CodeActionKind("quickfix");
CodeActionKind.SourceFixAll = new CodeActionKind("source.fixAll");

const listeners = {};
const providers = {};
const errors = [];
let arrived = () => {};
const shown = new Map();
const event = (name) => (f) => {
  listeners[name] = f;
  return { dispose() {} };
};
const register = (name) => (_selector, provider) => {
  providers[name] = provider;
  return { dispose() {} };
};
let text = "local v = redis.call('GET', KEYS[1])\nif v == nil then return 0 end\nreturn v, '😀'\n";
const document = { uri: { toString: () => "untitled:a.lua" }, languageId: "lua", version: 1, getText: () => text };
const vscode = {
  Position, Range, WorkspaceEdit, CodeActionKind,
  TextEdit: plain("range", "newText"),
  MarkdownString: plain("value"),
  Location: plain("uri", "range"),
  Uri: { parse: (s) => ({ toString: () => s }) },
  Diagnostic: plain("range", "message", "severity"),
  DocumentSymbol: plain("name", "detail", "kind", "range", "selectionRange"),
  CompletionItem: plain("label", "kind"),
  SignatureHelp: plain(),
  SignatureInformation: plain("label", "documentation"),
  ParameterInformation: plain("label"),
  CodeAction: plain("title", "kind"),
  Hover: plain("contents", "range"),
  DocumentHighlight: plain("range", "kind"),
  FoldingRange: plain("start", "end", "kind"),
  FoldingRangeKind: { Comment: 1 },
  DebugAdapterExecutable: plain("command", "args"),
  debug: { registerDebugAdapterDescriptorFactory: () => ({}), registerDebugConfigurationProvider: () => ({}) },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => (shown.set(uri.toString(), list), arrived()),
      clear: () => shown.clear(),
      dispose() {},
    }),
    registerHoverProvider: register("hover"),
    registerCompletionItemProvider: register("completion"),
    registerSignatureHelpProvider: register("signature"),
    registerDefinitionProvider: register("definition"),
    registerReferenceProvider: register("references"),
    registerDocumentHighlightProvider: register("highlight"),
    registerDocumentSymbolProvider: register("symbols"),
    registerFoldingRangeProvider: register("folding"),
    registerDocumentFormattingEditProvider: register("formatting"),
    registerRenameProvider: register("rename"),
    registerCodeActionsProvider: register("actions"),
  },
  workspace: {
    textDocuments: [document],
    getConfiguration: () => ({ get: (name) => ({ path: process.argv[2], "lsp.enable": true })[name] }),
    createFileSystemWatcher: () => ({ onDidChange: event("a"), onDidCreate: event("b"), onDidDelete: event("c"), dispose() {} }),
    onDidChangeConfiguration: event("configuration"),
    onDidOpenTextDocument: event("open"),
    onDidCloseTextDocument: event("close"),
    onDidSaveTextDocument: event("save"),
    onDidChangeTextDocument: event("change"),
  },
  window: {
    createOutputChannel: () => ({ appendLine: (line) => errors.push(line) }),
    showErrorMessage: (line) => errors.push(line),
    showWarningMessage: (line) => errors.push(line),
    showInformationMessage: (line) => errors.push(line),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const token = { onCancellationRequested() {} };
const flat = (r) => `${r.start.line}:${r.start.character}-${r.end.line}:${r.end.character}`;

/** Waits until the diagnostics fulfil a condition. */
const diagnosed = (condition) =>
  new Promise((resolve) => {
    arrived = () => {
      const list = shown.get(document.uri.toString());
      if (list && condition(list)) {
        resolve(list.map((d) => `${d.code} ${d.severity} ${flat(d.range)}`));
      }
    };
    arrived();
  });

/** Types text in place of a range, as VS Code reports it. */
const type = (range, typed, after) => {
  text = after;
  document.version++;
  return listeners.change({ document, contentChanges: [{ range, text: typed }] });
};

async function main() {
  const extension = require("./extension.js");
  const results = {};
  await extension.activate({ subscriptions: [] });
  results.first = await diagnosed((list) => list.length > 0);
  const hover = await providers.hover.provideHover(document, new Position(0, 23), token);
  results.hover = [hover.contents.value.split("\n")[1], flat(hover.range)];
  const actions = await providers.actions.provideCodeActions(document, new Range(1, 0, 1, 9), {}, token);
  results.actions = actions.map((a) => `${a.kind.value}: ${a.title}`);
  results.fix = Object.values(actions[0].edit.edits)[0].map((e) => `${flat(e.range)} ${e.newText}`);
  const all = await providers.actions.provideCodeActions(document, new Range(0, 0, 0, 0), { only: new CodeActionKind("source.fixAll") }, token);
  results.all = all.map((a) => a.kind.value);
  const renamed = await providers.rename.provideRenameEdits(document, new Position(2, 7), "value", token);
  results.rename = Object.values(renamed.edits)[0].map((e) => flat(e.range));
  results.refused = await providers.rename.prepareRename(document, new Position(2, 1), token).catch((e) => e.message);
  results.places = (await providers.references.provideReferences(document, new Position(0, 6), { includeDeclaration: true }, token)).map((l) => flat(l.range));
  results.definition = flat((await providers.definition.provideDefinition(document, new Position(2, 7), token)).range);
  results.highlights = (await providers.highlight.provideDocumentHighlights(document, new Position(2, 7), token)).map((h) => h.kind);
  results.symbols = (await providers.symbols.provideDocumentSymbols(document, token)).map((s) => `${s.name} ${s.kind}`);
  await type(new Range(1, 8, 1, 11), "false", text.replace("nil", "false"));
  results.fixed = await diagnosed((list) => list.length === 0);
  results.formatted = (await providers.formatting.provideDocumentFormattingEdits(document, { tabSize: 3, insertSpaces: true }, token)).map((e) => `${flat(e.range)} ${e.newText}`);
  await type(new Range(3, 0, 3, 0), "redis.call('HS", text + "redis.call('HS");
  const items = await providers.completion.provideCompletionItems(document, new Position(3, 14), token);
  const item = items.find((i) => i.label === "HSET");
  results.item = [item.kind, item.insertText, flat(item.range), item.detail];
  await type(new Range(3, 14, 3, 14), "ET', ", text + "ET', ");
  const help = await providers.signature.provideSignatureHelp(document, new Position(3, 19), token);
  results.help = [help.signatures[0].label, help.activeParameter, help.signatures[0].parameters[0].label];
  results.folds = (await providers.folding.provideFoldingRanges(document, {}, token)).length;
  results.errors = errors;
  await extension.deactivate();
  console.log(JSON.stringify(results));
}

main().catch((error) => {
  console.error(error, errors);
  process.exit(1);
});
