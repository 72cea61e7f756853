// Loads the extension with a stand-in for VS Code, and prints what it registers and answers. debugger/dap runs it.
"use strict";

const Module = require("node:module");

const registered = {};
const editor = { document: { languageId: "lua" } };
const vscode = {
  debug: {
    registerDebugAdapterDescriptorFactory: (type, factory) => ((registered.factory = [type, factory]), {}),
    registerDebugConfigurationProvider: (type, provider) => ((registered.provider = [type, provider]), {}),
  },
  workspace: {
    getConfiguration: () => ({ get: (name) => (name === "path" ? "/opt/redmoon" : undefined) }), // lsp.enable is not set
    onDidChangeConfiguration: () => ({}),
  },
  window: { activeTextEditor: editor },
  DebugAdapterExecutable: class {
    constructor(command, args, options) {
      Object.assign(this, { command, args, options });
    }
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const extension = require("./extension.js");
const context = { subscriptions: [] };
extension.activate(context);
const [factoryType, factory] = registered.factory;
const [providerType, provider] = registered.provider;
const given = { type: "redmoon", request: "attach", name: "mine" };
const results = {
  types: [factoryType, providerType],
  subscriptions: context.subscriptions.length,
  adapter: factory.createDebugAdapterDescriptor({ workspaceFolder: { uri: { fsPath: "/work" } } }),
  empty: provider.resolveDebugConfiguration(undefined, {}),
  given: provider.resolveDebugConfiguration(undefined, given),
};
editor.document.languageId = "python";
results.other = provider.resolveDebugConfiguration(undefined, {});
extension.deactivate();
console.log(JSON.stringify(results));
