package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/reply"
	"github.com/redmoon-lua/redmoon/resp"
)

// Peer is a connected client, as a [Cmd] or [Hook] sees it. What is written to it is sent when the
// handler returns, or by Flush.
type Peer struct {
	// Resp3 says that the client has sent HELLO 3. Setting it changes how this peer writes, until the
	// next command.
	Resp3 bool
	// SwitchResp3 is not used: the protocol of a connection is the engine's.
	SwitchResp3 *bool
	// Ctx is the handler's own.
	Ctx any
	// ClientName is not set by CLIENT SETNAME, which the engine runs: CLIENT GETNAME has the name.
	ClientName string

	exchange      *resp.Exchange // of the command that runs; nil: none
	authenticated bool           // the client has authenticated

	mu           sync.Mutex // protects what follows
	w            *bufio.Writer
	closed       bool
	onDisconnect []func()
}

// NewPeer returns a peer that is not connected: what is written to it goes to w.
func NewPeer(w *bufio.Writer) *Peer { return &Peer{w: w} }

func newPeer(w io.Writer) *Peer { return NewPeer(bufio.NewWriter(w)) }

// Flush sends what has been written.
func (c *Peer) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.w.Flush() // the connection ends by itself
}

// Close ends the connection when the command has ended.
func (c *Peer) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// Closed reports whether the connection has ended or Close was called.
func (c *Peer) Closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// OnDisconnect adds a function that is called when the connection has ended.
func (c *Peer) OnDisconnect(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onDisconnect = append(c.onDisconnect, f)
}

func (c *Peer) disconnected() {
	c.Close()
	c.mu.Lock()
	list := c.onDisconnect
	c.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// Forward lets the engine run a command for the client and writes its reply. If the reply is the
// error unless, Forward writes nothing and returns true.
func (c *Peer) Forward(args []string, unless string) (refused bool) {
	v := c.run(args)
	if v.IsError() && v.Err().Error() == unless {
		return true
	}
	c.write(v)
	return false
}

// run lets the engine run a command for the client.
func (c *Peer) run(args []string) reply.Value {
	if c.exchange == nil {
		return reply.Err("ERR this client is not running a command")
	}
	v, err := c.exchange.Do(args...)
	if err != nil {
		return reply.Err("ERR " + err.Error())
	}
	c.Resp3 = c.exchange.Proto == 3
	return v
}

// write writes a reply of the engine.
func (c *Peer) write(v reply.Value) {
	proto := 2
	if c.Resp3 {
		proto = 3
	}
	c.WriteRaw(string(resp.Append(nil, v, proto)))
}

// authorized reports whether the client may run a command while clients must authenticate. If not,
// it has answered the command. It has also answered the commands that authenticate.
func (c *Peer) authorized(name string, args []string) bool {
	switch name {
	case "AUTH", "HELLO":
		v := c.run(args)
		c.authenticated = c.authenticated || !v.IsError() && (name == "AUTH" || hasWord(args, "AUTH"))
		c.write(v)
		return false
	case "QUIT", "RESET":
		return true
	}
	if !c.authenticated {
		c.WriteError("NOAUTH Authentication required.")
	}
	return c.authenticated
}

func hasWord(args []string, word string) bool {
	return slices.ContainsFunc(args[1:], func(arg string) bool { return strings.EqualFold(arg, word) })
}

// Block calls f while nothing else can write to the client.
func (c *Peer) Block(f func(*Writer)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&Writer{w: c.w, resp3: c.Resp3})
}

// WriteError writes an error. A line break in it becomes a space.
func (c *Peer) WriteError(e string) { c.Block(func(w *Writer) { w.WriteError(e) }) }

// WriteInline writes a simple string. A line break in it becomes a space.
func (c *Peer) WriteInline(s string) { c.Block(func(w *Writer) { w.WriteInline(s) }) }

// WriteOK writes the simple string OK.
func (c *Peer) WriteOK() { c.WriteInline("OK") }

// WriteBulk writes a bulk string.
func (c *Peer) WriteBulk(s string) { c.Block(func(w *Writer) { w.WriteBulk(s) }) }

// WriteNull writes a null.
func (c *Peer) WriteNull() { c.Block(func(w *Writer) { w.WriteNull() }) }

// WriteLen begins an array of n elements, which must be written next.
func (c *Peer) WriteLen(n int) { c.Block(func(w *Writer) { w.WriteLen(n) }) }

// WriteMapLen begins a map of n pairs; in RESP2 an array of 2n elements.
func (c *Peer) WriteMapLen(n int) { c.Block(func(w *Writer) { w.WriteMapLen(n) }) }

