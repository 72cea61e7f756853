package server

import (
	"io"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/reply"
)

// Session is the state of one client: a RESP connection, or an engine.Session in process.
type Session struct {
	ID              int64
	Name            string
	Addr, LAddr     string // addresses of the peer and of the server; empty in process
	Descriptor      int    // file descriptor of the connection; 0: none
	DB              *datastore.DB
	Proto           int  // 2 or 3
	Authenticated   bool // logged in, or the default user needed no password when the session began
	NoEvict         bool
	NoTouch         bool         // CLIENT NO-TOUCH
	LibName, LibVer string       // CLIENT SETINFO
	Created         int64        // ms since the epoch
	Active          int64        // time of the last command in ms
	Kill            func(Ending) // closes the connection immediately; it must not wait. nil: there is no connection
	CloseAfter      bool         // close the connection after this reply (QUIT, protocol errors)
	ReplyOff        bool         // CLIENT REPLY OFF
	SkipNext        bool         // CLIENT REPLY SKIP
	Held            bool         // for the engine: a call waits, and later calls of the session wait behind it
	MayDebug        bool         // the caller accepts scripts that SCRIPT DEBUG hands over
	Debug           DebugMode    // SCRIPT DEBUG
	ShownToMonitors bool         // monitors have seen the script that is being handed over
	MustObey        bool         // its commands come from a master or from the append-only file
	Master          bool         // it runs the commands of the master that the server follows
	Peer            Peer
	Replica         any   // what package internal/core/replication knows about the client; nil: nothing
	WriteOffset     int64 // replication offset after its last command
	shared          bool  // used by many callers concurrently: commands that keep state are refused

	// Activity returns a number that grows with the input and output of the connection. It is safe to
	// call from any goroutine. If nil, the session is never idle.
	Activity func() int64
	activity int64 // result of Activity at the last look for idle connections
	heard    int64 // when activity last grew, in ms

	// Use returns what the connection holds for the session. Only the loop may call it. Optional.
	Use     func() ConnUse
	Counted int64 // bytes of this session in the sum of all clients
	moved   int64 // when its size class last changed
	gone    bool  // the session is closed

	User            *acl.User      // nil: no restrictions
	Caller          *Session       // in the session of a script's commands: the session that runs the script
	last            *cmdtable.Spec // the last command
	RepliesTurnedOn bool           // the last command was CLIENT REPLY ON

	slot      int  // in cluster mode: slot of the command's keys, or noSlot
	crossSlot bool // in the session of a script's commands: keys may be in any slots
	ReadOnly  bool // READONLY

	Queueing    bool
	InExec      bool // EXEC is running
	Queue       [][]string
	QueueBytes  int64 // size of the queued arguments
	QueueFailed bool  // EXEC must abort, because a queued command was wrong
	WatchBroken bool  // a watched key changed
	Watching    []*Watcher
	Waiting     *BlockedClient // the command that blocks the session; nil in the shared session

	// Receive delivers a value that is not a reply, in protocol proto, and returns the number of bytes
	// that wait to be sent. The loop calls it, so it must not wait. If nil, the session receives
	// nothing.
	Receive func(v reply.Value, proto int) (waiting int64)
	// SeparatePushes is set if pushed values do not travel with the replies, as for a session in
	// process. They need no common order then, and all commands stay usable while subscribed.
	SeparatePushes bool
	// Async is set once the session has subscribed or received something while it ran no command. From
	// then on its replies go through Receive as well, which keeps all output in order.
	Async bool

	// TakeOver hands the output of the connection over: when the earlier replies have been sent, it
	// calls send on a goroutine of its own, and closes the connection when send returns. over is
	// closed when the connection ends. It must not wait. If nil, the session cannot be a replica.
	TakeOver func(send func(w io.Writer, over <-chan struct{}))

	Topics     [topicKinds]subscriptions
	subscribed int           // number of subscriptions
	OwnPushes  []reply.Value // what its own command has pushed to it
	AfterReply []reply.Value // what follows the reply to its own command
	Monitors   bool          // MONITOR
	silent     bool          // CLIENT REPLY drops the reply of the running command
	Track      *Tracker      // CLIENT TRACKING; nil if it was never turned on
	slowSince  int64         // since when (ms) more output than the soft limit is unread; 0: it is not
}

