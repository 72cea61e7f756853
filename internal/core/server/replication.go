package server

import (
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Replication is what the server itself needs of package internal/core/replication. Handlers get
// its state by replication.Of.
type Replication interface {
	// ReplID returns the replication ID.
	ReplID() string
	// Offset returns the offset of the last byte of the replication stream.
	Offset() int64
	// WriteInfo writes the fields of the section Replication of INFO.
	WriteInfo(w *InfoWriter)
	// Counts returns the counters of the section Stats of INFO.
	Counts() ReplicationCounts
	// ResetCounts sets these counters to zero (CONFIG RESETSTAT).
	ResetCounts()
	// Replaced is called when the data set has changed without effects.
	Replaced()
	// Feed sends a command line to the replicas, unless this server is a replica (DEBUG REPLICATE).
	Feed(args []string)
	// ShutdownAt returns when a shutdown that waits for replicas stops waiting, in ms since the epoch;
	// 0: none waits.
	ShutdownAt() int64
	// Place returns where the stream is, for a dump; ok is false if there is no stream.
	Place() (p ReplicationPlace, ok bool)
	// BeginRestart and EndRestart surround the load of a dump at the start. What replicas must know of
	// the load goes into the stream. The stream goes on at the place in the dump, if ok is set.
	BeginRestart()
	EndRestart(p ReplicationPlace, ok bool)
	// Buffers returns the bytes of the stream that are in memory: the backlog, and what replicas that
	// are further behind still have to get.
	Buffers() (total, backlog int64)
	// FileSynced is called after a call of Persistence.Synced, when that has more to say.
	FileSynced()
	// SessionEnds is called when a session whose field Replicating is set is closed.
	SessionEnds(sess *Session)
}

// replicating is what the server knows of its replicas and its master.
type replicating struct {
	Replication   Replication // nil: only in tests
	Following     Following
	lacksReplicas bool // fewer replicas than min-replicas-to-write are in time
}

// ReplicationPlace is a place in a replication stream.
type ReplicationPlace struct {
	DB     int // selected database
	ID     string
	Offset int64
}

// ReplicationCounts are counters for INFO.
type ReplicationCounts struct {
	FullSyncs, PartialSyncs, RefusedPartialSyncs int64
	BytesIn, BytesOut                            int64 // from the master; to replicas
}

// Peer says what the client of a session is.
type Peer uint8

// The peers.
const (
	PeerClient  Peer = iota
	PeerReplica      // a replica of this server
	PeerProgram      // the program around the engine; no pause holds its commands
)

// HandOver ends the ordinary output of a session: replies before the running command are sent, and
// then send owns the connection. It returns false if the session has no connection to hand over.
// The session gets no replies any more; one that it would get ends it.
func (s Control) HandOver(sess *Session, send func(w io.Writer, over <-chan struct{})) bool {
	if sess.TakeOver == nil {
		return false
	}
	if !sess.Async {
		sess.Async = true
		s.Owner.BecameAsync(sess)
	}
	sess.Peer = PeerReplica
	if s.Persistence == nil || !s.Owner.Hold(func() { sess.TakeOver(send) }) {
		sess.TakeOver(send)
	}
	return true
}

// replied ends a replica's session because a command of the replica has a reply, for which there is
// no place in the stream.
func (s *Server) replied(sess *Session, v reply.Value) {
	if sess.CloseAfter {
		return
	}
	name := "?"
	if sess.last != nil {
		name = sess.last.FullName()
	}
	if v.IsError() {
		s.Stats.UnexpectedErrors++
		text := v.Text()
		if rest, plain := strings.CutPrefix(text, "ERR "); plain {
			text = rest
		} else {
			text = "-" + text
		}
		s.Log.Warn("== CRITICAL == This master is sending an error to its replica: '" + text + "' after processing the command '" + name + "'")
	}
	s.Log.Warn("Replica generated a reply to command '" + name + "', disconnecting it: " + s.Describe(sess))
	s.HangUp(sess, nil)
}

// LackReplicas sets whether writes are refused because there are fewer replicas in time than
// min-replicas-to-write.
func (r Control) LackReplicas(lack bool) { r.lacksReplicas = lack }

// lackingReplicas returns the error of a command that may not write because replicas are lacking,
// or "".
func (s *Server) lackingReplicas(a attempt) string {
	if caller := a.sess.Caller; caller != nil && caller.MustObey || !a.meets(writes) {
		return ""
	}
	return errtext.NoReplicas
}

// shutdownAt is ShutdownAt of the replication; 0 if the server has none.
func (r *replicating) shutdownAt() int64 {
	if r.Replication == nil {
		return 0
	}
	return r.Replication.ShutdownAt()
}
