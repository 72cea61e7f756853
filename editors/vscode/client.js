// A client of the Language Server Protocol for `redmoon lsp`: the part of it that this server speaks.
"use strict";

const { spawn } = require("node:child_process");
const vscode = require("vscode");

const SELECTOR = { language: "lua" };
const MAX_RESTARTS = 4;

/** Sends and receives messages of JSON-RPC over the streams of a process. */
class Connection {
  constructor(process, handlers) {
    this.process = process;
    this.handlers = handlers;
    this.id = 0;
    this.pending = new Map();
    this.buffer = Buffer.alloc(0);
    process.stdout.on("data", (chunk) => this.receive(chunk));
    process.stdin.on("error", () => {}); // the process has ended; "exit" reports it
  }

  receive(chunk) {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const end = this.buffer.indexOf("\r\n\r\n");
      if (end < 0) {
        return;
      }
      const length = Number(/content-length: *(\d+)/i.exec(this.buffer.toString("ascii", 0, end))[1]);
      if (this.buffer.length < end + 4 + length) {
        return;
      }
      const message = JSON.parse(this.buffer.toString("utf8", end + 4, end + 4 + length));
      this.buffer = this.buffer.subarray(end + 4 + length);
      this.handle(message);
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      if (message.id !== undefined) {
        this.send({ id: message.id, error: { code: -32601, message: "not supported" } });
      } else if (this.handlers[message.method]) {
        this.handlers[message.method](message.params);
      }
      return;
    }
    const call = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (call && message.error) {
      call.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
    } else if (call) {
      call.resolve(message.result);
    }
  }

  send(message) {
    if (this.process.stdin.writable) {
      const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
      this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
    }
  }

  notify(method, params) {
    this.send({ method, params });
  }

  /** Returns a promise of the result. The token cancels the request. */
  request(method, params, token) {
    const id = ++this.id;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) {
        token.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
      }
    });
  }

  /** Ends all requests that have no reply. */
  close() {
    for (const call of this.pending.values()) {
      call.reject(new Error("the server has ended"));
    }
    this.pending.clear();
  }
}

const toRange = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const fromPosition = (p) => ({ line: p.line, character: p.character });
const fromRange = (r) => ({ start: fromPosition(r.start), end: fromPosition(r.end) });
const toEdit = (e) => new vscode.TextEdit(toRange(e.range), e.newText);
const toMarkdown = (m) => (m ? new vscode.MarkdownString(m.value) : undefined);
const toLocation = (l) => new vscode.Location(vscode.Uri.parse(l.uri), toRange(l.range));
const id = (document) => ({ textDocument: { uri: document.uri.toString() } });
const at = (document, position) => ({ ...id(document), position: fromPosition(position) });

const toWorkspaceEdit = (edit) => {
  const result = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes || {})) {
    result.set(vscode.Uri.parse(uri), edits.map(toEdit));
  }
  return result;
};

const toDiagnostic = (d) => {
  const result = new vscode.Diagnostic(toRange(d.range), d.message, d.severity - 1); // VS Code counts from 0
  return Object.assign(result, { code: d.code, source: d.source, tags: d.tags });
};

const toSymbol = (s) => {
  const result = new vscode.DocumentSymbol(s.name, s.detail || "", s.kind - 1, toRange(s.range), toRange(s.selectionRange));
  result.children = (s.children || []).map(toSymbol);
  return result;
};

const toItem = (i) => {
  const item = new vscode.CompletionItem(i.label, i.kind - 1);
  return Object.assign(item, {
    detail: i.detail,
    documentation: toMarkdown(i.documentation),
    sortText: i.sortText,
    filterText: i.filterText,
    insertText: i.textEdit.newText,
    range: toRange(i.textEdit.range),
    tags: i.tags,
  });
};

const toHelp = (h) => {
  const result = new vscode.SignatureHelp();
  result.signatures = h.signatures.map((s) => {
    const signature = new vscode.SignatureInformation(s.label, toMarkdown(s.documentation));
    signature.parameters = s.parameters.map((p) => new vscode.ParameterInformation(p.label));
    return signature;
  });
  return Object.assign(result, { activeSignature: h.activeSignature, activeParameter: h.activeParameter });
};

