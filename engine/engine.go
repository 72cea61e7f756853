package engine

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Options of an engine. The zero value works.
type Options struct {
	// Databases is the number of databases, which SELECT numbers from 0. Default: 16. In cluster mode
	// there is one; with Valkey 9 as many as the parameter cluster-databases in Fixed says.
	Databases int
	// Clock is the time that the engine sees. Default: the machine's clock.
	Clock Clock
	// Rand is the source of random choices (SPOP, RANDOMKEY ...). The engine uses it without a lock,
	// so nothing else may use it. Default: a source with a random seed.
	Rand rand.Source
	// Logger receives the output of redis.log and the engine's own messages. Its handler must not call
	// the engine. A record at which it panics is lost. Default: nothing is logged.
	Logger *slog.Logger
	// QueueLength is the number of requests that can wait for the loop. Further callers block until
	// there is room. Default: 1024.
	QueueLength int
	// Server is the server that the engine follows: one of [ServerNames], "redis" or "valkey" for the
	// newest, or the number of a version of Redis, such as "8.0". What only other servers have does
	// not exist. Default: [DefaultServer].
	Server string
	// Compat is an older name of Server. It counts if Server is "".
	Compat string
	// Cluster puts the engine in cluster mode, as the only node of a Redis Cluster, which owns all
	// slots. The keys of a command, transaction or script must share a slot, and there is one
	// database. Commands and scripts that would fail on a cluster fail here too.
	Cluster bool
	// OneSlot restricts each script and function to keys of one hash slot, both declared keys and used
	// keys, with the errors of a Redis Cluster. It changes nothing else. A script with the flag
	// allow-cross-slot-keys may still use keys of any slots.
	//
	// It also restricts scripts that do not begin with #!. Cluster does not: a Redis Cluster checks
	// the keys of such a script only if another node owns them. Cluster and OneSlot can be combined.
	OneSlot bool
	// StrictKeys says what a command of a script or function gets if it uses a key that is not among
	// the KEYS of the call. Default: [AnyKeys], as in Redis.
	StrictKeys KeyPolicy
	// ScriptMemory is the approximate number of bytes that a script may take: its values, the results
	// of library functions, its reply, and its code while it is compiled. A script that needs more
	// ends with an error. Default: 512 MiB, or a quarter of Go's memory limit (GOMEMLIMIT) if that is
	// less. Negative: no limit.
	ScriptMemory int64
	// ScriptSteps is the number of steps that a script or function may take: calls, iterations of
	// loops, and about one for each byte or element that a long library function processes. A script
	// that takes more ends with an error; what it has written stays, as after any error. The count
	// does not depend on the machine. Default: no limit, which is faster.
	ScriptSteps int64
	// ShufflePairs is the seed of the order in which pairs, next and table.foreach walk over tables in
	// scripts and functions. Lua leaves that order open, and a script that relies on it shows itself
	// when the order differs. Replies, for example that of SMEMBERS, keep their order. The same seed
	// gives the same order of string, number and boolean keys. It is for tests. Default: 0, the order
	// of Redis, which is faster.
	ShufflePairs uint64
	// OnScriptError says what becomes of the writes of a script or function that fails: it ends in an
	// error, also because it was killed, was stopped, or exceeded a limit. An error that redis.pcall
	// has caught is not a failure unless the script returns it. Default: [KeepWrites], as in Redis.
	//
	// With [Rollback] such a script leaves nothing: keys, their times, encodings and access times,
	// function libraries and counters are as before. Nobody is notified: no keyspace events, no
	// messages of PUBLISH, no invalidations, no effects for replicas and files; no EXEC fails because
	// of a watched key, and no blocked client is served. SCRIPT KILL, and a context that ends, stop a
	// script also after a write.
	//
	// Rollback applies to transactions, too: if a command of an EXEC fails, nothing that the EXEC has
	// written remains. Its reply is that of Redis, with the results of all commands.
	//
	// Not undone is what is not data: configuration, users, scripts in the cache, statistics, and the
	// state of sessions (SELECT, SUBSCRIBE). A key that MIGRATE has sent is then on both servers.
	// Commands that a master sends are never undone.
	OnScriptError ScriptErrorPolicy
	// ScriptMigrate lets scripts and functions call MIGRATE, which connects to any address that they
	// name. Default: false, they get an error, unlike in Redis.
	ScriptMigrate bool
	// Coverage counts which lines, branches and functions of scripts and libraries run. Engines may
	// share one. Results, errors and steps of scripts stay the same. Default: nothing is counted.
	Coverage *Coverage
	// Profile measures what the lines of scripts and libraries cost. Engines may share one. A command
	// that SLOWLOG records is then also logged, with the line of its script that took longest.
	// Default: nothing is measured.
	Profile *Profile
	// OnShutdown is called once, on a goroutine of its own, when a client sends SHUTDOWN. The program
	// must then close its servers and the engine; writes wait, and end with [ErrClosed]. The
	// connection of that client stays open until its server closes. If nil, SHUTDOWN returns an error.
	OnShutdown func()
	// Config maps the names of parameters, such as "hash-max-listpack-entries", to values in the form
	// that CONFIG SET takes. docs/dropin.md lists them. Default: none, so every parameter has Redis's
	// default.
	Config map[string]string
	// Fixed holds parameters that CONFIG SET cannot change, such as "port" and "unixsocket". CONFIG
	// GET and INFO show them; the engine itself does not use them. Default: none.
	Fixed map[string]string
	// ConfigFile holds the settings of a configuration file: parameters, users, and, unless the other
	// options set them, Databases, Cluster and ACLFile. Fixed and Config override it. CONFIG REWRITE
	// rewrites the file. Default: none.
	ConfigFile *ConfigFile
	// ApplyConfig is called on the engine's own goroutine when CONFIG SET has changed parameters that
	// concern the program around the engine, with the name of one of them:
	//   - "port", "bind" and "tls-port": where it listens,
	//   - a parameter of TLS, such as "tls-cert-file": the program must read the files again for new
	//     connections,
	//   - "loglevel", "maxclients", "oom-score-adj", "shutdown-on-sigint", "shutdown-on-sigterm",
	//     "proc-title-template".
	//
	// REPLICAOF calls it with "replicaof" when the engine follows another master or none; an error is
	// ignored.
	//
	// Of parameters that belong together, such as those of TLS, only the first is named. value returns
	// the new value of any parameter. After an error, whose text becomes the end of the error reply,
	// all parameters of the command have their old values again, and ApplyConfig is called again for
	// those that it had been called for. If it is nil, CONFIG SET of port, bind and tls-port is an
	// error, and the values of the others are only stored.
	ApplyConfig func(name string, value func(name string) string) error
	// Persistence keeps the data set in files; package persist makes it. New loads the data set, and
	// returns an error if the files cannot be read or written. Default: the data set is in memory
	// only.
	Persistence Persistence
	// ACLFile is the path of an ACL file, in the format of ACL SAVE. It is read at the start and by
	// ACL LOAD. Default: none; the only user is then the user "default".
	ACLFile string
}

