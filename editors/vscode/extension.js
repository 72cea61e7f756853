// The extension starts `redmoon dap` for each debug session. Without it VS Code needs "debugServer" in each configuration, see docs/editors.md.
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

function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("redmoon", new AdapterFactory()),
    vscode.debug.registerDebugConfigurationProvider("redmoon", new ConfigurationProvider()),
  );
}

function deactivate() {}

module.exports = { activate, deactivate };
