package resp

import (
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// DebugConn is a connection whose client debugs a script: see [Options].Debug. What it reads and writes is raw, for Redis's debugger cuts requests by rules
// of its own. Bytes that came together with the EVAL are gone, as with Redis.
type DebugConn struct {
	Engine  *engine.Engine
	Session *engine.Session // the client's: its database and user
	Call    *engine.DebugCall

	c     *connection
	out   []byte
	reply engine.Value
}

// Read reads what the client sends. It fails when the client has gone, was killed (CLIENT KILL), or the server closes. Read may be called by another goroutine than
// the rest.
func (d *DebugConn) Read(p []byte) (int, error) {
	n, err := d.c.nc.Read(p)
	d.c.reads.Add(1)
	d.c.debugRead.Add(int64(n))
	return n, err
}

// Write adds bytes to what Flush sends.
func (d *DebugConn) Write(p []byte) (int, error) {
	d.out = append(d.out, p...)
	return len(p), nil
}

// Flush sends what Write was given, ahead of the replies to commands that came before EVAL in its pipeline. It fails when the client has gone, or reads nothing for too long.
func (d *DebugConn) Flush() error {
	out := d.out
	d.out = nil
	if len(out) == 0 {
		return nil
	}
	d.c.batch.BytesOut += int64(len(out))
	d.c.batch.Writes++
	if d.c.box.isBegun() {
		_, err := d.c.nc.Write(out) // whole, between two messages
		return err
	}
	_, err := d.c.output.write(out)
	return err
}

// Reply is what EVAL is answered, unless CLIENT REPLY has turned replies off. It is sent when the session is over, behind all else.
func (d *DebugConn) Reply(v engine.Value) { d.reply = v }

// debug hands the script of the batch over, and sends what is left when it has been debugged.
func (c *connection) debug() {
	sess, ok := c.sess.(*engine.Session)
	if !ok || c.debugger == nil {
		return
	}
	call := c.batch.Debug
	c.batch.Debug = nil
	d := &DebugConn{Engine: c.engine, Session: sess, Call: call, c: c, reply: reply.None()}
	c.debugging.Store(true)
	c.debugger(d)
	c.batch.BytesIn += c.debugRead.Load()
	if d.Flush() != nil {
		return
	}
	switch {
	case call.Muted || d.reply.Kind() == reply.KindNone:
	case c.box.isBegun():
		c.box.put(d.reply, call.Proto)
	case c.put(d.reply, call.Proto) != nil:
		return
	}
	c.end()
}

// activity is a number that grows with what the connection reads and writes, and always while its client debugs: who thinks about a stop is not idle.
func (c *connection) activity() int64 {
	if c.debugging.Load() {
		c.reads.Add(1)
	}
	return c.reads.Load() + c.output.written.Load()
}
