package resp

import "github.com/redmoon-lua/redmoon/engine"

// DebugConn is a connection whose client debugs a script: see [Options].Debug. What it reads and writes is raw, for Redis's debugger cuts requests by rules
// of its own. Bytes that came together with the EVAL are gone, as with Redis.
type DebugConn struct {
	Engine  *engine.Engine
	Session *engine.Session // the client's: its database and user
	Call    *engine.DebugCall

	c     *connection
	out   []byte
	reply engine.Value
	given bool
}

// Read reads what the client sends. It fails when the client has gone, was killed (CLIENT KILL), or the server closes. Read may be called by another goroutine than
// the rest.
func (d *DebugConn) Read(p []byte) (int, error) { return d.c.nc.Read(p) }

// Write adds bytes to what Flush sends.
func (d *DebugConn) Write(p []byte) (int, error) {
	d.out = append(d.out, p...)
	return len(p), nil
}

// Flush sends what Write was given, ahead of the replies to commands that came before EVAL in its pipeline.
func (d *DebugConn) Flush() error {
	out := d.out
	d.out = nil
	_, err := d.c.output.write(out)
	return err
}

// Reply is what EVAL is answered, unless CLIENT REPLY has turned replies off. It is sent when the session is over, behind all else.
func (d *DebugConn) Reply(v engine.Value) { d.reply, d.given = v, true }
