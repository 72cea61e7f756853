package replay

// The connections of a recording as sessions of the engine, and the output of each.

import (
	"context"
	"strconv"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/recording/dialogue"
	"github.com/redmoon-lua/redmoon/resp"
)

// engineConns are the sessions of an engine. One goroutine uses them; the engine's own goroutine
// only appends to outputs.
type engineConns struct {
	engine *engine.Engine
	admin  *engine.Session

	pushed []*engineConn // those with pushes that have not been taken

	mu          sync.Mutex
	withOutput  []*engineConn // those with output that has not been taken
	outputBytes int64         // bytes of output of all connections
}

// engineConn is a session that plays a recorded connection.
type engineConn struct {
	conns      *engineConns
	owner      *client
	session    *engine.Session
	id         int64 // as CLIENT ID says
	call       *enginedoor.Call
	batch      enginedoor.Batch
	unanswered bool // the engine still has the call
	inbox

	output     []byte // in RESP, from Receive; under engineConns.mu
	ended      bool   // the command has ended; under engineConns.mu
	queued     bool   // it is in engineConns.withOutput; under engineConns.mu
	overflowed bool   // there was too much output, and it was dropped; under engineConns.mu
}

// inbox cuts what a server sends into replies and pushes.
type inbox struct {
	dialogue *dialogue.Dialogue
	asked    int64  // commands sent
	reply    []byte // to the last command, as far as it has come
	complete bool   // the reply is complete
	pushed   []string
	partial  []byte // of a push
	closed   bool   // the server has ended the connection
}

func (b *inbox) open() { b.dialogue = dialogue.New(b, dialogue.Options{Secrets: true}) }

// ask notes a command that is sent, and returns its bytes.
func (b *inbox) ask(args []string) []byte {
	raw := resp.AppendCommand(nil, args...)
	b.asked++
	b.reply, b.complete = nil, false
	b.dialogue.Client(raw)
	return raw
}

// The methods of dialogue.Sink.

func (b *inbox) Request(int64, []recording.Arg, bool) {}

func (b *inbox) Reply(n int64, raw []byte, more bool, _ *recording.Cut) {
	if n != b.asked {
		return // of a command that was given up
	}
	b.reply = append(b.reply, raw...)
	b.complete = !more
}

func (b *inbox) HiddenReply(int64) {}
func (b *inbox) Silent(int64)      {}
func (b *inbox) Unparsed(string)   { b.closed = true }

func (b *inbox) Push(raw []byte, more bool) {
	if b.partial = append(b.partial, raw...); !more {
		b.pushed = append(b.pushed, string(b.partial))
		b.partial = nil
	}
}

func newEngineConns(e *engine.Engine) (*engineConns, error) {
	admin, err := e.NewSession()
	return &engineConns{engine: e, admin: admin}, err
}

// open opens a session for a recorded connection.
func (p *engineConns) open(owner *client) (*engineConn, error) {
	c := &engineConn{conns: p, owner: owner}
	c.inbox.open()
	var err error
	c.session, err = enginedoor.Of(p.engine).OpenSession(enginedoor.SessionInfo{
		Addr: owner.addr, LAddr: "127.0.0.1:6379",
		Receive: func(v engine.Value, proto int, _ int64) int64 {
			p.mu.Lock()
			defer p.mu.Unlock()
			c.receive(v, proto)
			p.queueOutput(c)
			return 0
		},
		Kill: func() {},
	})
	if err != nil {
		return nil, err
	}
	c.call = enginedoor.Of(c.session).NewCall(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		c.ended = true
		p.queueOutput(c)
	})
	c.call.Batch = &c.batch
	c.run("CLIENT", "ID")
	if c.complete && len(c.reply) > 3 {
		c.id, _ = strconv.ParseInt(string(c.reply[1:len(c.reply)-2]), 10, 64)
	}
	return c, nil
}

// receive takes a message. The caller holds engineConns.mu.
func (c *engineConn) receive(v engine.Value, proto int) {
	if c.overflowed {
		return
	}
	before := len(c.output)
	c.output = resp.Append(c.output, v, proto)
	c.conns.outputBytes += int64(len(c.output) - before)
	if c.conns.outputBytes > maxHeldBytes { // one script can publish without end
		c.conns.outputBytes -= int64(len(c.output))
		c.output, c.overflowed = nil, true
	}
}

// queueOutput notes that a connection has output. The caller holds mu.
func (p *engineConns) queueOutput(c *engineConn) {
	if !c.queued {
		c.queued = true
		p.withOutput = append(p.withOutput, c)
	}
}

// run runs a command. It returns when the command has been answered or waits. If the last command
// still waits, which no server would allow, the connection ends.
func (c *engineConn) run(args ...string) {
	if c.unanswered {
		c.reply, c.closed = nil, true
		return
	}
	c.ask(args)
	c.batch.Commands = [][]string{args}
	c.ended = false
	enginedoor.Of(c.conns.engine).RunTurn([]*enginedoor.Call{c.call}, func() {})
	c.conns.mu.Lock()
	c.unanswered = c.call.Late
	c.ended = c.ended || !c.unanswered
	if c.ended {
		c.conns.queueOutput(c)
	}
	c.conns.mu.Unlock()
	c.conns.collect()
}

// collect takes the output of all connections.
func (p *engineConns) collect() {
	p.mu.Lock()
	list := p.withOutput
	p.withOutput = nil
	p.mu.Unlock()
	for _, c := range list {
		c.takeOutput()
	}
}

// takeOutput takes the output of the connection.
func (c *engineConn) takeOutput() {
	c.conns.mu.Lock()
	raw, ended := c.output, c.ended
	c.conns.outputBytes -= int64(len(raw))
	if c.overflowed {
		c.closed, c.owner.pushes.overflowed = true, true
	}
	c.output, c.queued, c.ended = nil, false, false
	c.conns.mu.Unlock()
	if len(raw) > 0 {
		c.dialogue.Server(raw)
		if len(c.pushed) > 0 {
			c.conns.pushed = append(c.conns.pushed, c)
		}
	}
	if !ended {
		return
	}
	c.unanswered = false
	if c.call.Err != nil || c.batch.Closed {
		c.closed = true
	}
	if c.call.Err != nil {
		return
	}
	for i, v := range c.batch.Replies {
		if raw := resp.Append(nil, v, int(c.batch.Protos[i])); len(raw) > 0 {
			c.dialogue.Server(raw)
		}
	}
	clear(c.batch.Replies)
	c.batch.Replies = c.batch.Replies[:0]
}

// waits reports whether the last command has not been answered.
func (c *engineConn) waits() bool { return !c.complete && !c.closed }

// giveUp ends the wait of the last command as its time-out would.
func (c *engineConn) giveUp(ctx context.Context) error {
	_, err := c.conns.admin.Do(ctx, "CLIENT", "UNBLOCK", c.id, "TIMEOUT")
	c.conns.collect()
	return err
}

// close ends the session.
func (c *engineConn) close() {
	_ = c.session.Close() // it may have ended
	c.conns.collect()
	c.closed = true
}
