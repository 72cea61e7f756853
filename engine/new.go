package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/safelog"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/replication"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// newEngine is New for an engine that may be a shard of a cluster or a fork. For a fork, the loop
// of from calls it.
func newEngine(o Options, of *share, from *Engine) (*Engine, error) {
	follows, err := o.complete()
	if err != nil {
		return nil, err
	}
	if from != nil {
		o.Persistence = nil // the files belong to the engine that is forked
	}
	e := assemble(o, follows, of, newStore(&o, follows, from))
	if err := e.setUp(from); err != nil {
		e.discard()
		return nil, err
	}
	go e.loop()
	if o.Persistence != nil && !enginedoor.Of(o.Persistence).Background() { // else the program calls AwaitLoad
		if err := e.AwaitLoad(context.Background()); err != nil {
			_ = e.Close()
			return nil, err
		}
	}
	return e, nil
}

// complete sets the options that have defaults, and returns the server to follow.
func (o *Options) complete() (servers.Server, error) {
	name := cmp.Or(o.Server, o.Compat)
	follows, ok := servers.Parse(name)
	if !ok {
		return follows, fmt.Errorf("redmoon: option Server: %q is not one of %s", name, servers.Names())
	}
	if err := luabridge.Supported(); err != nil {
		return follows, err
	}
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	} else {
		o.Logger = safelog.New(o.Logger)
	}
	if o.QueueLength <= 0 {
		o.QueueLength = 1024
	}
	o.ConfigFile.fill(o)
	return follows, nil
}

// newStore makes the store of an engine with these options. For a fork it is a copy of the store of
// from.
func newStore(o *Options, follows servers.Server, from *Engine) *datastore.Store {
	if from == nil {
		return datastore.New(datastore.Options{Databases: o.databases(follows), Rand: o.Rand, Limits: datastore.DefaultLimits()})
	}
	return from.server.Store.Fork(rand.NewPCG(0, 0)) // inherit sets the source after the engine has generated its IDs
}

// databases returns how many databases the store has; 0 is its default. A server in cluster mode
// that refuses SELECT only because there is no such database has as many as it may use.
func (o *Options) databases(follows servers.Server) int {
	if !o.Cluster || !follows.Has(servers.ClusterDatabases) {
		return o.Databases
	}
	n, err := strconv.Atoi(o.Fixed["cluster-databases"])
	if err != nil || !follows.Has(servers.NumberedClusterDatabases) {
		return 1
	}
	return max(1, n)
}

// assemble makes an engine of its parts: the server, replication, scripts and functions.
func assemble(o Options, follows servers.Server, of *share, store *datastore.Store) *Engine {
	e := &Engine{
		mailbox: newMailbox(o.QueueLength),
		clock:   o.Clock,
		log:     o.Logger,
		follows: follows,
		memory:  scriptMemory(o.ScriptMemory),
		steps:   max(0, o.ScriptSteps),
		inboxes: map[*server.Session]*inbox{},
		waits:   newWaits(),
		options: o,
		shard:   of,
	}
	e.hinge = enginedoor.NewHinge[engineDoor](door{e})
	e.server = server.NewServer(store, commands.Of(follows), o.Logger)
	e.server.Owner = e.newOwner()
	e.setRules()
	e.replication = replication.New(e.server, e.replicationEnv())
	e.scripts = newScripts(e)
	e.functions = newFunctions(e)
	e.server.Scripts, e.server.Functions = e.scripts, e.functions
	store.SetNow(e.clock.Now().UnixMicro())
	e.server.Stats.StartMicros = store.NowMicros()
	return e
}

// newOwner returns the engine as its server sees it, and lets the store read the machine's clock.
func (e *Engine) newOwner() *owner {
	w := &owner{e: e}
	if _, ok := e.clock.(realClock); ok { // others move between requests, and when a command sleeps
		e.server.Store.SetClock(func() int64 { return e.clock.Now().UnixMicro() })
		w.start = time.Now()
	}
	if f := e.options.OnShutdown; f != nil {
		w.shutdown = sync.OnceFunc(func() { go f() })
	}
	return w
}

// setRules sets how scripts run.
func (e *Engine) setRules() {
	r := &e.server.Rules
	r.TimeFlows = !e.follows.Has(servers.FrozenClock)
	r.Migrate = e.options.ScriptMigrate
	r.UndoFailures = e.options.OnScriptError == Rollback
	r.MaxReply, r.MaxScriptReply = scriptMemory(0), e.memory
	e.server.SetKeyPolicy(server.KeyPolicy(e.options.StrictKeys))
}

// setUp does what can fail: it reads files, and applies the options that have values of parameters.
func (e *Engine) setUp(from *Engine) error {
	if err := e.readFiles(); err != nil {
		return err
	}
	e.limitSlots()
	if from != nil {
		if err := e.inherit(from); err != nil {
			return err
		}
		if a := from.aging; a != nil {
			e.aging, e.nextMark = &aging{held: a.held, atMs: a.atMs}, math.MinInt64
			e.server.Store.SetClock(nil)
		}
	}
	e.shared = e.server.NewSharedSession()
	if err := e.configure(); err != nil {
		return err
	}
	e.server.UseNames()
	e.table = e.server.Table
	e.server.Config.ConnLimitsChanged = e.watchClients
	e.server.Config.Apply = e.options.ApplyConfig
	e.watchClients()
	if from != nil {
		e.armTimer()
	}
	return e.replication.FollowAtStart()
}

// readFiles reads the configuration file and the ACL file.
func (e *Engine) readFiles() error {
	o := &e.options
	if o.ConfigFile != nil {
		if err := e.server.UseConfigFile(o.ConfigFile.file, o.ACLFile != ""); err != nil {
			return fmt.Errorf("redmoon: option ConfigFile: %w", err)
		}
	}
	if o.ACLFile != "" {
		if err := e.server.LoadUsers(o.ACLFile); err != nil {
			return &ACLFileError{Text: err.Error()}
		}
	}
	return nil
}

// limitSlots sets which slots commands may use.
func (e *Engine) limitSlots() {
	switch of := e.shard; {
	case of != nil:
		e.server.EnableShard(of.first, of.last, of.where)
	case e.options.Cluster:
		e.server.EnableCluster()
	}
	if e.options.OneSlot {
		e.server.EnforceOneSlot()
	}
}

// configure attaches the files of the data set, and sets the parameters of Fixed and Config.
func (e *Engine) configure() error {
	o := &e.options
	for name, value := range o.Fixed {
		if err := e.server.Config.Fix(name, value); err != nil {
			return fmt.Errorf("redmoon: option Fixed: %w", err)
		}
	}
	if o.Persistence != nil {
		if err := e.attach(o.Persistence); err != nil {
			return err
		}
	}
	if o.Persistence == nil && e.server.Config.Value("appendonly") == "yes" {
		return errors.New("redmoon: appendonly yes: an append-only file needs the option Persistence")
	}
	for name, value := range o.Config {
		if v := e.server.Execute(e.shared, cmdtable.DoorClient, []string{"CONFIG", "SET", name, value}); v.IsError() {
			return fmt.Errorf("redmoon: option %s: %w", name, v.Err())
		}
	}
	return nil
}

// discard ends an engine whose loop has not begun.
func (e *Engine) discard() {
	if e.server.Persistence != nil {
		_ = e.server.Persistence.Close() // it has not loaded, so it writes nothing
	}
	e.scripts.close()
	e.watch.close()
	e.free.close()
}