// WriteSetLen begins a set of n elements; in RESP2 an array.
func (c *Peer) WriteSetLen(n int) { c.Block(func(w *Writer) { w.WriteSetLen(n) }) }

// WritePushLen begins a push of n elements; in RESP2 an array.
func (c *Peer) WritePushLen(n int) { c.Block(func(w *Writer) { w.WritePushLen(n) }) }

// WriteInt writes an integer.
func (c *Peer) WriteInt(n int) { c.Block(func(w *Writer) { w.WriteInt(n) }) }

// WriteFloat writes a float; in RESP2 a bulk string.
func (c *Peer) WriteFloat(n float64) { c.Block(func(w *Writer) { w.WriteFloat(n) }) }

// WriteRaw writes bytes as they are.
func (c *Peer) WriteRaw(s string) { c.Block(func(w *Writer) { w.WriteRaw(s) }) }

// WriteStrings writes an array of bulk strings.
func (c *Peer) WriteStrings(strs []string) { c.Block(func(w *Writer) { w.WriteStrings(strs) }) }

// Writer writes to a client inside [Peer.Block].
type Writer struct {
	w     *bufio.Writer
	resp3 bool
}

// Flush sends what has been written.
func (w *Writer) Flush() { _ = w.w.Flush() }

// line writes a type, a text without line breaks, and the end of the line.
func (w *Writer) line(kind byte, text string) {
	text = strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	w.WriteRaw(string(kind) + text + "\r\n")
}

// header writes the head of an aggregate: kind in RESP3, an array in RESP2.
func (w *Writer) header(kind byte, n, times int) {
	if w.resp3 {
		w.line(kind, strconv.Itoa(n))
		return
	}
	w.line('*', strconv.Itoa(n*times))
}

// WriteError is [Peer.WriteError].
func (w *Writer) WriteError(e string) { w.line('-', e) }

// WriteInline is [Peer.WriteInline].
func (w *Writer) WriteInline(s string) { w.line('+', s) }

// WriteBulk is [Peer.WriteBulk].
func (w *Writer) WriteBulk(s string) { w.WriteRaw("$" + strconv.Itoa(len(s)) + "\r\n" + s + "\r\n") }

// WriteNull is [Peer.WriteNull].
func (w *Writer) WriteNull() {
	if w.resp3 {
		w.line('_', "")
		return
	}
	w.line('$', "-1")
}

// WriteLen is [Peer.WriteLen].
func (w *Writer) WriteLen(n int) { w.line('*', strconv.Itoa(n)) }

// WriteMapLen is [Peer.WriteMapLen].
func (w *Writer) WriteMapLen(n int) { w.header('%', n, 2) }

// WriteSetLen is [Peer.WriteSetLen].
func (w *Writer) WriteSetLen(n int) { w.header('~', n, 1) }

// WritePushLen is [Peer.WritePushLen].
func (w *Writer) WritePushLen(n int) { w.header('>', n, 1) }

// WriteInt is [Peer.WriteInt].
func (w *Writer) WriteInt(n int) { w.line(':', strconv.Itoa(n)) }

// WriteFloat is [Peer.WriteFloat].
func (w *Writer) WriteFloat(n float64) {
	proto := 2
	if w.resp3 {
		proto = 3
	}
	w.WriteRaw(string(resp.Append(nil, reply.Double(n), proto)))
}

// WriteRaw is [Peer.WriteRaw].
func (w *Writer) WriteRaw(s string) { _, _ = w.w.WriteString(s) } // Flush has the error too

// WriteStrings is [Peer.WriteStrings].
func (w *Writer) WriteStrings(strs []string) {
	w.WriteLen(len(strs))
	for _, s := range strs {
		w.WriteBulk(s)
	}
}

// errNoReply is the answer of a hook that has claimed a command of a script without an error.
var errNoReply = errors.New("ERR a hook can only refuse the commands of scripts")

// RefuseScripted shows a command that a script calls to the hook. It returns the error that the
// hook has written, or "". Package minicompat calls it.
func (s *Server) RefuseScripted(args []string) string {
	hook := s.preHook()
	if hook == nil {
		return ""
	}
	var out bytes.Buffer
	p := newPeer(&out)
	if !hook(p, strings.ToUpper(args[0]), args[1:]...) {
		return ""
	}
	p.Flush()
	if v, err := resp.NewDecoder(&out).Decode(); err == nil && v.IsError() {
		return v.Err().Error()
	}
	return errNoReply.Error()
}
