package lsp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// alive requires that the server still answers.
func (c *client) alive() {
	c.t.Helper()
	c.open(untitled, "return tonumber(1)")
	h := into[hover](c.t, c.call("textDocument/hover", object{"textDocument": object{"uri": untitled}, "position": position{0, 8}}))
	require.Contains(c.t, h.Contents.Value, "tonumber(value, base)")
}

func TestMessagesThatAreNone(t *testing.T) {
	c := start(t, object{})
	for _, body := range []string{"", "{", "null", "[]", "[1]", "1", `"x"`, "{}", `{"jsonrpc":"2.0"}`, `{"id":1}`,
		`{"method":1,"id":5}`, `{"method":"x","id":1.5}`,
		`{"method":"x","id":{}}`, `{"id":1,"method":"x","result":1}`, "\xff\xfe", `[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`} {
		c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
		m, err := c.read()
		require.NoError(t, err)
		require.NotNil(t, m.Error, body)
		require.Contains(t, []int{-32700, -32600}, m.Error.Code)
	}
	c.raw("Content-Type: x\r\ncontent-length:  2 \r\nX-Other: y\r\n\r\n{}")
	_, err := c.read()
	require.NoError(t, err)
	c.alive()
}

// All places in a long line are found without counting its characters for each of them.
func TestReferencesInALongLine(t *testing.T) {
	c := start(t, object{})
	const uses = 100_000
	c.open(untitled, "local x = '😀' "+strings.Repeat("x = x ", uses/2))
	list := into[[]location](t, c.call("textDocument/references", object{"textDocument": object{"uri": untitled},
		"position": position{0, 6}, "context": object{}}))
	require.Len(t, list, uses)
	require.Equal(t, position{0, 15 + 3*2*uses/2 - 2}, list[uses-1].Range.Start)
	c.alive()
}

func TestWrongFramingEndsTheServer(t *testing.T) {
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", "Content-Length: x\r\n\r\n", "\r\n",
		"Content-Length: 999999999\r\n\r\n", "Content-Length: -1\r\n\r\n",
		strings.Repeat("X: y\r\n", 5000), strings.Repeat("x", 10000)} {
		c := start(t, object{})
		go func() { _, _ = c.in.Write([]byte(text)) }()
		got := <-c.ended
		c.ended <- got
		require.False(t, got.clean)
		require.ErrorIs(t, got.err, errFraming, text)
	}
}

// Parameters of all kinds give an answer, never the end.
func TestWrongParameters(t *testing.T) {
	c := start(t, object{})
	values := []any{nil, 1, "x", []any{}, object{}, object{"textDocument": 1}, object{"textDocument": object{"uri": 1}},
		object{"textDocument": object{"uri": untitled}}, object{"textDocument": object{"uri": untitled}, "position": "x"},
		object{"textDocument": object{"uri": untitled}, "position": object{"line": -1, "character": 1 << 40}, "range": 1},
		object{"textDocument": object{"uri": untitled, "version": "x", "text": 1}, "contentChanges": 7},
		object{"textDocument": object{"uri": untitled}, "contentChanges": []any{nil, object{"range": object{"start": position{5,
			5}, "end": position{0, 0}}}}},
		object{"textDocument": object{"uri": "file:///no\x00where/%zz"}}, object{"textDocument": object{"uri": "://"},
			"contentChanges": []any{}}}
	c.open(untitled, "return 1")
	for method := range requests {
		for _, v := range values {
			c.answer(c.ask(method, v))
		}
	}
	for _, method := range []string{"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
		"textDocument/didSave", "$/cancelRequest",
		"workspace/didChangeWatchedFiles", "initialized", "nosuch", "$/nosuch"} {
		for _, v := range values {
			c.notify(method, v)
		}
	}
	c.alive()
}

// Every request gets an answer, however many come at the same time.
func TestManyRequests(t *testing.T) {
	c := start(t, object{})
	c.open(untitled, "return tonumber(1)")
	var ids []int
	for range 1000 {
		ids = append(ids, c.ask("textDocument/hover", object{"textDocument": object{"uri": untitled}, "position": position{0, 8}}))
	}
	for _, id := range ids {
		require.Nil(t, c.answer(id).Error)
	}
	c.alive()
}

