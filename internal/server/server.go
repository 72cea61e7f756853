package server

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/acl"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/config"
	"github.com/redmoon-lua/redmoon/reply"
)

// Scripts runs Lua for the EVAL family. The engine implements it on top of luabridge.
type Scripts interface {
	// Eval runs source; readOnly refuses writes (EVAL_RO).
	Eval(c *Ctx, source string, keys, argv []string, readOnly bool) reply.Value
	// EvalSHA runs a script that is in the cache (sha in any case); the reply is NOSCRIPT when it is
	// not.
	EvalSHA(c *Ctx, sha string, keys, argv []string, readOnly bool) reply.Value
	// RunCompiled runs c.Compiled.
	RunCompiled(c *Ctx, keys, argv []string, readOnly bool) reply.Value
	// Load compiles source into the cache and replies with its SHA1.
	Load(c *Ctx, source string) reply.Value
	// Exists reports whether the script with that SHA1 (hexadecimal, in any case) is in the cache.
	Exists(sha string) bool
	// Flags returns the flags of a script, by its SHA1 if bySHA is set and else by its source. It
	// returns none for a SHA1 that is not in the cache.
	Flags(script string, bySHA bool) ScriptFlags
	// Flush empties the cache and makes the Lua state anew.
	Flush()
	// Len and Bytes tell how many scripts are cached and how long their sources are.
	Len() int
	Bytes() int
}

// ScriptFlags are the flags that a script or function declares.
type ScriptFlags struct {
	Declared           bool // it declares its flags, be it none; functions always do
	NoWrites, AllowOOM bool
}

// Server is what all sessions share: keyspace, configuration, counters.
type Server struct {
	Store     *datastore.Store
	Compat    cmdtable.Compat
	Table     *cmdtable.Table // of Compat
	Scripts   Scripts
	Functions Functions
	Log       *slog.Logger
	Config    *config.Config
	Stats     Stats
	Rejected  atomic.Int64 // connections that were refused; a server counts those beyond maxclients

	// Shutdown tells the program around that a client has sent SHUTDOWN. It must not wait; nil:
	// SHUTDOWN is an error.
	Shutdown func()

	// Wait makes the loop pause for so many microseconds of its clock (DEBUG SLEEP).
	Wait func(micros int64)

	// KillScript ends the script or function that runs, with an error line that goes on with the place
	// which it has reached.
	KillScript func(reason string)
	// CompileLater starts to compile the text of a script or, if library is set, of a function
	// library, on another goroutine. It calls done on the loop when the text is compiled. It
	// returns nil if no compilation is needed; otherwise leave must be called if the command is
	// given up before done. It is called for texts of at least LongText bytes.
	CompileLater func(text string, library bool, done func()) (leave func())
	LongText     int
	// KillCompiler stops the compilation of a script or, if function is set, of a library. It
	// returns false if there is none.
	KillCompiler func(function bool) bool
	// ScriptMillis is for how many ms the running script or function has been seen to run.
	ScriptMillis func() int64

	// Answers reports whether replies to earlier commands of a session have yet to be sent. nil: there
	// are none.
	Answers func(sess *Session) bool

	// MaxReply is the limit, in bytes, of a reply whose length the client chooses, such as that of
	// SRANDMEMBER key -count. MaxScriptReply is the limit in scripts. 0: no limit.
	MaxReply, MaxScriptReply int64

	// EvictSoon makes Evict be called soon, after the requests that are there already. nil: it is not.
	EvictSoon func()

	// LookSoon makes LookAfterClients be called in about a second. nil: it is not.
	LookSoon func()
	// TrimSoon schedules a call of TrimTracked, which runs hz times a second while needed.
	// Optional.
	TrimSoon func()

	// Turned is told that a session is asynchronous from now on though it runs no command: the replies
	// that it has yet to get from its running batch, if there is one, must go through Receive first.
	Turned func(sess *Session)

	// Panicked logs a panic in what a waiting command did, and returns the error that it is answered
	// with.
	Panicked func(p any, command string) reply.Value

	// Monotonic is a running clock in nanoseconds that times the commands of clients for INFO, SLOWLOG
	// and LATENCY; nil: they are not timed.
	Monotonic func() int64

	slots      datastore.SlotCache
	Sessions   map[int64]*Session
	nextID     int64
	AnyNoTouch bool // a session has turned CLIENT NO-TOUCH on
	Watched    map[WatchKey][]*Watcher
	waiters
	Topics [topicKinds]topics
	observers
	tracking    tracking
	Pause       pause
	Memory      memoryState
	ExecLen     int   // commands of the EXEC that is running
	ExecBytes   int64 // what its queue took
	Clients     clientSums
	overflowed  []*Session // have not taken what they were sent; their connections are closed
	pendingWork bool       // EndRequest has something to do
	levels      []*Ctx
	level       int              // how many of levels are in use
	reporting   bool             // what a script has changed is being told
	wants       []datastore.Want // of ReadAhead, reused
	LastTime    second           // the last one that TIME told
	resolved    [64]struct {
		name string // kept, so that its address means nothing else
		spec *cmdtable.Spec
	}
	Run       Run // the script or function that runs
	compiled  any // of ExecuteCompiled
	numKeys   int
	BusyError string // what clients are answered while a script or function is busy, or ""
	rerun     *Rerun // of the running script; nil: it is none

	Cluster *cluster // nil unless in cluster mode
	oneSlot bool     // each script is held to one slot
	slotted bool     // one of these two
	Access  *acl.List
	Slowlog slowlog
	Latency latencyLog
	Debug   debugState

	runID string
	Rates Rates

	ConfigFile string // the path of the file that CONFIG REWRITE writes; "": none

}