// Engine is an in-memory Redis with its own keyspace and Lua state. Make it with [New]. It is safe
// for concurrent use.
type Engine struct {
	hinge

	mailbox
	clock   Clock
	log     *slog.Logger
	follows servers.Server
	memory  int64 // Options.ScriptMemory; 0: no limit
	steps   int64 // Options.ScriptSteps
	options Options
	shard   *share // of a cluster, or nil
	debugs  debugs

	// Owned by the loop.
	server server.Control
	table  *cmdtable.Table // of the server, as clients see it; any goroutine may read it
	shared *server.Session // for calls on the Engine itself
	serving
	timers
	scripting
	files       files
	inboxes     map[*server.Session]*inbox // of the sessions in process
	replication *replication.State
	waits
}

// New starts an engine. The caller must close it with [Engine.Close]: an engine that is only
// dropped is never collected, because its goroutine, its timers and the keyspace stay.
//
// New returns an error if Options.Server is not a known server, if Config or Fixed has an
// unknown parameter or an invalid value, if the users of ConfigFile or ACLFile cannot be loaded, or
// if the program is built with a version of gopher-lua other than v1.1.2, on whose internals this
// module relies.
func New(o Options) (*Engine, error) { return newEngine(o, nil, nil) }

// Close stops the engine and waits until its loop has ended. The command that is running ends as
// usual, except that MIGRATE stops waiting for its target. With Options.Persistence, the files are
// finished as by SHUTDOWN: the append-only file is flushed, and if there are save points the data
// set is saved. A script that is running is stopped when it has run for busy-reply-threshold, or
// for 5 seconds if that is longer or 0. Calls that are queued or blocked, and all later calls,
// return [ErrClosed]. A second Close waits in the same way. The error is nil or [ErrReentrant], or
// says what could not be written.
func (e *Engine) Close() error {
	if e.reentrant() {
		return ErrReentrant
	}
	if e.closed.Swap(true) {
		<-e.stopped
		return e.files.closeErr
	}
	e.debugs.release()
	e.server.MigrateSockets.Stop()
	r := e.newRequest()
	r.kind = stopRequest
	e.requests <- r
	<-e.stopped
	return e.files.closeErr
}

// Do runs one command and waits for its reply. args are its name and its arguments:
//   - strings and []byte are sent unchanged,
//   - integers and floats in decimal,
//   - booleans as 1 and 0,
//   - nil as the empty string,
//   - a time.Duration as its number of nanoseconds (EX and PX need seconds and milliseconds:
//     convert it),
//   - a time.Time in RFC 3339,
//   - an encoding.BinaryMarshaler as its bytes.
//
// Any other type is an error, and the command does not run.
//
// An error reply is returned both as the Value and as an *[Error]. Other errors are that of ctx, if
// the command had no effect, [ErrClosed] and [ErrReentrant]. Commands that need state between
// calls, such as MULTI, SELECT and SUBSCRIBE, are an error here: use a [Session].
func (e *Engine) Do(ctx context.Context, args ...any) (Value, error) {
	return e.do(ctx, e.shared, args)
}

// DoStrings is [Engine.Do] for arguments that are strings already. The call itself allocates
// nothing. The caller may reuse args when it returns.
func (e *Engine) DoStrings(ctx context.Context, args ...string) (Value, error) {
	return e.doStrings(ctx, e.shared, args)
}

// Eval runs the text of a script and waits for its result: Redis's EVAL. keys and args become KEYS
// and ARGV; nil means none. args are converted, and errors are returned, as by [Engine.Do]. The
// text stays in the script cache until SCRIPT FLUSH, so pass values as args, not within the text. A
// [Script] is faster to call.
func (e *Engine) Eval(ctx context.Context, script string, keys []string, args ...any) (Value, error) {
	return e.eval(ctx, e.shared, "EVAL", script, keys, args)
}

// EvalSHA runs a cached script by its SHA1: Redis's EVALSHA. The error matches [ErrNoScript] if the
// script is not cached.
func (e *Engine) EvalSHA(ctx context.Context, sha1 string, keys []string, args ...any) (Value, error) {
	return e.eval(ctx, e.shared, "EVALSHA", sha1, keys, args)
}
