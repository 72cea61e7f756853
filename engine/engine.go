package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// Options of an engine. The zero value works.
type Options struct {
	// Databases is the number of databases that SELECT knows. Default 16.
	Databases int
	// Clock is the time that the engine sees. Default: the machine's clock.
	Clock Clock
	// Rand is the source of random choices (SPOP, RANDOMKEY ...). Default: a random seed.
	Rand rand.Source
	// Logger receives redis.log and the engine's own messages. Default: nothing is logged.
	Logger *slog.Logger
	// QueueLength bounds the command channel, in requests; callers beyond it wait. Default 1024.
	QueueLength int
	// Compat is the version of Redis that the engine follows: "7.0" (the default), "7.4" or "8.0".
	// What came later than that does not exist.
	Compat string
	// Cluster puts the engine in cluster mode, as the one node of a Redis Cluster, to which all slots
	// belong: keys of one command, transaction or script must share a slot, and there is one database,
	// as on any cluster. What would break there breaks here.
	Cluster bool
	// OneSlot holds each script and function to keys of one hash slot, those that it declares and
	// those that it uses, as if it ran on a Redis Cluster, and with the same errors; all else is as
	// usual. It is stricter than Cluster for scripts that do not begin with #!, whose keys a cluster
	// does not look at unless another node has them. A script with the flag allow-cross-slot-keys may
	// use keys of any slots. With Cluster too, scripts without #! are held to one slot there.
	OneSlot bool
	// ScriptMemory is how many bytes a script may take, about: its values, what library functions
	// make, its reply, and its code while it is compiled. A script that needs more ends with an error.
	// Default: 512 MB, or a quarter of Go's memory limit (GOMEMLIMIT) if that is less. Negative: no
	// bound.
	ScriptMemory int64
	// ScriptSteps is how many steps a script or function may take: calls, turns of loops, and about
	// one for each byte or element that a library function works on for long. One that takes more ends
	// with an error; what it has written stays, as after any error. The count is the same each time,
	// whatever the machine does. Default: any number, which is faster.
	ScriptSteps int64
	// OnShutdown is called, on a goroutine of its own, when a client sends SHUTDOWN: the program is to
	// close its servers and the engine. Nil: SHUTDOWN answers an error.
	OnShutdown func()
	// Config holds parameters as CONFIG SET takes them, such as "hash-max-listpack-entries".
	Config map[string]string
	// Fixed holds parameters that only a start can set, such as "port" and "unixsocket": CONFIG GET
	// and INFO tell them, as what the program around the engine has done. They change nothing in the
	// engine.
	Fixed map[string]string
	// ConfigFile holds what a configuration file sets: parameters, users, and, where the other options
	// do not say it, Databases, Cluster and ACLFile. Fixed and Config go before it. CONFIG REWRITE
	// writes the file anew. Default: there is none.
	ConfigFile *ConfigFile
	// ReloadTLS is called, on the engine's own goroutine, when CONFIG SET names a parameter of TLS
	// certificates (tls-cert-file, tls-key-file, tls-ca-cert-file, tls-auth-clients): the program is
	// to read them anew for connections to come. value tells the parameters. After an error they are
	// as before, and the command fails. Nil: the values are only kept.
	ReloadTLS func(value func(name string) string) error
	// ACLFile is the path of a file of users, as ACL SAVE writes it: it is read at the start, and by
	// ACL LOAD. Default: there is none, and the one user is default.
	ACLFile string
}

