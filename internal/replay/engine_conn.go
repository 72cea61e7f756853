package replay

import (
	"context"
	"strconv"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/recording"
	"github.com/redmoon-lua/redmoon/internal/recording/dialogue"
	"github.com/redmoon-lua/redmoon/resp"
)

// engineConns are the sessions of an engine. One goroutine uses them; the engine's own goroutine
// only appends to outputs.
type engineConns struct {
	e     *engine.Engine
	admin *engine.Session

	pushed []*engineConn // those with pushes that have not been taken

	mu    sync.Mutex
	heard []*engineConn // those with output that has not been taken
	held  int64         // bytes of output of all connections
}

// engineConn is a session that plays a recorded connection.
type engineConn struct {
	all   *engineConns
	owner *client
	sess  *engine.Session
	id    int64 // as CLIENT ID says
	call  *engine.Call
	batch engine.Batch
	late  bool // the engine still has the call
	inbox

	output []byte // in RESP, from Receive; under engineConns.mu
	ended  bool   // the command has ended; under engineConns.mu
	noted  bool   // it is in engineConns.heard; under engineConns.mu
	flood  bool   // there was too much output, and it was dropped; under engineConns.mu
}

// inbox cuts what a server sends into replies and pushes.
type inbox struct {
	d       *dialogue.Dialogue
	asked   int64  // commands sent
	reply   []byte // to the last command, as far as it has come
	over    bool   // the reply is complete
	pushed  []string
	partial []byte // of a push
	closed  bool   // the server has ended the connection
}

func (b *inbox) open() { b.d = dialogue.New(b, dialogue.Options{Secrets: true}) }

// ask notes a command that is sent, and returns its bytes.
func (b *inbox) ask(args []string) []byte {
	raw := resp.AppendCommand(nil, args...)
	b.asked++
	b.reply, b.over = nil, false
	b.d.Client(raw)
	return raw
}

// The methods of dialogue.Sink.

func (b *inbox) Request(int64, []recording.Arg, bool) {}

func (b *inbox) Reply(n int64, raw []byte, more bool, _ *recording.Cut) {
	if n != b.asked {
		return // of a command that was given up
	}
	b.reply = append(b.reply, raw...)
	b.over = !more
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
	return &engineConns{e: e, admin: admin}, err
}

// open opens a session for a recorded connection.
func (p *engineConns) open(owner *client) (*engineConn, error) {
	c := &engineConn{all: p, owner: owner}
	c.inbox.open()
	var err error
	c.sess, err = p.e.OpenSession(engine.SessionInfo{
		Addr: owner.addr, LAddr: "127.0.0.1:6379",
		Receive: func(v engine.Value, proto int) int64 {
			p.mu.Lock()
			defer p.mu.Unlock()
			c.receive(v, proto)
			p.note(c)
			return 0
		},
		Kill: func() {},
	})
	if err != nil {
		return nil, err
	}
	c.call = c.sess.NewCall(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		c.ended = true
		p.note(c)
	})
	c.call.Batch = &c.batch
	c.run("CLIENT", "ID")
	if c.over && len(c.reply) > 3 {
		c.id, _ = strconv.ParseInt(string(c.reply[1:len(c.reply)-2]), 10, 64)
	}
	return c, nil
}

// receive takes a message. The caller holds engineConns.mu.
func (c *engineConn) receive(v engine.Value, proto int) {
	if c.flood {
		return
	}
	before := len(c.output)
	c.output = resp.Append(c.output, v, proto)
	c.all.held += int64(len(c.output) - before)
	if c.all.held > maxHeld { // one script can publish without end
		c.all.held -= int64(len(c.output))
		c.output, c.flood = nil, true
	}
}

// note notes that a connection has output. The caller holds mu.
func (p *engineConns) note(c *engineConn) {
	if !c.noted {
		c.noted = true
		p.heard = append(p.heard, c)
	}
}

// run runs a command. It returns when the command has been answered or waits. If the last command
// still waits, which no server would allow, the connection ends.
func (c *engineConn) run(args ...string) {
	if c.late {
		c.reply, c.closed = nil, true
		return
	}
	c.ask(args)
	c.batch.Commands = [][]string{args}
	c.ended = false
	c.all.e.RunTurn([]*engine.Call{c.call}, func() {})
	c.all.mu.Lock()
	c.late = c.call.Late()
	c.ended = c.ended || !c.late
	if c.ended {
		c.all.note(c)
	}
	c.all.mu.Unlock()
	c.all.collect()
}

// collect takes the output of all connections.
func (p *engineConns) collect() {
	p.mu.Lock()
	heard := p.heard
	p.heard = nil
	p.mu.Unlock()
	for _, c := range heard {
		c.take()
	}
}

// take takes the output of the connection.
func (c *engineConn) take() {
	c.all.mu.Lock()
	raw, ended := c.output, c.ended
	c.all.held -= int64(len(raw))
	if c.flood {
		c.closed, c.owner.pushes.off = true, true
	}
	c.output, c.noted, c.ended = nil, false, false
	c.all.mu.Unlock()
	if len(raw) > 0 {
		c.d.Server(raw)
		if len(c.pushed) > 0 {
			c.all.pushed = append(c.all.pushed, c)
		}
	}
	if !ended {
		return
	}
	c.late = false
	if c.call.Err != nil || c.batch.Closed {
		c.closed = true
	}
	if c.call.Err != nil {
		return
	}
	for i, v := range c.batch.Replies {
		if raw := resp.Append(nil, v, int(c.batch.Protos[i])); len(raw) > 0 {
			c.d.Server(raw)
		}
	}
	clear(c.batch.Replies)
	c.batch.Replies = c.batch.Replies[:0]
}

// waits reports whether the last command has not been answered.
func (c *engineConn) waits() bool { return !c.over && !c.closed }

// giveUp ends the wait of the last command as its time-out would.
func (c *engineConn) giveUp(ctx context.Context) error {
	_, err := c.all.admin.Do(ctx, "CLIENT", "UNBLOCK", c.id, "TIMEOUT")
	c.all.collect()
	return err
}

// close ends the session.
func (c *engineConn) close() {
	_ = c.sess.Close() // it may have ended
	c.all.collect()
	c.closed = true
}
