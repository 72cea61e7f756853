package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const untitled = "untitled:Untitled-1"

func TestInitializeAndShutdown(t *testing.T) {
	c := connect(t)
	result := into[struct {
		Capabilities map[string]any
		ServerInfo   map[string]string
	}](t, c.call("initialize", object{"capabilities": object{}}))
	require.Equal(t, "utf-16", result.Capabilities["positionEncoding"])
	require.Equal(t, map[string]string{"name": "redmoon", "version": "test"}, result.ServerInfo)
	c.notify("initialized", object{})
	require.Equal(t, "null", string(c.call("shutdown", nil)))
	code, _ := c.fail("textDocument/hover", object{})
	require.Equal(t, -32600, code)
	c.notify("exit", nil)
	got := <-c.ended
	c.ended <- got
	require.Equal(t, outcome{true, nil}, got)
}

func TestExitWithoutShutdownIsNotClean(t *testing.T) {
	c := start(t, object{})
	c.notify("exit", nil)
	got := <-c.ended
	c.ended <- got
	require.Equal(t, outcome{false, nil}, got)
}

func TestTheEndOfTheStreamIsNotClean(t *testing.T) {
	c := start(t, object{})
	require.NoError(t, c.in.Close())
	got := <-c.ended
	c.ended <- got
	require.Equal(t, outcome{false, nil}, got)
}

func TestTheOrderOfLife(t *testing.T) {
	c := connect(t)
	code, _ := c.fail("textDocument/hover", object{"textDocument": object{"uri": untitled}})
	require.Equal(t, -32002, code)
	c.open(untitled, "x = 1") // is ignored
	c.call("initialize", object{"capabilities": object{}})
	code, _ = c.fail("initialize", object{"capabilities": object{}})
	require.Equal(t, -32600, code)
	code, _ = c.fail("textDocument/hover", object{"textDocument": object{"uri": untitled}})
	require.Equal(t, -32602, code, "the document is not open")
	code, _ = c.fail("textDocument/nosuch", object{})
	require.Equal(t, -32601, code)
	c.notify("$/setTrace", object{"value": "off"})
	c.notify("nosuch/notification", nil)
	c.call("shutdown", nil)
}

func TestDiagnosticsWhileTyping(t *testing.T) {
	c := start(t, object{})
	c.open(untitled, "local a --[[ä]] = redis.call('GET', ARGV[1])\nreturn a == nil\n")
	require.Equal(t, "undeclared-key 0:36-0:43, false-compared-with-nil 1:7-1:15", c.diagnostics(untitled, 1))
	c.change(untitled, 2, object{"range": object{"start": position{0, 36}, "end": position{0, 43}}, "text": "KEYS[1"})
	require.Equal(t, "syntax-error 0:0-0:43", c.diagnostics(untitled, 2))
	c.change(untitled, 3, object{"range": object{"start": position{0, 42}, "end": position{0, 42}}, "text": "]"},
		object{"range": object{"start": position{1, 8}, "end": position{1, 15}}, "text": ""})
	require.Equal(t, "", c.diagnostics(untitled, 3))
	c.notify("textDocument/didClose", object{"textDocument": object{"uri": untitled}})
	require.Equal(t, "", c.diagnostics(untitled, 0), "a closed document has none")
}

func TestConfigurationAndFolder(t *testing.T) {
	c := start(t, object{})
	dir := t.TempDir()
	config := file(t, dir, ".redmoonlint", `{"redis": "6.0", "join": [{"files": ["joined/*.lua"], "before": ["joined/lib/common.lua"]}]}`)
	uri := file(t, dir, "a.lua", "")
	c.open(uri, "return redis.call('GETDEL', KEYS[1])")
	require.Equal(t, "newer-command 0:18-0:26", c.diagnostics(uri, 1))

	// A change of the configuration counts for open documents.
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".redmoonlint"), []byte("{}"), 0o644))
	c.notify("workspace/didChangeWatchedFiles", object{"changes": []object{{"uri": config, "type": 2}}})
	require.Equal(t, "", c.diagnostics(uri, 1))

	// So does one that is open and not saved.
	c.open(config, `{"severities": {"nosuch": "off"}}`)
	c.notify("workspace/didChangeConfiguration", object{})
	require.Contains(t, string(c.note("window/showMessage")), `there is no rule \"nosuch\"`)
}

