package lsp

import (
	"context"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
)

type object = map[string]any

// initialize notes what the client can do and answers what the server can.
func (s *server) initialize(ctx context.Context, req *jsonrpc2.Request) {
	var p initializeParams
	if err := decode(req, &p); err != nil {
		s.fail(ctx, req, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	}
	s.client = p.Capabilities
	s.utf8 = slices.Contains(p.Capabilities.General.PositionEncodings, "utf-8")
	encoding := "utf-16"
	if s.utf8 {
		encoding = "utf-8"
	}
	s.state.Store(int32(running))
	s.reply(ctx, req, object{
		"serverInfo": object{"name": "redmoon", "version": s.o.Version},
		"capabilities": object{
			"positionEncoding": encoding,
			"textDocumentSync": object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"hoverProvider":    true,
			"completionProvider": object{
				"triggerCharacters": []string{"'", `"`, ".", ":", "[", "("},
			},
			"signatureHelpProvider":      object{"triggerCharacters": []string{"(", ","}},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"documentSymbolProvider":     true,
			"codeActionProvider":         object{"codeActionKinds": []string{"quickfix"}},
			"documentFormattingProvider": true,
			"renameProvider":             object{"prepareProvider": true},
			"foldingRangeProvider":       true,
		},
	})
}

// watchFiles asks the client to report changes of scripts and configurations on disk.
func (s *server) watchFiles(ctx context.Context) {
	if !s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	s.working.Add(1)
	go func() { // the reply comes through the reader
		defer s.working.Done()
		err := s.conn.Call(ctx, "client/registerCapability", object{"registrations": []object{{
			"id": "watch", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": object{"watchers": []object{
				{"globPattern": "**/redmoon.toml"}, {"globPattern": "**/.redmoonlint"}, {"globPattern": "**/*.lua"},
			}},
		}}}, nil)
		if err != nil {
			s.o.Logger.Debug("the client does not watch files", "error", err)
		}
	}()
}
