package replication

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// waiter is a WAIT that is blocked until so many replicas have acknowledged an offset.
type waiter struct {
	client           *server.BlockedClient
	replicas, offset int64
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
	timeout, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err("ERR timeout is not an integer or out of range")
	case timeout < 0:
		return reply.Err(errtext.TimeoutNegative)
	}
	offset := c.Session.WriteOffset
	acks := reply.Int(st.acks(offset))
	if st.acks(offset) >= replicas {
		return acks
	}
	v := c.Block(timeout, acks, server.BlockOptions{LateReply: func() reply.Value { return reply.Int(st.acks(offset)) }})
	if client := c.Server.Blocked; client != nil {
		st.waiters = append(slices.DeleteFunc(st.waiters, (*waiter).ended), &waiter{client, replicas, offset})
		st.askAcks()
	}
	return v
}

func (w *waiter) ended() bool { return w.client.Ended }

// askAcks asks the replicas to acknowledge what they have run. During a pause it does so later: the
// request is part of the stream, which must not grow.
func (st *State) askAcks() {
	if st.ackWanted = st.srv.Paused(); !st.ackWanted && st.backlog != nil && !st.isReplica() {
		st.feedRaw([]byte(getAck))
	}
}

// acks returns the number of replicas that have acknowledged an offset.
func (st *State) acks(offset int64) (n int64) {
	for _, r := range st.replicas {
		if r.phase == online && r.ackOffset >= offset {
			n++
		}
	}
	return n
}

// serveWaiters ends the waits for which enough replicas have acknowledged.
func (st *State) serveWaiters() {
	if len(st.waiters) == 0 {
		return
	}
	st.waiters = slices.DeleteFunc(st.waiters, (*waiter).ended)
	for _, w := range slices.Clone(st.waiters) {
		if n := st.acks(w.offset); n >= w.replicas {
			st.srv.UnblockWithStats(w.client, reply.Int(n), 0, false)
		}
	}
	st.waiters = slices.DeleteFunc(st.waiters, (*waiter).ended)
}