// Stats are counters for INFO.
type Stats struct {
	StartMicros  int64 // clock at the start
	Commands     int64 // commands processed
	Connections  int64 // sessions ever opened
	Hits         int64 // key lookups of read commands that found the key
	Misses       int64
	NetIn        int64 // bytes read by the RESP server
	NetOut       int64
	Reads        int64 // reads from and writes to sockets
	Writes       int64
	ExpireNanos  int64            // spent on removing keys whose time had come
	Errors       map[string]int64 // error replies by code
	ErrorReplies int64
	Calls        []CallStat // by Spec.ID
}

// CallStat counts the calls of one command.
type CallStat struct {
	Calls, Rejected, Failed int64
	Nanos                   int64
	Times                   histogram
}

// NewServer returns a server on store, of the version of Redis that the table is of, with the
// default configuration and no sessions.
func NewServer(store *datastore.Store, table *cmdtable.Table, log *slog.Logger) *Server {
	s := &Server{
		Store: store, Compat: table.Compat(), Table: table, Log: log, Config: config.New(store.Limits()),
		Sessions: map[int64]*Session{}, Watched: map[WatchKey][]*Watcher{}, waiters: newWaiters(),
	}
	s.Config.PasswordChanged = func(password string) { s.Access.SetDefaultPassword(password) }
	s.Config.TrackedLimited = s.trimSoon
	s.Config.ClientsLimited = func() {
		s.accountAll()
		s.pendingWork = true
	}
	s.runID = NewRunID(store)
	s.Config.Fix("databases", strconv.Itoa(store.Databases()))
	s.Stats.Errors = map[string]int64{}
	s.Stats.Calls = make([]CallStat, table.Len())
	s.Access = acl.NewList(table, s.Config)
	store.Listen(s.changed)
	return s
}

// NewRunID makes the 40 hexadecimal digits that name this server.
func NewRunID(store *datastore.Store) string {
	r := store.Rand()
	return fmt.Sprintf("%016x%016x%08x", r.Uint64(), r.Uint64(), r.Uint32())
}
