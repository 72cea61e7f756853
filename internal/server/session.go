package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/acl"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Session is one caller's state: a RESP connection, or an engine.Session in process.
type Session struct {
	ID              int64
	Name            string
	Addr, LAddr     string // peer and own address; empty in process
	DB              *datastore.DB
	Proto           int  // 2 or 3
	Authenticated   bool // has logged in, or the default user needed no password when the session began
	NoEvict         bool
	NoTouch         bool         // CLIENT NO-TOUCH
	LibName, LibVer string       // CLIENT SETINFO
	Created         int64        // ms
	Active          int64        // ms of the last command
	Kill            func(Ending) // ends the connection at once; it must not wait. nil: there is none
	CloseAfter      bool         // the connection is to be closed after this reply (QUIT, protocol errors)
	ReplyOff        bool         // CLIENT REPLY OFF
	SkipNext        bool         // CLIENT REPLY SKIP
	Held            bool         // for the engine: a call waits, and others of the session wait behind it
	MayDebug        bool         // who serves the session takes scripts that SCRIPT DEBUG hands over
	Debug           DebugMode    // SCRIPT DEBUG
	ShownToMonitors bool         // monitors have seen the script that is to be debugged
	shared          bool         // many callers at once: commands that keep state are refused

	// Activity is a number that grows with what the connection reads and writes; it may be asked from
	// any goroutine. nil: the session is never idle.
	Activity func() int64
	activity int64 // what Activity told when idle connections were looked for last
	heard    int64 // ms: when it had grown

	// Use asks what the connection holds for the session; only the loop may call it. nil: nothing.
	Use     func() ConnUse
	Counted int64 // bytes that it takes, as the sum of all clients has it
	moved   int64 // when its size came into its present class
	gone    bool  // the server knows it no more

	User            *acl.User      // nil: everything is allowed
	Caller          *Session       // of a script's commands: the session that runs the script
	last            *cmdtable.Spec // the last command
	RepliesTurnedOn bool           // CLIENT REPLY ON has just run

	slot      int  // in cluster mode: of the keys of its command, or noSlot
	crossSlot bool // of a script's commands: they may use keys of any slots
	ReadOnly  bool // READONLY

	Queueing    bool
	InExec      bool // its EXEC is running
	Queue       [][]string
	QueueBytes  int64 // of its arguments
	QueueFailed bool  // EXEC must abort: a queued command was wrong
	WatchBroken bool  // a watched key changed
	Watching    []*Watcher
	Waiting     *BlockedClient // its command waits; nil also for the shared session

	// Receive hands over what the session did not just ask for, to be sent in protocol proto, and
	// tells how many bytes are waiting to be sent. The loop calls it: it must not wait. nil: the
	// session can receive nothing.
	Receive func(v reply.Value, proto int) (waiting int64)
	// Apart says that what Receive gets and the replies go different ways, as for a session in
	// process: nothing need be in order between them, and a subscription leaves all commands usable.
	Apart bool
	// Async says that the session has subscribed once, or has been sent something while it ran no
	// command: its replies go through Receive as well from then on, so that all it gets is in order.
	Async bool

	Topics     [topicKinds]subscriptions
	subscribed int           // how many subscriptions it has
	OwnPushes  []reply.Value // what its own command has sent to it
	AfterReply []reply.Value // what it is to get right behind the reply to its own command
	Monitors   bool          // MONITOR
	silent     bool          // CLIENT REPLY drops what the running command answers
	Track      *Tracker      // CLIENT TRACKING; nil: it has never been turned on
	slowSince  int64         // ms; more than the soft limit has been waiting for it since; 0: it has not
}

// Ending is why a session is ended from our side.
type Ending uint8

// The reasons.
const (
	Killed  Ending = iota // CLIENT KILL, or its user is gone
	TooSlow               // more is waiting for it than client-output-buffer-limit allows
	Quit                  // it has asked for it
)

type WatchKey struct {
	DB  *datastore.DB
	Key string
}

// Watcher is a session that watches a key.
type Watcher struct {
	WatchKey
	Sess *Session
	// dead: the key had already expired when it was watched, or when SWAPDB brought it. Its removal
	// then does not count as a change.
	Dead bool
}

// NewSession opens a session on database 0 in RESP2.
func (s *Server) NewSession(addr, laddr string) *Session {
	s.nextID++
	now := s.Store.Now()
	sess := &Session{ID: s.nextID, Addr: addr, LAddr: laddr, DB: s.Store.DB(0), Proto: 2, Created: now, Active: now}
	s.ResetAuth(sess)
	s.Sessions[sess.ID] = sess
	s.Stats.Connections++
	return sess
}

// NewSharedSession returns a session for any number of callers at once. Commands that keep state
// between calls (MULTI, WATCH, SELECT ...) are refused in it, and CLIENT LIST does not show it.
func (s *Server) NewSharedSession() *Session {
	return &Session{DB: s.Store.DB(0), Proto: 2, Authenticated: true, User: s.Access.Default, Created: s.Store.Now(), shared: true}
}

// ResetAuth gives a session the rights of a new one, those of the default user. A session in
// process (without an address) needs no password.
func (s *Server) ResetAuth(sess *Session) {
	sess.User = s.Access.Default
	sess.Authenticated = sess.Addr == "" || s.Access.NeedsNoPassword()
}

// CloseSession ends a session: the server does nothing for it any more, and lists it no more. A
// second call does nothing.
func (s *Server) CloseSession(sess *Session) {
	if sess.Waiting != nil {
		s.Cancel(sess.Waiting)
	}
	s.Unwatch(sess)
	s.UnsubscribeAll(sess)
	s.EndMonitor(sess)
	s.EndTracking(sess)
	s.discount(sess)
	sess.gone = true
	delete(s.Sessions, sess.ID)
}

// HangUp closes the connection of a session: that of the current command once it has been answered,
// others at once, and the server forgets them.
func (s *Server) HangUp(sess, current *Session) {
	sess.CloseAfter = true
	if sess.Waiting != nil {
		s.Cancel(sess.Waiting)
	}
	if sess == current && !sess.Apart {
		return
	}
	s.CloseSession(sess)
	sess.end(Killed)
}

// end ends the connection of a session, if there is one, at once.
func (sess *Session) end(why Ending) {
	sess.CloseAfter = true
	if sess.Kill != nil {
		sess.Kill(why)
	}
}

// leave ends the session once its command has been answered.
func (sess *Session) LeaveAfterReply() {
	sess.CloseAfter = true
	if sess.Apart {
		sess.end(Quit)
	}
}

// narrowed reports whether the session may only subscribe and unsubscribe, since a reply could not
// be told from a message.
func (sess *Session) SubscribeOnly() bool {
	return sess.subscribed > 0 && sess.Proto == 2 && !sess.Apart
}

// InMulti reports whether the session is between MULTI and EXEC.
func (sess *Session) InMulti() bool { return sess.Queueing }
