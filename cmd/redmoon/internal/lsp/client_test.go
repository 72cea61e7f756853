package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// client is an editor at the other end of two pipes.
type client struct {
	t     *testing.T
	in    io.WriteCloser // to the server
	id    int
	ended chan outcome

	arrived chan message  // what the server has sent; it never waits for the client
	notes   []message     // notifications that were read and not asked for yet
	over    chan struct{} // closed when the test ends
	replies map[int]message
	utf8    bool
}

// outcome is what Serve returned.
type outcome struct {
	clean bool
	err   error
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// connect starts a server and a client that has not said anything yet.
func connect(t *testing.T) *client { return connectTo(t, Options{}) }

func connectTo(t *testing.T, o Options) *client {
	o.Version, o.Logger = "test", slog.New(slog.DiscardHandler)
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, in: in, arrived: make(chan message), over: make(chan struct{}), ended: make(chan outcome, 1),
		replies: map[int]message{}}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		clean, err := Serve(ctx, toServer, out, o)
		_ = out.Close()
		c.ended <- outcome{clean, err}
	}()
	go c.pump(bufio.NewReader(fromServer))
	t.Cleanup(func() {
		close(c.over)
		cancel()
		_ = in.Close()
		_ = fromServer.Close()
		<-c.ended
	})
	return c
}

// start connects a client and says initialize with some capabilities.
func start(t *testing.T, capabilities object) *client { return startWith(t, capabilities, Options{}) }

func startWith(t *testing.T, capabilities object, o Options) *client {
	c := connectTo(t, o)
	c.call("initialize", object{"processId": nil, "rootUri": nil, "capabilities": capabilities})
	c.notify("initialized", object{})
	return c
}

func (c *client) raw(text string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, text)
	require.NoError(c.t, err)
}

func (c *client) send(v any) {
	c.t.Helper()
	b, err := json.Marshal(v)
	require.NoError(c.t, err)
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(b), b))
}

// notify sends a notification.
func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and returns its id.
func (c *client) ask(method string, params any) int {
	c.t.Helper()
	c.id++
	c.send(object{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	return c.id
}

// pump reads messages as they come, and keeps them for the client.
func (c *client) pump(r *bufio.Reader) {
	incoming := make(chan message)
	go func() {
		defer close(incoming)
		for {
			raw, err := format.Read(r)
			if err != nil {
				return
			}
			var m message
			if err := json.Unmarshal(raw, &m); err != nil {
				c.t.Errorf("%v: %s", err, raw)
			}
			select {
			case incoming <- m:
			case <-c.over:
				return
			}
		}
	}()
	defer close(c.arrived)
	var kept []message
	for incoming != nil || len(kept) > 0 {
		var out chan message
		var first message
		if len(kept) > 0 {
			out, first = c.arrived, kept[0]
		}
		select {
		case m, ok := <-incoming:
			if !ok {
				incoming = nil
				continue
			}
			kept = append(kept, m)
		case out <- first:
			kept = kept[1:]
		case <-c.over:
			return
		}
	}
}

// read returns the next message.
func (c *client) read() (message, error) {
	m, ok := <-c.arrived
	if !ok {
		return m, io.EOF
	}
	return m, nil
}

// answer waits for the reply to a request.
func (c *client) answer(id int) message {
	c.t.Helper()
	for {
		if m, ok := c.replies[id]; ok {
			delete(c.replies, id)
			return m
		}
		m, err := c.read()
		require.NoError(c.t, err)
		c.sort(m)
	}
}

// sort keeps a message for later.
func (c *client) sort(m message) {
	var id int
	switch {
	case m.Method != "":
		c.notes = append(c.notes, m)
	case json.Unmarshal(m.ID, &id) == nil:
		c.replies[id] = m
	}
}

// call sends a request that must succeed, and returns the result.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	m := c.answer(c.ask(method, params))
	require.Nil(c.t, m.Error, "%s: %+v", method, m.Error)
	return m.Result
}

// fail sends a request that must fail, and returns the code and the message.
func (c *client) fail(method string, params any) (int, string) {
	c.t.Helper()
	m := c.answer(c.ask(method, params))
	require.NotNil(c.t, m.Error, "%s: %s", method, m.Result)
	return m.Error.Code, m.Error.Message
}

// note waits for a notification.
func (c *client) note(method string) json.RawMessage {
	c.t.Helper()
	for {
		for i, m := range c.notes {
			if m.Method == method {
				c.notes = append(c.notes[:i:i], c.notes[i+1:]...)
				return m.Params
			}
		}
		m, err := c.read()
		require.NoError(c.t, err)
		c.sort(m)
	}
}

// diagnostics waits for the findings of a version of a document, as rule and range.
func (c *client) diagnostics(uri string, version int) string {
	c.t.Helper()
	for {
		var p publishParams
		require.NoError(c.t, json.Unmarshal(c.note("textDocument/publishDiagnostics"), &p))
		if p.URI != uri || p.Version != version {
			continue
		}
		var list []string
		for _, d := range p.Diagnostics {
			list = append(list, fmt.Sprintf("%s %s", d.Code, show(d.Range)))
		}
		return strings.Join(list, ", ")
	}
}

// show returns a range as line:character-line:character.
func show(s span) string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Start.Line, s.Start.Character, s.End.Line, s.End.Character)
}

// file writes a file and returns its URI.
func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return uriOf(path)
}

// open opens a document in version 1.
func (c *client) open(uri, text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "lua", "version": 1, "text": text}})
}

// change sends changes that lead to a version.
func (c *client) change(uri string, version int, changes ...any) {
	c.t.Helper()
	c.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": version}, "contentChanges": changes})
}

// place returns the parameters of a request about the n-th occurrence of a part of a text, with
// further ones.
func (c *client) place(uri, text, part string, further ...any) object {
	c.t.Helper()
	before, after, _ := strings.Cut(part, "|")
	at := strings.Index(text, before+after)
	require.GreaterOrEqual(c.t, at, 0, part)
	p := object{"textDocument": object{"uri": uri}, "position": newIndex(text, c.utf8).position(at + len(before))}
	for i := 0; i < len(further); i += 2 {
		p[further[i].(string)] = further[i+1]
	}
	return p
}

func into[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(raw, &v), string(raw))
	return v
}