func TestRulesAboutTheFolderRunWhenADocumentIsSaved(t *testing.T) {
	c := start(t, object{})
	dir := t.TempDir()
	file(t, dir, "check.lua",
		"local stock = KEYS[1]\nif tonumber(redis.call('GET', stock) or 0) >= tonumber(ARGV[1]) then\n  return 1\nend\nreturn 0")
	uri := file(t, dir, "take.lua", "")
	c.open(uri, "return 1")
	require.Equal(t, "", c.diagnostics(uri, 1))
	c.change(uri, 2, object{"text": "local stock = KEYS[1]\nreturn redis.call('DECRBY', stock, ARGV[1])"})
	require.Equal(t, "", c.diagnostics(uri, 2))
	c.notify("textDocument/didSave", object{"textDocument": object{"uri": uri}})
	require.Equal(t, "check-then-act 1:7-1:43", c.diagnostics(uri, 2))
}

func TestPartsInFront(t *testing.T) {
	c := start(t, object{})
	dir := t.TempDir()
	file(t, dir, ".redmoonlint", `{"join": [{"files": ["*.lua"], "before": ["lib/common.lua"]}]}`)
	common := file(t, dir, "lib/common.lua", "-- ä\nlocal call = redis.call\n")
	uri := file(t, dir, "get.lua", "")
	text := "return call('GET', KEYS[1])\n"
	c.open(uri, text)
	require.Equal(t, "", c.diagnostics(uri, 1))
	require.Equal(t, location{common, span{position{1, 6}, position{1, 10}}},
		into[location](t, c.call("textDocument/definition", c.place(uri, text, "ca|ll"))))
	require.Equal(t, "get.lua 0:7-0:11 x; lib/common.lua 1:6-1:10 x",
		c.renamed(dir, c.place(uri, text, "ca|ll", "newName", "x")))
}

// renamed returns the edits of a rename, in the order of the files below a folder.
func (c *client) renamed(dir string, params any) string {
	edits := into[workspaceEdit](c.t, c.call("textDocument/rename", params))
	var list []string
	for _, uri := range slices.Sorted(maps.Keys(edits.Changes)) {
		for _, e := range edits.Changes[uri] {
			list = append(list, below(dir, uri)+" "+show(e.Range)+" "+e.NewText)
		}
	}
	return strings.Join(list, "; ")
}

func below(dir, uri string) string {
	return strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(pathOf(uri), dir)), "/")
}

// An included file is looked at, and renamed in, as a part of all scripts that include it.
func TestIncludedFiles(t *testing.T) {
	c := start(t, object{})
	dir := t.TempDir()
	file(t, dir, "a.lua", "local rcall = redis.call\n--- @include \"includes/x\"\n\nreturn take(KEYS[1])\n")
	file(t, dir, "b.lua", "local rcall = redis.call\n--- @include \"includes/x\"\nreturn take(KEYS[2])\n")
	uri := file(t, dir, "includes/x.lua", "")
	text := "-- Takes one.\nlocal function take(key)\n  return rcal('LPOP', key) or rcall('GET', key)\nend\n"
	c.open(uri, text)
	require.Equal(t, "undeclared-global 2:9-2:13", c.diagnostics(uri, 1))
	at := into[location](t, c.call("textDocument/definition", c.place(uri, text, "rca|ll('GET")))
	require.Equal(t, "a.lua 0:6-0:11", below(dir, at.URI)+" "+show(at.Range))
	list := into[[]location](t, c.call("textDocument/references", c.place(uri, text, "function ta|ke", "context",
		object{"includeDeclaration": true})))
	require.Len(t, list, 3)
	require.Equal(t, "a.lua 3:7-3:11 pop; b.lua 2:7-2:11 pop; includes/x.lua 1:15-1:19 pop",
		c.renamed(dir, c.place(uri, text, "ta|ke", "newName", "pop")))
	_, message := c.fail("textDocument/rename", c.place(uri, text, "rca|ll('GET", "newName", "y"))
	require.Equal(t, "b.lua also has x.lua, and not the variable of a.lua", message)
	_, message = c.fail("textDocument/rename", c.place(uri, text, "ta|ke", "newName", "rcall"))
	require.Contains(t, message, "rcall would mean another variable")

	// A script that begins to include the file counts when it is saved.
	again := file(t, dir, "c.lua", "")
	c.open(again, "--- @include \"includes/x\"\nreturn take(KEYS[3])\n")
	require.Equal(t, "", c.diagnostics(again, 1))
	require.Equal(t, "a.lua 3:7-3:11 pop; b.lua 2:7-2:11 pop; c.lua 1:7-1:11 pop; includes/x.lua 1:15-1:19 pop",
		c.renamed(dir, c.place(uri, text, "ta|ke", "newName", "pop")))
}

