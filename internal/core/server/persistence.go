package server

import (
	"errors"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Persistence writes the data set to files. Package persist implements it. Its methods run on the
// loop.
type Persistence interface {
	// Load loads the data set at the start and prepares the files for writing.
	Load() error
	// Close ends everything. It saves as SHUTDOWN does, unless Shutdown has been called.
	Close() error

	// Await returns a position of the append-only file. A reply that is due now may leave when the
	// file is safe up to there; then Host.Release is called. 0: it may leave now.
	Await() int64
	// Holds reports whether replies may have to wait (appendfsync always).
	Holds() bool
	// Position returns the position of the append-only file after all effects so far; see Synced.
	Position() int64
	// Synced returns the position up to which the disk has what came before it: in the append-only
	// file, or in its base; on is false without a file. When more is there, or the file is turned off,
	// Replication.FileSynced is called once.
	Synced() (position int64, on bool)
	// Denied returns the error for writes while the files cannot be written, or "".
	Denied() string
	// Replaced must be called when the data set has changed without effects.
	Replaced()
	// Flushed is called after FLUSHALL.
	Flushed()
	// Stop is called before the data set of a master replaces this one, Restart after that, and Resume
	// if the server becomes a master, whether that has happened or not.
	Stop()
	Restart()
	Resume()

	// Save, BackgroundSave, Rewrite, Reload and ReloadAppendOnly are SAVE, BGSAVE, BGREWRITEAOF,
	// DEBUG RELOAD and DEBUG LOADAOF.
	Save() reply.Value
	BackgroundSave(inExec, schedule bool) reply.Value
	Rewrite(inExec bool) reply.Value
	Reload(o ReloadOptions) reply.Value
	ReloadAppendOnly() reply.Value
	// LastSave is LASTSAVE: seconds of Unix time.
	LastSave() int64
	// Shutdown writes what SHUTDOWN has to write. An error means that the server must not end.
	Shutdown(o ShutdownOptions) error
	// WriteInfo writes the section Persistence of INFO, except the fields of a load.
	WriteInfo(w *InfoWriter)
}

// ReloadOptions are the options of DEBUG RELOAD.
type ReloadOptions struct{ Merge, NoFlush, NoSave bool }

// ShutdownOptions are the options of SHUTDOWN that are about saving.
type ShutdownOptions struct{ Save, NoSave, Force bool }

// Host is what package persist needs of the engine.
type Host struct {
	Server Control
	// Now and AfterFunc are the engine's clock.
	Now       func() time.Time
	AfterFunc func(d time.Duration, f func()) (stop func())
	// Post runs f on the loop soon, between commands. It never waits and may be called from any
	// goroutine. f does not run if the engine is closed first.
	Post func(f func())
	// PostNow is Post, but f runs even while a script is busy. It must not look at the keyspace.
	PostNow func(f func())
	// Release lets the replies leave that wait for positions up to safe. If err is not nil, all other
	// replies that wait become that error. It runs on the loop.
	Release func(safe int64, err error)
}

// diskError returns the error for a write while persistence is broken, or "".
func (d *dataSet) diskError(a attempt) string {
	problem := d.Persistence.Denied()
	if problem == "" || (a.spec.Name != "ping" || a.door.FromScript()) && !a.meets(writes) {
		return ""
	}
	return problem
}

// NewLoaderSession returns a session for the commands of an append-only file. CLIENT LIST does not
// show it.
func (s Control) NewLoaderSession() *Session {
	return &Session{
		rights: rights{User: s.Access.Default, Authenticated: true, MustObey: true},
		DB:     s.Store.DB(0), Proto: 2, Created: s.Store.Now(), shared: true,
	}
}

// Replay runs a command of an append-only file. It passes no check, leaves no trace in the
// statistics, and its reply is dropped. known is false if there is no such command.
func (s Control) Replay(sess *Session, args []string) (known bool) {
	if !s.CanReplay(args) {
		return false
	}
	spec := s.Table.Resolve(args)
	st, commands, errorReplies := s.Stats.Calls.Of(spec.ID), s.Stats.Commands, s.Stats.ErrorReplies
	calls, failed := st.Calls, st.Failed
	s.call(sess, cmdtable.DoorExec, spec, args, nil)
	st.Calls, st.Failed, s.Stats.Commands, s.Stats.ErrorReplies = calls, failed, commands, errorReplies
	if w := s.TakeBlocked(); w != nil {
		s.cancel(w)
	}
	s.tracking.pending = nil
	return true
}

// CanReplay reports whether [Control.Replay] knows a command.
func (s Control) CanReplay(args []string) bool {
	spec := s.Table.Resolve(args)
	return spec != nil && spec.HasHandler() && len(args) >= spec.MinArgs && len(args) <= spec.MaxArgs
}

// RestoreLibraries loads the function libraries of a file.
func (s Control) RestoreLibraries(texts []string, policy RestorePolicy) error {
	if len(texts) == 0 && policy != RestoreFlush {
		return nil
	}
	c := s.getCtx()
	defer s.putCtx()
	sess := s.NewLoaderSession()
	c.Session, c.DB, c.Args, c.Proto, c.Door = sess, sess.DB, nil, 2, cmdtable.DoorExec
	c.Spec = s.Table.Resolve([]string{"FUNCTION", "RESTORE"})
	if v := s.Functions.Restore(c, texts, reply.Nil(), policy); v.IsError() {
		return errors.New(v.Text())
	}
	return nil
}

// EmptyDataSet removes all keys and function libraries before a load. Clients that watch or track
// keys are notified. Nothing is an effect, and nothing counts as a change.
func (s *Server) EmptyDataSet() {
	changes := s.changes()
	defer func() { s.NoteSaved(changes) }()
	for i := range s.Store.Databases() {
		s.TouchAllWatchedKeys(s.Store.DB(i), nil)
	}
	s.InvalidateAll()
	s.Store.FlushAll()
	s.Functions.Flush()
}

// replaced notes that the data set has changed without effects.
func (s *Server) replaced() {
	if s.Persistence != nil {
		s.Persistence.Replaced()
	}
	if s.Replication != nil {
		s.Replication.Replaced()
	}
}
