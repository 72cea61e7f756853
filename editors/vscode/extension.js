// The extension starts `redmoon dap` for each debug session and one `redmoon lsp`; see docs/editors.md.
"use strict";

const vscode = require("vscode");

/** Says which program is the debug adapter. */
class AdapterFactory {
  createDebugAdapterDescriptor(session) {
    const folder = session.workspaceFolder ? session.workspaceFolder.uri.fsPath : undefined;
    const path = vscode.workspace.getConfiguration("redmoon", session.workspaceFolder).get("path") || "redmoon";
    return new vscode.DebugAdapterExecutable(path, ["dap"], folder ? { cwd: folder } : undefined);
  }
}

/** Makes F5 in a Lua file work where there is no launch.json. */
class ConfigurationProvider {
  resolveDebugConfiguration(_folder, config) {
    if (config.type || config.request || config.name) {
      return config;
    }
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.languageId !== "lua") {
      return config;
    }
    return { type: "redmoon", request: "launch", name: "Debug this Redis script", script: "${file}", keys: [], args: [], stopOnEntry: true };
  }
}

let client;
let output;

/** Starts or ends `redmoon lsp`, as the settings say. */
async function updateClient() {
  const settings = vscode.workspace.getConfiguration("redmoon");
  const old = client;
  client = undefined;
  if (old) {
    await old.dispose();
  }
  if (settings.get("lsp.enable")) {
    const folder = (vscode.workspace.workspaceFolders || [])[0];
    output = output || vscode.window.createOutputChannel("Redmoon");
    const { Client } = require("./client.js");
    client = new Client(settings.get("path") || "redmoon", folder ? folder.uri.fsPath : undefined, (line) => output.appendLine(line));
  }
}

function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("redmoon", new AdapterFactory()),
    vscode.debug.registerDebugConfigurationProvider("redmoon", new ConfigurationProvider()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("redmoon.lsp") || event.affectsConfiguration("redmoon.path")) {
        return updateClient();
      }
    }),
  );
  return updateClient();
}

/** Ends the server. VS Code waits for the promise. */
function deactivate() {
  return client && client.dispose();
}

module.exports = { activate, deactivate };