// Ending is the reason why the server ends a session.
type Ending uint8

// The reasons.
const (
	Killed  Ending = iota // CLIENT KILL, or its user was deleted
	TooSlow               // its unread output exceeds client-output-buffer-limit
	Quit                  // the client has sent QUIT
)

// WatchKey is a key of one database.
type WatchKey struct {
	DB  *datastore.DB
	Key string
}

// Watcher is a session that watches a key.
type Watcher struct {
	WatchKey
	Sess *Session
	// Dead is set if the key had already expired when it was watched, or when SWAPDB brought it. Its
	// removal then does not count as a change.
	Dead bool
}

// NewSession opens a session on database 0 in RESP2.
func (s *Server) NewSession(addr, laddr string) *Session {
	s.Clients.lastID++
	now := s.Store.Now()
	sess := &Session{ID: s.Clients.lastID, Addr: addr, LAddr: laddr, DB: s.Store.DB(0), Proto: 2, Created: now, Active: now}
	s.ResetAuth(sess)
	s.Clients.ByID[sess.ID] = sess
	s.Stats.Connections++
	return sess
}

// NewSharedSession returns a session for concurrent callers. Commands that keep state between calls
// (MULTI, WATCH, SELECT) are refused in it, and CLIENT LIST does not show it.
func (s *Server) NewSharedSession() *Session {
	return &Session{DB: s.Store.DB(0), Proto: 2, Authenticated: true, User: s.Access.Default, Created: s.Store.Now(), shared: true}
}

// NewProgramSession returns a shared session for the program around the engine, whose commands pass
// every check of rights and every pause.
func (s *Server) NewProgramSession() *Session {
	sess := s.NewLoaderSession()
	sess.Peer, sess.User = PeerProgram, nil
	return sess
}

// ResetAuth gives a session the rights of a new one, which are those of the default user. A session
// in process (without an address) needs no password.
func (s *Server) ResetAuth(sess *Session) {
	sess.User = s.Access.Default
	sess.Authenticated = sess.Addr == "" || s.Access.NeedsNoPassword()
}

// CloseSession ends a session and removes it from the server. A second call does nothing.
func (s *Server) CloseSession(sess *Session) {
	if sess.Waiting != nil {
		s.Cancel(sess.Waiting)
	}
	s.Clients.Unwatch(sess)
	s.UnsubscribeAll(sess)
	s.EndMonitor(sess)
	s.EndTracking(sess)
	if sess.Replica != nil {
		s.Replication.SessionEnds(sess)
	}
	s.Clients.discount(sess)
	sess.gone = true
	delete(s.Clients.ByID, sess.ID)
}

// HangUp closes the connection of a session and removes the session. The session of the current
// command is closed after its reply.
func (s *Server) HangUp(sess, current *Session) {
	sess.CloseAfter = true
	if sess.Waiting != nil {
		s.Cancel(sess.Waiting)
	}
	if sess == current && !sess.SeparatePushes {
		return
	}
	s.CloseSession(sess)
	sess.end(Killed)
}

// end closes the connection of a session immediately, if it has one.
func (sess *Session) end(why Ending) {
	sess.CloseAfter = true
	if sess.Kill != nil {
		sess.Kill(why)
	}
}

// LeaveAfterReply closes the session after the reply to its command.
func (sess *Session) LeaveAfterReply() {
	sess.CloseAfter = true
	if sess.SeparatePushes {
		sess.end(Quit)
	}
}

// SubscribeOnly reports whether the session may only subscribe and unsubscribe, because its
// protocol cannot distinguish a reply from a message.
func (sess *Session) SubscribeOnly() bool {
	return sess.subscribed > 0 && sess.Proto == 2 && !sess.SeparatePushes
}