// Engine is an in-memory Redis with its own keyspace and Lua state. Make it with [New]; it
// is safe for use by any number of goroutines.
type Engine struct {
	requests chan *request // the one command channel; never closed
	first    chan *request // holds at most one: taken from requests by the loop, which waits for owner
	free     requests      // the pool of unused requests
	inflight atomic.Int64  // calls between their first and last touch of requests
	closed   atomic.Bool
	stopped  chan struct{}  // closed when the loop has ended
	self     atomic.Uintptr // the goroutine that runs the loop; 0: not known
	owner    sync.Mutex     // held while running the loop, by its goroutine or by one that has borrowed it
	clock    Clock
	log      *slog.Logger
	compat   cmdtable.Compat
	memory   int64 // Options.ScriptMemory; 0: any
	steps    int64 // Options.ScriptSteps
	oneSlot  bool  // Options.OneSlot
	options  Options
	shard    *share // of a cluster, or nil

	mu       sync.Mutex // guards debugged
	debugged *debugEnd  // of the script that a debugger runs, or nil

	// Owned by the loop.
	server    *server.Server
	scripts   *scripts
	functions *functions
	shared    *server.Session // for calls on the Engine itself
	current   *request
	running   *request // whose batch runs, or has run and is not answered
	turn      *turn    // the running turn; nil: none, or released
	slept     bool     // a command has let time pass since the store's clock was set
	looking   bool     // lookTick is to come
	stopLook  func()
	stopTrim  func() // stops the timer of trimTick; nil: not armed
	nextMark  int64  // us since the epoch: when the server is to note its counters
	tick      timer
	expiring  int64                      // ns that removing keys has taken since it was last an event of LATENCY
	inboxes   map[*server.Session]*inbox // of the sessions in process
	watch     watch
	choosers  []*chooser // who intercepts scripts; nil: nobody
	compiling compiling
	waits
}

// New starts an engine. It returns an error if Options.Compat is not a version that it can follow,
// if Options.Config has an unknown parameter or an invalid value, or if the program is built with a
// version of gopher-lua other than v1.1.2, on whose internals this module relies.
func New(o Options) (*Engine, error) { return newEngine(o, nil, nil) }

// newEngine is New for an engine that may be a shard of a cluster, or a fork, for which the loop of
// from calls it.
func newEngine(o Options, of *share, from *Engine) (*Engine, error) {
	compat, ok := cmdtable.ParseCompat(o.Compat)
	if !ok {
		return nil, fmt.Errorf("redmoon: option Compat: %q is none of %s", o.Compat, strings.Join(cmdtable.CompatNames(), ", "))
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	}
	if o.QueueLength <= 0 {
		o.QueueLength = 1024
	}
	if err := luabridge.Supported(); err != nil {
		return nil, err
	}
	o.ConfigFile.fill(&o)
	store := newStore(&o, from)
	e := &Engine{
		requests: make(chan *request, o.QueueLength),
		first:    make(chan *request, 1),
		stopped:  make(chan struct{}),
		free:     newRequests(),
		clock:    o.Clock,
		log:      o.Logger,
		compat:   compat,
		memory:   scriptMemory(o.ScriptMemory),
		steps:    max(0, o.ScriptSteps),
		oneSlot:  o.OneSlot,
		inboxes:  map[*server.Session]*inbox{},
		waits:    newWaits(),
		options:  o,
		shard:    of,
	}
	e.server = server.NewServer(store, commands.TableOf(compat), o.Logger)
	e.server.Panicked = e.panicked
	e.server.MaxReply, e.server.MaxScriptReply = scriptMemory(0), e.memory
	e.server.Turned = e.turned
	e.server.Wait = func(micros int64) {
		e.clock.Sleep(time.Duration(micros) * time.Microsecond)
		e.slept = true
	}
	e.server.Monotonic = func() int64 { return e.clock.Now().UnixNano() }
	if _, ok := o.Clock.(realClock); ok {
		start := time.Now()
		e.server.Monotonic = func() int64 { return int64(time.Since(start)) }
	}
	e.server.EvictSoon = func() { e.clock.AfterFunc(0, e.evict) }
	if o.OnShutdown != nil {
		e.server.Shutdown = sync.OnceFunc(func() { go o.OnShutdown() })
	}
	e.server.KillScript = func(reason string) { e.watch.running.Kill(reason) }
	e.server.CompileLater, e.server.LongText, e.server.KillCompiler = e.compileLater, luabridge.LongText, e.killCompiler
	e.server.ScriptMillis = e.scriptMillis
	e.server.Answers = e.answers
	e.scripts = newScripts(e)
	e.server.Scripts = e.scripts
	fail := func(err error) (*Engine, error) {
		e.scripts.close()
		e.watch.close()
		e.free.close()
		return nil, err
	}
	e.functions = newFunctions(e)
	e.server.Functions = e.functions
	store.SetNow(e.clock.Now().UnixMicro())
	e.server.Stats.StartMicros = store.NowMicros()
	if o.ConfigFile != nil {
		if err := e.server.UseConfigFile(o.ConfigFile.file, o.ACLFile != ""); err != nil {
			return fail(fmt.Errorf("redmoon: option ConfigFile: %w", err))
		}
	}
	if o.ACLFile != "" {
		if err := e.server.LoadUsers(o.ACLFile); err != nil {
			return fail(fmt.Errorf("redmoon: option ACLFile: %w", err))
		}
	}
	switch {
	case of != nil:
		e.server.EnableShard(of.first, of.last, of.where)
	case o.Cluster:
		e.server.EnableCluster()
	}
	if o.OneSlot {
		e.server.EnforceOneSlot()
	}
	if from != nil {
		if err := e.inherit(from); err != nil {
			return fail(err)
		}
	}
	e.shared = e.server.NewSharedSession()
	for name, value := range o.Fixed {
		if err := e.server.Config.Fix(name, value); err != nil {
			return fail(fmt.Errorf("redmoon: option Fixed: %w", err))
		}
	}
	for name, value := range o.Config {
		if v := e.server.Execute(e.shared, cmdtable.DoorClient, []string{"CONFIG", "SET", name, value}); v.IsError() {
			return fail(fmt.Errorf("redmoon: option %s: %w", name, v.Err()))
		}
	}
	e.server.LookSoon = e.lookSoon
	e.server.TrimSoon = e.trimSoon
	e.server.Config.ConnLimitsChanged = e.watchClients
	e.server.Config.ReloadTLS = o.ReloadTLS
	e.watchClients()
	if from != nil {
		e.armTimer()
	}
	go e.loop()
	return e, nil
}