func TestCancellation(t *testing.T) {
	c := start(t, object{})
	c.open(untitled, strings.Repeat("local x = f(1, 2, 3)\n", 2000))
	var ids []int
	for range 60 {
		id := c.ask("textDocument/documentSymbol", object{"textDocument": object{"uri": untitled}})
		ids = append(ids, id)
		c.notify("$/cancelRequest", object{"id": id})
	}
	for _, id := range ids {
		if m := c.answer(id); m.Error != nil {
			require.Equal(t, codeRequestCancelled, m.Error.Code)
		}
	}
	c.notify("$/cancelRequest", object{"id": 1 << 40})
	c.notify("$/cancelRequest", object{"id": "x"})
	c.alive()
}

// bigScript is a script of about a megabyte.
func bigScript() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "local function f%d(a, b)\n  if a then\n    return redis.call('HGET', KEYS[1], a .. b) -- 😀\n  end\nend\n", i)
		if i%150 == 149 {
			b.WriteString("do end\n")
		}
	}
	return "local f = {}\n" + strings.ReplaceAll(b.String(), "local function f", "function f.f")
}

func TestABigDocument(t *testing.T) {
	tier.Landing(t)
	c := start(t, object{})
	text := bigScript()
	c.open(untitled, text)
	part := "redis.call('HG|ET'"
	require.Contains(t, into[hover](t, c.call("textDocument/hover", c.place(untitled, text, part))).Contents.Value, "HGET key field")
	for version := 2; version < 12; version++ { // typing, with an unfinished call at the beginning
		c.change(untitled, version, object{"range": span{position{1, 0}, position{1, 0}}, "text": "redis.call('"})
		list := into[completionList](t, c.call("textDocument/completion", object{"textDocument": object{"uri": untitled},
			"position": position{1, 12}}))
		require.Greater(t, len(list.Items), 100)
		c.change(untitled, version, object{"range": span{position{1, 0}, position{1, 12}}, "text": ""})
	}
	require.Greater(t, len(into[[]foldingRange](t, c.call("textDocument/foldingRange",
		object{"textDocument": object{"uri": untitled}}))), 10000)
	c.alive()
}

// A long text, and texts that nest deeply, exhaust nothing.
func TestTextsThatAreTooMuch(t *testing.T) {
	c := start(t, object{})
	for i, text := range []string{strings.Repeat("x", maxText+1), strings.Repeat("(", 200_000), strings.Repeat("{", 100_000) + "'",
		strings.Repeat("if a then ", 20_000),
		strings.Repeat("'\n", 100_000), strings.Repeat("a.", 100_000), "return " + strings.Repeat("-", 99_999),
		strings.Repeat("end ", 50_000),
		strings.Repeat("function ", 30_000), strings.Repeat("--[[", 50_000), strings.Repeat("local a = {\n", 10_000)} {
		uri := fmt.Sprintf("untitled:%d", i)
		c.open(uri, text)
		p := object{"textDocument": object{"uri": uri}, "position": position{0, 5}, "newName": "b", "range": span{}, "context": object{}}
		for method := range requests {
			c.answer(c.ask(method, p))
		}
		c.notify("textDocument/didClose", object{"textDocument": object{"uri": uri}})
	}
	c.alive()
}

// A client that does anything in any order keeps the server alive.
func TestRandomClients(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	c := start(t, object{})
	text := "local call = redis.call\nreturn call('SET', KEYS[1], ARGV[1], 'EX', 10)\n"
	var methods []string
	for method := range requests {
		methods = append(methods, method)
	}
	version := 1
	waiting := []int{}
	for range 1500 {
		switch rng.IntN(8) {
		case 0:
			c.open(untitled, text)
		case 1:
			c.notify("textDocument/didClose", object{"textDocument": object{"uri": untitled}})
		case 2:
			c.notify("textDocument/didSave", object{"textDocument": object{"uri": untitled}})
		case 3, 4:
			var edit change
			edit, text = randomEdit(rng, text, false)
			version++
			c.change(untitled, version, edit)
		case 5:
			c.notify("$/cancelRequest", object{"id": c.id - rng.IntN(5)})
		default:
			waiting = append(waiting, c.ask(methods[rng.IntN(len(methods))], object{"textDocument": object{"uri": untitled},
				"position": position{rng.IntN(5), rng.IntN(40)}, "newName": "n", "range": span{End: position{9, 9}},
				"context": object{}}))
		}
		if len(text) > 4000 {
			text = "return 1"
			c.open(untitled, text)
		}
		if len(waiting) > 40 {
			for _, id := range waiting {
				c.answer(id)
			}
			waiting = nil
		}
	}
	for _, id := range waiting {
		m := c.answer(id)
		if m.Error != nil {
			require.NotEqual(t, -32603, m.Error.Code, m.Error.Message)
		}
	}
	c.alive()
}