const toAction = (a) => {
  const action = new vscode.CodeAction(a.title, new vscode.CodeActionKind(a.kind));
  return Object.assign(action, {
    edit: toWorkspaceEdit(a.edit),
    diagnostics: (a.diagnostics || []).map(toDiagnostic),
    isPreferred: a.isPreferred,
  });
};

const CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    hover: { contentFormat: ["markdown"] },
    completion: { completionItem: { documentationFormat: ["markdown"], tagSupport: { valueSet: [1] } } },
    signatureHelp: {
      signatureInformation: { documentationFormat: ["markdown"], parameterInformation: { labelOffsetSupport: true } },
    },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    publishDiagnostics: { versionSupport: true, tagSupport: { valueSet: [1] } },
  },
};

/** Keeps a `redmoon lsp` running and connects VS Code with it. */
class Client {
  constructor(path, cwd, log) {
    Object.assign(this, { path, cwd, log, restarts: 0, stopped: false });
    this.diagnostics = vscode.languages.createDiagnosticCollection("redmoon");
    this.disposables = [this.diagnostics, ...this.listeners(), ...this.providers()];
    this.start();
  }

  start() {
    this.process = spawn(this.path, ["lsp"], { cwd: this.cwd, stdio: ["pipe", "pipe", "pipe"] });
    const running = this.process;
    running.stderr.on("data", (text) => this.log(text.toString().trimEnd()));
    running.on("error", (error) => vscode.window.showErrorMessage(`redmoon lsp does not start: ${error.message}. Set redmoon.path.`));
    running.on("exit", (code) => this.ended(running, code));
    const show = {
      1: vscode.window.showErrorMessage,
      2: vscode.window.showWarningMessage,
      3: vscode.window.showInformationMessage,
    };
    const connection = new Connection(running, {
      "textDocument/publishDiagnostics": (p) => this.diagnostics.set(vscode.Uri.parse(p.uri), p.diagnostics.map(toDiagnostic)),
      "window/showMessage": (p) => (show[p.type] || show[3])(`redmoon: ${p.message}`),
    });
    this.connection = connection;
    this.ready = connection.request("initialize", { processId: process.pid, rootUri: null, capabilities: CAPABILITIES }).then(() => {
      connection.notify("initialized", {});
      vscode.workspace.textDocuments.forEach((d) => this.opened(d));
    });
    this.ready.catch(() => {});
  }

  ended(running, code) {
    if (running !== this.process) {
      return;
    }
    this.connection.close();
    this.diagnostics.clear();
    if (this.stopped) {
      return;
    }
    this.log(`redmoon lsp has ended with code ${code}`);
    if (this.restarts++ < MAX_RESTARTS) {
      this.start();
    } else {
      vscode.window.showErrorMessage("redmoon lsp has ended several times; reload the window to start it again.");
    }
  }

  /** Ends the server as the protocol says. */
  async dispose() {
    this.stopped = true;
    this.disposables.forEach((d) => d.dispose());
    try {
      await this.ready;
      await this.connection.request("shutdown");
      this.connection.notify("exit");
    } catch {
      this.process.kill();
    }
  }

  opened(document) {
    if (document.languageId === SELECTOR.language) {
      const { version, languageId } = document;
      const textDocument = { uri: document.uri.toString(), languageId, version, text: document.getText() };
      this.connection.notify("textDocument/didOpen", { textDocument });
    }
  }

