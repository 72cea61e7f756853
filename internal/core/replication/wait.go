package replication

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// waiter is a WAIT or WAITAOF that is blocked.
type waiter struct {
	client *server.BlockedClient
	goal
}

// goal is what WAIT or WAITAOF waits for: that so many replicas have the stream up to an offset.
type goal struct {
	replicas, offset int64
	files            bool  // WAITAOF: they have it in their append-only files
	local            bool  // and this server has it in its own
	position         int64 // of that file, up to which it has it
}

// getAck asks the replicas for an acknowledgment.
const getAck = "*3\r\n$8\r\nREPLCONF\r\n$6\r\nGETACK\r\n$1\r\n*\r\n"

// Wait runs WAIT.
func (st *State) Wait(c *server.Ctx) reply.Value {
	if st.isReplica() {
		return reply.Err("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is " +
			"configured to be writable (which is not the default) writes to replicas are just local and are not propagated.")
	}
	replicas, ok := parse.Int(c.Args[1])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	timeout, bad, ok := parse.TimeoutMillis(c.Args[2], c.LongestTimeout())
	if !ok {
		return bad
	}
	return st.await(c, timeout, goal{replicas: replicas, offset: c.Session.WriteOffset})
}

// WaitFile runs WAITAOF.
func (st *State) WaitFile(c *server.Ctx) reply.Value {
	local, ok := parse.Int(c.Args[1])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case local < 0 || local > 1:
		return reply.Err(errtext.NotZeroOrOne)
	}
	replicas, ok := parse.Int(c.Args[2])
	if !ok || replicas < 0 {
		return reply.Err(errtext.NotPositive)
	}
	timeout, bad, ok := parse.TimeoutMillis(c.Args[3], c.LongestTimeout())
	switch {
	case !ok:
		return bad
	case st.isReplica():
		return reply.Err("ERR WAITAOF cannot be used with replica instances. Please also note that writes to replicas are just " +
			"local and are not propagated.")
	}
	g := goal{replicas: replicas, offset: c.Session.WriteOffset, files: true, local: local == 1, position: c.Session.WritePosition}
	if _, on := st.synced(); !on && g.local {
		return reply.Err(errNoFile)
	}
	return st.await(c, timeout, g)
}

const errNoFile = "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."

// await answers a command when its goal is met, or when its time is over.
func (st *State) await(c *server.Ctx, timeout int64, g goal) reply.Value {
	v, met := st.progress(&g)
	if met {
		return v
	}
	v = c.Block(timeout, v, server.BlockOptions{LateReply: func() reply.Value {
		v, _ := st.progress(&g)
		return v
	}})
	if client := c.Server.Blocked; client != nil {
		st.waiters = append(slices.DeleteFunc(st.waiters, (*waiter).ended), &waiter{client, g})
		if g.replicas > 0 {
			st.askAcks()
		}
	}
	return v
}

// progress returns the reply of a command at this time, and whether its goal is met.
func (st *State) progress(g *goal) (v reply.Value, met bool) {
	n := st.acks(g)
	if !g.files {
		return reply.Int(n), n >= g.replicas
	}
	position, on := st.synced()
	here := int64(0)
	if on && position >= g.position {
		here = 1
	}
	return reply.Array(reply.Int(here), reply.Int(n)), n >= g.replicas && (!g.local || here == 1)
}

// synced returns up to which position the disk has the append-only file; on is false without one.
func (st *State) synced() (position int64, on bool) {
	if st.srv.Persistence == nil {
		return 0, false
	}
	return st.srv.Persistence.Synced()
}

func (w *waiter) ended() bool { return w.client.Ended }

// askAcks asks the replicas to acknowledge what they have run. During a pause it does so later: the
// request is part of the stream, which must not grow.
func (st *State) askAcks() {
	if st.ackWanted = st.srv.Paused(); !st.ackWanted && st.backlog != nil && !st.isReplica() {
		st.feedRaw([]byte(getAck))
	}
}

// acks returns the number of replicas that have acknowledged what a goal asks for.
func (st *State) acks(g *goal) (n int64) {
	for _, r := range st.replicas {
		offset := r.ackOffset
		if g.files {
			offset = r.fileOffset
		}
		if r.phase == online && offset >= g.offset {
			n++
		}
	}
	return n
}

// serveWaiters ends each wait whose goal is met, or whose file is turned off.
func (st *State) serveWaiters() {
	if len(st.waiters) == 0 {
		return
	}
	st.waiters = slices.DeleteFunc(st.waiters, (*waiter).ended)
	for _, w := range slices.Clone(st.waiters) {
		if w.local {
			if _, on := st.synced(); !on {
				st.srv.UnblockWithStats(w.client, reply.Err(errNoFile), 0, true)
				continue
			}
		}
		if v, met := st.progress(&w.goal); met {
			st.srv.UnblockWithStats(w.client, v, 0, false)
		}
	}
	st.waiters = slices.DeleteFunc(st.waiters, (*waiter).ended)
}

// FileSynced implements server.Replication.
func (st *State) FileSynced() {
	st.serveWaiters()
	if st.master != nil {
		st.master.noteFile()
	}
}
