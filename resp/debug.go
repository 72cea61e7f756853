package resp

import (
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugCall is an EVAL or EVAL_RO of a client that has sent SCRIPT DEBUG YES or SYNC. The engine
// has not run the script: [Options].Debug must run it under a debugger and send the reply.
type DebugCall struct {
	// Sync says that the script runs on the engine itself and its changes stay (SCRIPT DEBUG SYNC).
	// Otherwise it runs on an engine.Engine.Fork.
	Sync bool
	// Script is the script. After EVAL_RO it may not write; see engine.Script.ReadOnly.
	Script     *engine.Script
	Keys, Args []string
	// Error is an error reply if the number of keys is wrong; the script must then not run. Otherwise
	// it is a null.
	Error engine.Value
	Proto int  // the protocol of the reply, 2 or 3
	Muted bool // CLIENT REPLY drops the reply
}

func newDebugCall(c *enginedoor.DebugCall) *DebugCall {
	s := engine.NewScript(c.Source)
	if c.ReadOnly {
		s = s.ReadOnly()
	}
	return &DebugCall{Sync: c.Sync, Script: s, Keys: c.Keys, Args: c.Args, Error: c.Error, Proto: c.Proto, Muted: c.Muted}
}

// DebugConn is a connection whose client debugs a script; see [Options].Debug. It reads and writes
// raw bytes, because Redis's debugger has its own rules for parsing requests. As in Redis, bytes
// that arrived together with the EVAL are lost. It must not be used after Options.Debug has
// returned.
type DebugConn struct {
	Engine  *engine.Engine  // the engine of the server
	Session *engine.Session // the client's session: its database and user
	Call    *DebugCall      // the script to debug

	c     *connection
	out   []byte
	reply engine.Value
}

// Read reads what the client sends. It returns an error if the client disconnects, is killed
// (CLIENT KILL), or the server closes. Read may be called on another goroutine than the other
// methods.
func (d *DebugConn) Read(p []byte) (int, error) {
	n, err := d.c.nc.Read(p)
	d.c.reads.Add(1)
	d.c.debugRead.Add(int64(n))
	d.c.memory.received.Add(int64(n))
	return n, err
}

// Write appends bytes to the buffer that Flush sends. It never fails.
func (d *DebugConn) Write(p []byte) (int, error) {
	d.out = append(d.out, p...)
	return len(p), nil
}

// Flush sends the bytes of Write. As in Redis, they arrive before the replies to commands that
// preceded the EVAL in its pipeline. Flush returns an error if the client disconnects or reads
// nothing for too long.
func (d *DebugConn) Flush() error {
	out := d.out
	d.out = nil
	if len(out) == 0 {
		return nil
	}
	d.c.batch.BytesOut += int64(len(out))
	d.c.memory.sent.Add(int64(len(out)))
	d.c.batch.Writes++
	if d.c.box.isStarted() {
		_, err := d.c.nc.Write(out) // one write, so that it is not mixed with a push message
		return err
	}
	err := d.c.output.write(out, false)
	return err
}

// Reply sets the reply to the EVAL. It is sent at the end of the session, after everything else,
// unless CLIENT REPLY has turned replies off.
func (d *DebugConn) Reply(v engine.Value) { d.reply = v }

// debug calls Options.Debug for the script of the batch, and then sends the remaining replies.
func (c *connection) debug() {
	sess, ok := c.sess.(engineSession)
	if !ok || c.debugger == nil {
		return
	}
	call := newDebugCall(c.batch.Debug)
	c.batch.Debug = nil
	d := &DebugConn{Engine: c.engine, Session: sess.session, Call: call, c: c, reply: reply.None()}
	c.debugging.Store(true)
	c.debugger(d)
	c.batch.BytesIn += c.debugRead.Load()
	if d.Flush() != nil {
		return
	}
	switch {
	case call.Muted || d.reply.Kind() == reply.KindNone:
	case c.box.isStarted():
		c.box.put(d.reply, call.Proto, 0)
	case c.put(d.reply, call.Proto) != nil:
		return
	}
	c.end()
}

// activity is a number that grows when the connection reads or writes. While the client debugs it
// grows with each call, because a user who examines a stopped script is not idle.
func (c *connection) activity() int64 {
	if c.debugging.Load() {
		c.reads.Add(1)
	}
	return c.reads.Load() + c.output.written.Load()
}