  /** Listeners that keep the server's texts equal to those of the editor. */
  listeners() {
    const isLua = (document) => document.languageId === SELECTOR.language;
    const when = (event, f) => event((argument) => this.ready.then(() => f(argument)).catch(() => {}));
    const watcher = vscode.workspace.createFileSystemWatcher("**/{redmoon.toml,.redmoonlint,*.lua}");
    const changed = (uri) =>
      this.connection.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uri.toString(), type: 2 }] });
    return [
      when(vscode.workspace.onDidOpenTextDocument, (d) => this.opened(d)),
      when(vscode.workspace.onDidCloseTextDocument, (d) => isLua(d) && this.connection.notify("textDocument/didClose", id(d))),
      when(vscode.workspace.onDidSaveTextDocument, (d) => isLua(d) && this.connection.notify("textDocument/didSave", id(d))),
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (isLua(e.document) && e.contentChanges.length > 0) {
          const { uri, version } = e.document;
          const contentChanges = e.contentChanges.map((c) => ({ range: fromRange(c.range), text: c.text }));
          const params = { textDocument: { uri: uri.toString(), version }, contentChanges };
          this.ready.then(() => this.connection.notify("textDocument/didChange", params)).catch(() => {});
        }
      }),
      watcher,
      watcher.onDidChange(changed),
      watcher.onDidCreate(changed),
      watcher.onDidDelete(changed),
    ];
  }

  /** Asks the server. The result is undefined if there is none, or if the request fails. */
  async ask(method, params, token, convert) {
    try {
      await this.ready;
      const result = await this.connection.request(method, params, token);
      return result === null ? undefined : convert(result);
    } catch (error) {
      this.log(`${method}: ${error.message}`);
      return undefined;
    }
  }

  /** Asks the server. An error is shown to the user. */
  async demand(method, params, token, convert) {
    await this.ready;
    const result = await this.connection.request(method, params, token);
    return result === null ? undefined : convert(result);
  }

  providers() {
    const { languages } = vscode;
    const list = (convert) => (result) => result.map(convert);
    return [
      languages.registerHoverProvider(SELECTOR, {
        provideHover: (d, p, token) =>
          this.ask("textDocument/hover", at(d, p), token, (h) => new vscode.Hover(toMarkdown(h.contents), toRange(h.range))),
      }),
      languages.registerCompletionItemProvider(
        SELECTOR,
        { provideCompletionItems: (d, p, token) => this.ask("textDocument/completion", at(d, p), token, (l) => l.items.map(toItem)) },
        "'", '"', ".", ":", "[", "(",
      ),
      languages.registerSignatureHelpProvider(
        SELECTOR,
        { provideSignatureHelp: (d, p, token) => this.ask("textDocument/signatureHelp", at(d, p), token, toHelp) },
        "(", ",",
      ),
      languages.registerDefinitionProvider(SELECTOR, {
        provideDefinition: (d, p, token) => this.ask("textDocument/definition", at(d, p), token, toLocation),
      }),
      languages.registerReferenceProvider(SELECTOR, {
        provideReferences: (d, p, context, token) =>
          this.ask("textDocument/references", { ...at(d, p), context }, token, list(toLocation)),
      }),
      languages.registerDocumentHighlightProvider(SELECTOR, {
        provideDocumentHighlights: (d, p, token) =>
          this.ask("textDocument/documentHighlight", at(d, p), token, list((h) => new vscode.DocumentHighlight(toRange(h.range), h.kind - 1))),
      }),
      languages.registerDocumentSymbolProvider(SELECTOR, {
        provideDocumentSymbols: (d, token) => this.ask("textDocument/documentSymbol", id(d), token, list(toSymbol)),
      }),
      languages.registerFoldingRangeProvider(SELECTOR, {
        provideFoldingRanges: (d, _context, token) =>
          this.ask("textDocument/foldingRange", id(d), token, list((f) =>
            new vscode.FoldingRange(f.startLine, f.endLine, f.kind ? vscode.FoldingRangeKind.Comment : undefined))),
      }),
      languages.registerDocumentFormattingEditProvider(SELECTOR, {
        provideDocumentFormattingEdits: (d, options, token) =>
          this.ask("textDocument/formatting", { ...id(d), options }, token, list(toEdit)),
      }),
      languages.registerRenameProvider(SELECTOR, {
        prepareRename: (d, p, token) => this.demand("textDocument/prepareRename", at(d, p), token, toRange),
        provideRenameEdits: (d, p, newName, token) =>
          this.demand("textDocument/rename", { ...at(d, p), newName }, token, toWorkspaceEdit),
      }),
      languages.registerCodeActionsProvider(
        SELECTOR,
        {
          provideCodeActions: (d, range, context, token) => {
            const only = context.only ? [context.only.value] : undefined;
            const params = { ...id(d), range: fromRange(range), context: { diagnostics: [], only } };
            return this.ask("textDocument/codeAction", params, token, list(toAction));
          },
        },
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.SourceFixAll.append("redmoon")] },
      ),
    ];
  }
}

module.exports = { Client };