func TestHoverAndDefinition(t *testing.T) {
	c := start(t, object{})
	text := "-- Größe\nlocal g = 1 local call = redis.call\nreturn call('HGET', KEYS[1], '😀', call)\n"
	c.open(untitled, text)
	h := into[hover](t, c.call("textDocument/hover", c.place(untitled, text, "'HG|ET'")))
	require.Equal(t, "markdown", h.Contents.Kind)
	require.Contains(t, h.Contents.Value, "HGET key field")
	require.Contains(t, h.Contents.Value, "since 2.0.0 · O(1) · 2 arguments")
	require.Equal(t, "2:12-2:18", show(h.Range))
	require.Equal(t, "null", string(c.call("textDocument/hover", c.place(untitled, text, "ret|urn"))))
	list := into[[]location](t, c.call("textDocument/references", c.place(untitled, text, "|call =", "context",
		object{"includeDeclaration": true})))
	require.Equal(t, []string{"1:18-1:22", "2:7-2:11", "2:35-2:39"}, []string{show(list[0].Range), show(list[1].Range),
		show(list[2].Range)},
		"the emoji has two units")
	marks := into[[]highlight](t, c.call("textDocument/documentHighlight", c.place(untitled, text, "call = redis.|call")))
	require.Empty(t, marks)
	marks = into[[]highlight](t, c.call("textDocument/documentHighlight", c.place(untitled, text, "return ca|ll")))
	require.Len(t, marks, 3)
	require.Equal(t, []int{highlightWrite, highlightRead, highlightRead}, []int{marks[0].Kind, marks[1].Kind, marks[2].Kind})
}

func TestPositionsInBytes(t *testing.T) {
	c := start(t, object{"general": object{"positionEncodings": []string{"utf-16", "utf-8"}}})
	c.utf8 = true
	text := "local s = '😀ä' return s\n"
	c.open(untitled, text)
	l := into[location](t, c.call("textDocument/definition", c.place(untitled, text, "return |s")))
	require.Equal(t, "0:6-0:7", show(l.Range))
	list := into[[]location](t, c.call("textDocument/references", c.place(untitled, text, "local |s", "context", object{})))
	require.Equal(t, "0:26-0:27", show(list[0].Range))
}

