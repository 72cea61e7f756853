package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// Control is a server for those that run it: the engine with its loop, persistence and replication.
// Beside the methods of [Server] it has those that belong to them: how sessions, scripts, loads and
// images begin and end, what is to be done between commands. Handlers get a Server, so they cannot
// call these. [NewServer] returns the only Control of a server.
type Control struct{ *base }

// base makes the field of Control unexported, so that other packages cannot make one.
type base = Server

// Server returns the server as handlers get it.
func (s Control) Server() *Server { return s.base }

// AuthRequired reports whether the session must log in first.
func (s Control) AuthRequired(sess *Session) bool { return s.authRequired(sess) }

// Cancel ends w without a reply; Done is not called. It returns false if w had ended before.
func (s Control) Cancel(w *BlockedClient) bool { return s.cancel(w) }

// CloseSession ends a session and removes it from the server.
func (s Control) CloseSession(sess *Session) { s.closeSession(sess) }

// Deliver sends a value in protocol proto to a session.
func (s Control) Deliver(sess *Session, v reply.Value, proto int) { s.deliver(sess, v, proto) }

// Evict removes keys until the memory used is within maxmemory, or for as long as one call may
// take. It returns false if no key is left that may be removed.
func (s Control) Evict() bool { return s.evict() }

// FlushEffects hands the pending effects over.
func (s Control) FlushEffects() { s.flushEffects() }

// IsStale reports whether clients may not read, because the data may be old.
func (s Control) IsStale() bool { return s.isStale() }

// NoteLatency records a sample of nanos ns if it is at least latency-monitor-threshold.
func (s Control) NoteLatency(event string, nanos int64) { s.noteLatency(event, nanos) }

// Paused reports whether a pause lasts.
func (s Control) Paused() bool { return s.paused() }

// ResumePostponed ends the waits of the commands that a pause has postponed and holds no longer.
func (s Control) ResumePostponed() { s.resumePostponed() }

// ScriptName returns the name of the running function, or the SHA1 of the running script.
func (s Control) ScriptName() string { return s.scriptName() }

// Changes returns the number of changes since the last save (rdb_changes_since_last_save).
func (s Control) Changes() int64 { return s.changes() }
