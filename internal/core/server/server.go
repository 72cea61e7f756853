package server

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/core/migrate"
	"github.com/redmoon-lua/redmoon/reply"
)

// Scripts runs Lua for the EVAL family. The engine implements it on top of luabridge.
type Scripts interface {
	// Eval runs source. readOnly refuses writes (EVAL_RO).
	Eval(c *Ctx, source string, keys, argv []string, readOnly bool) reply.Value
	// EvalSHA runs a cached script. sha is case-insensitive. The reply is NOSCRIPT if the script is
	// not cached.
	EvalSHA(c *Ctx, sha string, keys, argv []string, readOnly bool) reply.Value
	// Load compiles source, caches it and replies with its SHA1.
	Load(c *Ctx, source string) reply.Value
	// Exists reports whether the script with that SHA1 (hexadecimal, case-insensitive) is cached.
	Exists(sha string) bool
	// Flags returns the flags of a script, which is given by its SHA1 if bySHA is set and else by its
	// source. It returns no flags for a SHA1 that is not cached.
	Flags(script string, bySHA bool) ScriptFlags
	// Flush empties the cache and creates a new Lua state.
	Flush()
	// Len returns the number of cached scripts, Bytes the total length of their sources.
	Len() int
	Bytes() int
}

// ScriptFlags are the flags that a script or function declares.
type ScriptFlags struct {
	Declared bool // it declares flags, even if none are set; functions always do

	NoWrites, AllowOOM, AllowStale bool
}

// Server is the state that all sessions share: keyspace, configuration, counters.
type Server struct {
	Store     *datastore.Store
	Follows   servers.Server
	Table     *cmdtable.Table // the commands of the version of Redis, by the names that clients use
	commands  *Commands
	Scripts   Scripts
	Functions Functions
	Log       *slog.Logger
	Config    *config.Config
	Stats     Stats
	Rejected  atomic.Int64 // refused connections; the server counts those beyond maxclients

	Owner Owner

	// MaxReply is the limit, in bytes, of a reply whose length the client chooses, for example by
	// SRANDMEMBER key -count. MaxScriptReply is the limit in scripts. 0 means no limit.
	MaxReply, MaxScriptReply int64

	slots      datastore.SlotCache
	Sessions   map[int64]*Session
	nextID     int64
	AnyNoTouch bool // a session has set CLIENT NO-TOUCH
	Watched    map[WatchKey][]*Watcher
	waiters
	effects       effects
	images        images
	Loading       Loading
	TimeFlows     bool        // a script, a function and a transaction see the time move, as in Redis before 7.2
	ScriptMigrate bool        // scripts may call MIGRATE
	CopyMissing   bool        // the data of a replica is gone, and the copy of its master's has not been loaded
	LoadFailed    error       // why the data set is not whole; nil: it is. Everything is refused then
	Persistence   Persistence // nil: the data set is in memory only
	saved         int64       // Store.Dirty at the last save
	Replication   Replication // nil: only in tests
	Following     Following
	lacksReplicas bool // fewer replicas than min-replicas-to-write are in time
	Topics        [topicKinds]topics
	observers
	tracking    tracking
	Pause       pause
	Memory      memoryState
	ExecLen     int   // number of commands of the running EXEC; 0: none runs
	ExecBytes   int64 // size of its queue
	Clients     clientSums
	overflowed  []*Session // sessions that did not read their output; their connections are closed
	pendingWork bool       // EndRequest has something to do
	levels      []*Ctx
	level       int                      // number of levels in use
	reporting   bool                     // the changes of a script are being reported
	lookups     []datastore.FutureLookup // reused by ReadAhead
	LastTime    second                   // the last reply of TIME
	resolved    [64]struct {
		name string // kept, so that its address stays unique
		spec *cmdtable.Spec
	}
	Run       Run    // the running script or function
	BusyError string // the error that clients get while a script or function is busy, or ""
	rerun     *Rerun // of the running script; nil if it cannot be rerun
	undo      *undo  // of the running command; nil if a failure leaves what was done
	undoing   undo   // reused

	// UndoFailures makes scripts, functions and transactions leave nothing when they fail.
	UndoFailures bool

	Cluster *cluster // nil unless in cluster mode
	oneSlot bool     // each script must use one slot
	slotted bool     // Cluster is set or oneSlot is true
	strict  keyRules // the keys that scripts may use

	standing uint32 // see updateStanding
	Access   *acl.List
	Slowlog  slowlog
	Latency  latencyLog
	Debug    debugState

	runID string
	Rates Rates

	ConfigFile string          // the path of the file that CONFIG REWRITE writes; "" if none
	renamed    *cmdtable.Table // commands with the names of the configuration file; nil: no file

	MigrateSockets *migrate.Sockets // the connections of MIGRATE
}

// Stats are counters for INFO.
type Stats struct {
	StartMicros  int64 // time of the start
	Commands     int64 // commands processed
	Connections  int64 // sessions ever opened
	Hits         int64 // lookups of read commands that found the key
	Misses       int64
	NetIn        int64 // bytes read by the RESP server
	NetOut       int64
	Reads        int64 // reads from and writes to sockets
	Writes       int64
	ExpireNanos  int64            // ns spent on removing expired keys
	Errors       map[string]int64 // error replies by code
	ErrorReplies int64
	// UnexpectedErrors is the number of errors of commands of the master and of replicas.
	UnexpectedErrors int64
	Calls            CallStats
	Scripts          ScriptStats
	Images           ImageCounts
}

// NewServer returns a server on store with these commands, the default configuration and no
// sessions.
func NewServer(store *datastore.Store, c *Commands, log *slog.Logger) *Server {
	table := c.Rows
	s := &Server{
		commands: c, Owner: NoOwner{}, Store: store, Follows: table.Server(), Table: table, Log: log, Config: config.New(store.Limits(), table.Server()),
		MigrateSockets: migrate.New(nil), Sessions: map[int64]*Session{}, Watched: map[WatchKey][]*Watcher{}, waiters: newWaiters(),
	}
	s.Config.PasswordChanged = func(password string) { s.Access.SetDefaultPassword(password) }
	s.Config.MaxTrackedKeysChanged = s.trimSoon
	s.Config.ClientMemoryChanged = func() {
		s.accountAll()
		s.pendingWork = true
	}
	s.runID = NewRunID(store)
	s.Config.Fix("databases", strconv.Itoa(store.Databases()))
	s.Stats.Errors = map[string]int64{}
	s.Stats.Calls = newCallStats(table.Len())
	s.Access = acl.NewList(table, s.Config)
	store.Listen(s.changed)
	return s
}

// NewRunID returns 40 random hexadecimal digits that identify this server.
func NewRunID(store *datastore.Store) string {
	r := store.Rand()
	return fmt.Sprintf("%016x%016x%08x", r.Uint64(), r.Uint64(), r.Uint32())
}