func TestCompletionInADialogue(t *testing.T) {
	c := start(t, object{})
	text := "-- KEYS[1]: lock\nlocal x = '😀' redis.call('SE\nlocal y = 1\n"
	c.open(untitled, text)
	list := into[completionList](t, c.call("textDocument/completion", c.place(untitled, text, "'SE|")))
	i := slices.IndexFunc(list.Items, func(i completionItem) bool { return i.Label == "SETEX" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, "1:27-1:29", show(list.Items[i].TextEdit.Range))
	require.Equal(t, "key seconds value", list.Items[i].Detail)
	require.Equal(t, "markdown", list.Items[i].Documentation.Kind)

	// The list follows what is typed, though the text never compiles.
	c.change(untitled, 2, object{"range": object{"start": position{1, 29}, "end": position{1, 29}}, "text": "T', K"})
	text = strings.Replace(text, "'SE", "'SET', K", 1)
	list = into[completionList](t, c.call("textDocument/completion", c.place(untitled, text, ", K|")))
	i = slices.IndexFunc(list.Items, func(i completionItem) bool { return i.Label == "KEYS[1]" })
	require.Equal(t, "lock", list.Items[i].Detail)
	help := into[signatureHelp](t, c.call("textDocument/signatureHelp", c.place(untitled, text, ", K|")))
	require.True(t, strings.HasPrefix(help.Signatures[0].Label, "SET key value"))
	require.Equal(t, 0, help.ActiveParameter)
	require.Equal(t, "key", help.Signatures[0].Parameters[0].Label)
	require.Equal(t, "null", string(c.call("textDocument/signatureHelp", c.place(untitled, text, "local y|"))))
}

func TestSignatureWithOffsets(t *testing.T) {
	c := start(t, object{"textDocument": object{"signatureHelp": object{"signatureInformation": object{
		"documentationFormat": []string{"plaintext"}, "parameterInformation": object{"labelOffsetSupport": true}}}}})
	text := "redis.call('DEL', KEYS[1], "
	c.open(untitled, text)
	help := into[signatureHelp](t, c.call("textDocument/signatureHelp", c.place(untitled, text, "[1], |")))
	require.Equal(t, []any{4.0, 17.0}, help.Signatures[0].Parameters[0].Label)
	require.Equal(t, "DEL key [key ...]", help.Signatures[0].Label)
	require.Equal(t, "plaintext", help.Signatures[0].Documentation.Kind)
}

// edited makes edits of a text.
func edited(text string, edits []textEdit) string {
	x := newIndex(text, false)
	slices.SortFunc(edits, func(a, b textEdit) int { return x.offset(b.Range.Start) - x.offset(a.Range.Start) })
	for _, e := range edits {
		text = text[:x.offset(e.Range.Start)] + e.NewText + text[x.offset(e.Range.End):]
	}
	return text
}

func TestRenameInADialogue(t *testing.T) {
	c := start(t, object{})
	text := "local s = '😀' local n = 1 return n, s\n"
	c.open(untitled, text)
	require.Equal(t, "0:21-0:22", show(into[span](t, c.call("textDocument/prepareRename", c.place(untitled, text, "local |n")))))
	edit := into[workspaceEdit](t, c.call("textDocument/rename", c.place(untitled, text, "return |n", "newName", "count")))
	require.Equal(t, "local s = '😀' local count = 1 return count, s\n", edited(text, edit.Changes[untitled]))
	code, message := c.fail("textDocument/rename", c.place(untitled, text, "return |n", "newName", "s"))
	require.Equal(t, codeRequestFailed, code)
	require.Equal(t, "line 1: s would mean another variable", message)
	_, message = c.fail("textDocument/prepareRename", c.place(untitled, text, "ret|urn"))
	require.Equal(t, "only local variables and parameters can be renamed", message)
}

func TestEditsNameTheVersion(t *testing.T) {
	c := start(t, object{"workspace": object{"workspaceEdit": object{"documentChanges": true}}})
	text := "local n = 1 return n"
	c.open(untitled, text)
	edit := into[workspaceEdit](t, c.call("textDocument/rename", c.place(untitled, text, "return |n", "newName", "m")))
	require.Equal(t, 1, *edit.DocumentChanges[0].TextDocument.Version)
	require.Len(t, edit.DocumentChanges[0].Edits, 2)
}

func TestFormatting(t *testing.T) {
	c := start(t, object{})
	for text, want := range map[string]string{
		"x=1\ny = 2\nz=3":               "x = 1\ny = 2\nz = 3\n",
		"x = 1\r\n\r\n\r\ny=2 -- 😀\r\n": "x = 1\r\n\r\ny = 2 -- 😀\r\n",
		"a = 1\rb=2\r":                  "a = 1\nb = 2\n",
		"x = 1\n":                       "x = 1\n",
		"return +":                      "return +",
	} {
		c.open(untitled, text)
		edits := into[[]textEdit](t, c.call("textDocument/formatting", object{"textDocument": object{"uri": untitled},
			"options": object{"tabSize": 8}}))
		require.Equal(t, want, edited(text, edits))
		if text == want {
			require.Empty(t, edits)
		}
	}
}

func TestFormattingIndents(t *testing.T) {
	const text = "do f() end\n"
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".editorconfig"), []byte("root = true\n[tab.lua]\nindent_style = tab\n"+
		"[three.lua]\nindent_style = space\nindent_size = 3\n[bad.lua]\nindent_size = x\n"), 0o644))
	for _, c := range []struct {
		name   string
		indent string // the flag
		client object
		want   string
	}{
		{"free.lua", "", object{"tabSize": 4, "insertSpaces": true}, "    "},
		{"free.lua", "", object{"tabSize": 4, "insertSpaces": false}, "\t"},
		{"free.lua", "", object{}, "  "},
		{"free.lua", "", object{"tabSize": 4}, "  "},
		{"free.lua", "", object{"tabSize": 99, "insertSpaces": true}, "  "},
		{"free.lua", "5", object{"tabSize": 4, "insertSpaces": true}, "     "},
		{"tab.lua", "", object{"tabSize": 4, "insertSpaces": true}, "\t"},
		{"three.lua", "", object{"tabSize": 4, "insertSpaces": false}, "   "},
		{"three.lua", "tab", object{"tabSize": 4, "insertSpaces": true}, "\t"},
		{"", "", object{"tabSize": 4, "insertSpaces": true}, "    "},
		{"", "5", object{"tabSize": 4, "insertSpaces": true}, "     "},
	} {
		o := Options{}
		if c.indent != "" {
			require.NoError(t, o.Indent.UnmarshalText([]byte(c.indent)))
		}
		client := startWith(t, object{}, o)
		uri := untitled
		if c.name != "" {
			uri = uriOf(filepath.Join(dir, c.name))
		}
		client.open(uri, text)
		edits := into[[]textEdit](t, client.call("textDocument/formatting", object{"textDocument": object{"uri": uri}, "options": c.client}))
		require.Equal(t, "do\n"+c.want+"f()\nend\n", edited(text, edits), "%+v", c)
	}
}

