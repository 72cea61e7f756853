package server

import (
	"io"
	"slices"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Replication is what the server itself needs of package internal/replication. Handlers get its
// state by replication.Of.
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
	// SessionEnds is called when a session whose field Replica is set is closed.
	SessionEnds(sess *Session)
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
)

// HandOver ends the ordinary output of a session: replies before the running command are sent, and
// then send owns the connection. It returns false if the session has no connection to hand over.
// The session gets no replies any more; one that it would get ends it.
func (s *Server) HandOver(sess *Session, send func(w io.Writer, over <-chan struct{})) bool {
	if sess.TakeOver == nil {
		return false
	}
	if !sess.Async {
		sess.Async = true
		s.BecameAsync(sess)
	}
	sess.Peer = PeerReplica
	if s.Hold == nil || !s.Hold(func() { sess.TakeOver(send) }) {
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
		text := v.Text()
		if len(text) > 4 && text[:4] == "ERR " {
			text = text[4:]
		}
		s.Log.Warn("== CRITICAL == This master is sending an error to its replica: '" + text + "' after processing the command '" + name + "'")
	}
	s.Log.Warn("Replica generated a reply to command '" + name + "', disconnecting it: " + s.Describe(sess))
	s.HangUp(sess, nil)
}

// LackReplicas sets whether writes are refused because there are fewer replicas in time than
// min-replicas-to-write.
func (s *Server) LackReplicas(lack bool) { s.lacksReplicas = lack }

// lackingReplicas returns the error of a command that may not write because replicas are lacking,
// or "".
func (s *Server) lackingReplicas(a attempt) string {
	writes := a.spec.Flags&cmdtable.Write != 0
	switch {
	case a.sess.Caller != nil && a.sess.Caller.MustObey:
		return ""
	case a.spec.IsExec:
		writes = slices.ContainsFunc(a.sess.Queue, func(args []string) bool {
			return s.Table.Resolve(args).Flags&cmdtable.Write != 0
		})
	case a.spec.Runs != cmdtable.RunsNoScript && !a.queued():
		flags := s.scriptFlags(a.spec, a.args)
		writes = flags.Declared && !flags.NoWrites
	}
	if writes {
		return errtext.NoReplicas
	}
	return ""
}
