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
	connection
	transaction
	output
	subscriber
	rights

	ID              int64
	Name            string
	LibName, LibVer string // CLIENT SETINFO
	DB              *datastore.DB
	Proto           int            // 2 or 3
	Created         int64          // ms since the epoch
	Active          int64          // time of the last command in ms
	last            *cmdtable.Spec // the last command
	Commands        int64          // number of its commands, and of those that its scripts have called
	Track           *Tracker       // CLIENT TRACKING; nil if it was never turned on
	Waiting         *BlockedClient // the command that blocks the session; nil in the shared session
	WriteOffset     int64          // replication offset after its last command
	WritePosition   int64          // position of the append-only file after its last command
	slot            int            // in cluster mode: slot of the command's keys, or noSlot

	Counted int64 // bytes of this session in the sum of all clients
	moved   int64 // when its size class last changed

	Peer        Peer
	Master      bool // it runs the commands of the master that the server follows
	Replicating bool // it has sent REPLCONF, SYNC or PSYNC
	Monitors    bool // MONITOR
	NoEvict     bool
	NoTouch     bool // CLIENT NO-TOUCH
	Redirects   bool // CLIENT CAPA REDIRECT
	Imports     bool // CLIENT IMPORT-SOURCE
	ReadOnly    bool // READONLY
	Held        bool // for the engine: a call waits, and later calls of the session wait behind it
	Debugging   debugging
	shared      bool // used by many callers concurrently: commands that keep state are refused
	crossSlot   bool // in the session of a script's commands: keys may be in any slots
	gone        bool // the session is closed
}

// connection is the connection of a session; in process there is none.
type connection struct {
	Addr, LAddr string       // addresses of the peer and of the server; empty in process
	Descriptor  int          // file descriptor of the connection; 0: none
	Kill        func(Ending) // closes the connection immediately; it must not wait. nil: there is no connection

	// Activity returns a number that grows with the input and output of the connection. It is safe to
	// call from any goroutine. If nil, the session is never idle.
	Activity func() int64
	activity int64 // result of Activity at the last look for idle connections
	heard    int64 // when activity last grew, in ms

	// Use returns what the connection holds for the session. Only the loop may call it. Optional.
	Use func() ConnUse

	// TakeOver hands the output of the connection over: when the earlier replies have been sent, it
	// calls send on a goroutine of its own, and closes the connection when send returns. over is
	// closed when the connection ends. It must not wait. If nil, the session cannot be a replica.
	TakeOver func(send func(w io.Writer, over <-chan struct{}))

	CloseAfter bool // close the connection after this reply (QUIT, protocol errors)
}

// transaction is what MULTI has queued and what WATCH watches.
type transaction struct {
	Queue       [][]string
	QueueBytes  int64 // size of the queued arguments
	Watching    []*Watcher
	Queueing    bool
	InExec      bool // EXEC is running
	QueueFailed bool // EXEC must abort, because a queued command was wrong
	WatchBroken bool // a watched key changed
	Began       bool // it has sent MULTI or WATCH
}

// output is how a session gets its replies and what is not a reply.
type output struct {
	// Receive delivers a value that is not a reply, in protocol proto, and returns the number of bytes
	// that wait to be sent. If they reach limit (0: no limit), it sends nothing more, and the session
	// is ended. The loop calls it, so it must not wait. If nil, the session receives nothing.
	Receive func(v reply.Value, proto int, limit int64) (waiting int64)

	OwnPushes  []reply.Value // what precedes the reply to its own command, such as the replies of SUBSCRIBE
	AfterReply []reply.Value // what follows the reply to its own command
	AfterAll   []reply.Value // what follows all replies of an EXEC, and AfterReply otherwise
	slowSince  int64         // since when (ms) more output than the soft limit is unread; 0: it is not

	// SeparatePushes is set if pushed values do not travel with the replies, as for a session in
	// process. They need no common order then, and all commands stay usable while subscribed.
	SeparatePushes bool
	// Async is set once the session has subscribed or received something while it ran no command. From
	// then on its replies go through Receive as well, which keeps all output in order.
	Async bool

	ReplyOff        bool // CLIENT REPLY OFF
	SkipNext        bool // CLIENT REPLY SKIP
	RepliesTurnedOn bool // the last command was CLIENT REPLY ON
	silent          bool // CLIENT REPLY drops the reply of the running command
}

// Muted reports whether the reply of the next command is dropped (CLIENT REPLY).
func (o *output) Muted() bool { return o.ReplyOff || o.SkipNext }

// subscriber is what a session has subscribed to.
type subscriber struct {
	Topics     [topicKinds]subscriptions
	subscribed int // number of subscriptions
}

// rights are what a session may do.
type rights struct {
	User          *acl.User // nil: no restrictions
	Caller        *Session  // in the session of a script's commands: the session that runs the script
	Authenticated bool      // logged in, or the default user needed no password when the session began
	MustObey      bool      // its commands come from a master or from the append-only file
}

// debugging is whether and how the scripts of a session are debugged.
type debugging struct {
	Allowed bool      // the caller accepts scripts that SCRIPT DEBUG hands over
	Mode    DebugMode // SCRIPT DEBUG
	Shown   bool      // monitors have seen the script that is being handed over
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
func (s Control) NewSession(addr, laddr string) *Session {
	s.Clients.lastID++
	now := s.Store.Now()
	sess := &Session{
		connection: connection{Addr: addr, LAddr: laddr},
		ID:         s.Clients.lastID, DB: s.Store.DB(0), Proto: 2, Created: now, Active: now,
	}
	s.ResetAuth(sess)
	s.Clients.ByID[sess.ID] = sess
	s.Stats.Connections++
	return sess
}

// NewSharedSession returns a session for concurrent callers. Commands that keep state between calls
// (MULTI, WATCH, SELECT) are refused in it, and CLIENT LIST does not show it.
func (s Control) NewSharedSession() *Session {
	return &Session{
		rights: rights{User: s.Access.Default, Authenticated: true},
		DB:     s.Store.DB(0), Proto: 2, Created: s.Store.Now(), shared: true,
	}
}

// NewProgramSession returns a shared session for the program around the engine, whose commands pass
// every check of rights and every pause.
func (s Control) NewProgramSession() *Session {
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

// closeSession ends a session and removes it from the server. A second call does nothing.
func (s *Server) closeSession(sess *Session) {
	if sess.Waiting != nil {
		s.cancel(sess.Waiting)
	}
	s.Clients.Unwatch(sess)
	s.UnsubscribeAll(sess)
	s.EndMonitor(sess)
	s.EndTracking(sess)
	if sess.Replicating {
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
		s.cancel(sess.Waiting)
	}
	if sess == current && !sess.SeparatePushes {
		return
	}
	s.closeSession(sess)
	sess.end(Killed)
}

// end closes the connection of a session immediately, if it has one.
func (c *connection) end(why Ending) {
	c.CloseAfter = true
	if c.Kill != nil {
		c.Kill(why)
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