// The text in the editor counts, also of .editorconfig. A wrong one is reported, and nothing is
// formatted.
func TestFormattingReadsTheOpenEditorconfig(t *testing.T) {
	c := start(t, object{})
	dir := t.TempDir()
	config, uri := uriOf(filepath.Join(dir, ".editorconfig")), uriOf(filepath.Join(dir, "a.lua"))
	c.open(uri, "do f() end\n")
	c.open(config, "root = true\n[*]\nindent_size = 30\n")
	ask := func() []textEdit {
		return into[[]textEdit](t, c.call("textDocument/formatting", object{"textDocument": object{"uri": uri},
			"options": object{"tabSize": 4, "insertSpaces": true}}))
	}
	require.Empty(t, ask())
	require.Contains(t, string(c.note("window/showMessage")), "indent_size = 30: must be from 1 to 16")
	c.change(config, 2, object{"text": "root = true\n[*]\nindent_size = 3\n"})
	require.Equal(t, "do\n   f()\nend\n", edited("do f() end\n", ask()))
}

func TestCodeActions(t *testing.T) {
	c := start(t, object{})
	text := "local v = redis.call('GET', KEYS[1])\nif v == nil then return 0 end\nreturn v\n"
	c.open(untitled, text)
	ask := func(line int, only ...string) map[string]codeAction {
		found := map[string]codeAction{}
		at := object{"start": position{line, 0}, "end": position{line, 30}}
		for _, a := range into[[]codeAction](t, c.call("textDocument/codeAction", object{
			"textDocument": object{"uri": untitled}, "range": at, "context": object{"diagnostics": []any{}, "only": only}})) {
			found[a.Title] = a
		}
		return found
	}
	actions := ask(1)
	require.Len(t, actions, 3)
	for title, want := range map[string]string{
		"Disable false-compared-with-nil for this line": strings.Replace(text, "if v",
			"-- redmoon:disable-next-line false-compared-with-nil\nif v", 1),
		"Disable false-compared-with-nil in this file": "-- redmoon:disable-file false-compared-with-nil\n" + text,
	} {
		require.Equal(t, want, edited(text, actions[title].Edit.Changes[untitled]))
		delete(actions, title)
	}
	for _, fix := range actions {
		require.True(t, fix.IsPreferred)
		require.Equal(t, "false-compared-with-nil", fix.Diagnostics[0].Code)
		require.Equal(t, strings.Replace(text, "nil", "false", 1), edited(text, fix.Edit.Changes[untitled]))
	}
	require.Empty(t, ask(2))
	require.Empty(t, ask(1, "refactor"))
	require.Empty(t, ask(1, "source.fixAll"), "nothing is repaired when a file is saved")
}