// newStore makes the store of an engine with these options: for a fork of from a copy of its store.
func newStore(o *Options, from *Engine) *datastore.Store {
	if from == nil {
		return datastore.New(datastore.Options{Databases: o.Databases, Rand: o.Rand, Limits: datastore.DefaultLimits()})
	}
	return from.server.Store.Fork(rand.NewPCG(0, 0)) // inherit sets the source, once the engine has made its names
}

// Close stops the engine. Calls that are being run end as usual, but for scripts that run for
// longer than busy-reply-threshold (5 seconds where that is 0), which are stopped; all others, now
// and later, answer [ErrClosed]. It returns when the loop has ended; a second call does nothing.
// The error is nil, or [ErrReentrant].
func (e *Engine) Close() error {
	if e.reentrant() {
		return ErrReentrant
	}
	if e.closed.Swap(true) {
		<-e.stopped
		return nil
	}
	e.releaseDebugged()
	r := e.newRequest()
	r.kind = stopRequest
	e.requests <- r
	<-e.stopped
	return nil
}

// Do runs one command: its name and its arguments, as strings, bytes, numbers or booleans.
func (e *Engine) Do(ctx context.Context, args ...any) (Value, error) {
	return e.do(ctx, e.shared, args)
}

// DoStrings is [Engine.Do] for arguments that are strings already; it allocates nothing. args may
// be used again when it returns.
func (e *Engine) DoStrings(ctx context.Context, args ...string) (Value, error) {
	return e.doStrings(ctx, e.shared, args)
}

// Eval runs a script: Redis's EVAL. keys and args become KEYS and ARGV.
func (e *Engine) Eval(ctx context.Context, script string, keys []string, args ...any) (Value, error) {
	return e.eval(ctx, e.shared, "EVAL", script, keys, args)
}

// EvalSHA runs a cached script by its SHA1: Redis's EVALSHA. It returns an error that is
// [ErrNoScript] when the script is not in the cache.
func (e *Engine) EvalSHA(ctx context.Context, sha1 string, keys []string, args ...any) (Value, error) {
	return e.eval(ctx, e.shared, "EVALSHA", sha1, keys, args)
}