func TestOutlineAndFolding(t *testing.T) {
	text := "local function f(a)\n  return function()\n    return a\n  end\nend\n-- a\n-- b\nreturn f\n"
	c := start(t, object{"textDocument": object{"documentSymbol": object{"hierarchicalDocumentSymbolSupport": true}}})
	c.open(untitled, text)
	tree := into[[]documentSymbol](t, c.call("textDocument/documentSymbol", object{"textDocument": object{"uri": untitled}}))
	require.Equal(t, "f", tree[0].Name)
	require.Equal(t, "0:0-4:3", show(tree[0].Range))
	folds := into[[]foldingRange](t, c.call("textDocument/foldingRange", object{"textDocument": object{"uri": untitled}}))
	require.Equal(t, []foldingRange{{1, 2, ""}, {0, 3, ""}, {5, 6, "comment"}}, folds)

	c = start(t, object{})
	c.open(untitled, text)
	flat := into[[]symbolInformation](t, c.call("textDocument/documentSymbol", object{"textDocument": object{"uri": untitled}}))
	require.Equal(t, untitled, flat[0].Location.URI)
}

// The client registers for changes of files if it can.
func TestWatching(t *testing.T) {
	c := start(t, object{"workspace": object{"didChangeWatchedFiles": object{"dynamicRegistration": true}}})
	for len(c.notes) == 0 {
		m, err := c.read()
		require.NoError(t, err)
		c.sort(m)
	}
	require.Equal(t, "client/registerCapability", c.notes[0].Method)
	c.send(object{"jsonrpc": "2.0", "id": c.notes[0].ID, "result": nil})
	c.call("shutdown", nil)
}

// A program has findings, hovers, completions and definitions in its scripts.
func TestScriptsInStrings(t *testing.T) {
	c := start(t, object{})
	uri := file(t, t.TempDir(), "limiter.rb", "")
	text := "# ä\nTAKE = <<~'LUA'\n  local v = redis.call('GET', KEYS[1])\n" +
		"  if v == nil then return re end\n  return v\nLUA\nputs TAKE, v\n"
	c.open(uri, text)
	require.Equal(t, "false-compared-with-nil 3:5-3:13, undeclared-global 3:26-3:28", c.diagnostics(uri, 1))
	h := into[hover](t, c.call("textDocument/hover", c.place(uri, text, "'G|ET'")))
	require.Contains(t, h.Contents.Value, "GET key")
	require.Equal(t, "2:23-2:28", show(h.Range))
	at := into[location](t, c.call("textDocument/definition", c.place(uri, text, "return v|\n")))
	require.Equal(t, "2:8-2:9", show(at.Range))
	list := into[completionList](t, c.call("textDocument/completion", c.place(uri, text, "return re| end")))
	require.True(t, slices.ContainsFunc(list.Items, func(i completionItem) bool { return i.Label == "redis" }))
	require.Equal(t, "3:26-3:28", show(list.Items[0].TextEdit.Range))
	require.Equal(t, "null", string(c.call("textDocument/hover", c.place(uri, text, "puts TA|KE"))))
	require.Equal(t, "[]", string(c.call("textDocument/formatting", object{"textDocument": object{"uri": uri}, "options": object{}})))
	c.notify("textDocument/didSave", object{"textDocument": object{"uri": uri}})
	require.Contains(t, c.diagnostics(uri, 1), "undeclared-global")
}
