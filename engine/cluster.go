package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Cluster is several engines, its shards, that share the hash slots: a Redis Cluster inside the
// program. Make it with [NewCluster]; it is safe for use by any number of goroutines. It is a
// [Client].
//
// A command or script runs on the shard that owns the slot of its keys, as one atomic step. Keys of
// several slots are refused with CROSSSLOT, even if one shard owns all of them, as on a Redis
// Cluster; hash tags ({user1}:name) put keys into one slot.
//
// # Commands without keys
//   - DBSIZE, PUBLISH, PUBSUB NUMSUB and similar commands run on all shards, and the reply is the
//     sum.
//   - FLUSHALL, FLUSHDB, SCRIPT LOAD, SCRIPT FLUSH, FUNCTION LOAD, CONFIG SET, ACL SETUSER, PING
//     and similar commands run on one shard after the other. If a shard returns an error, that is
//     the reply, and the command does not run on the shards behind it.
//   - KEYS returns the keys of all shards. SCAN visits one shard after the other; its cursor says
//     which. RANDOMKEY chooses evenly among the keys of all shards.
//   - SCRIPT EXISTS reports whether a script is cached on all shards.
//   - Commands whose reply does not depend on the shard, such as ECHO, TIME, COMMAND, CONFIG GET
//     and FUNCTION LIST, run on the first shard. So does a script without keys.
//   - Commands about one server, such as INFO, CLIENT LIST, LATENCY DOCTOR, CLUSTER NODES and
//     DEBUG, return an error: call them on a shard.
//
// A command on several shards is not one atomic step. MULTI, WATCH and subscriptions need a
// session, which belongs to one shard: open it with Shard(key).NewSession(). PUBLISH by the cluster
// reaches the sessions of all shards; PUBLISH by a script or session reaches those of its own
// shard.
type Cluster struct {
	shards []*Engine
	table  *cmdtable.Table

	mu     sync.Mutex // guards random
	random *rand.Rand // selects the shard for RANDOMKEY
}

var _ Client = (*Cluster)(nil)

// share is a shard's part of its cluster.
type share struct {
	first, last int
	where       func(slot int) string
}

// NewCluster starts a cluster of n engines, 1 to 16384. The caller must close it. The slots are
// divided evenly. Each engine has the options o and a random source of its own, seeded from o.Rand.
// Limits (maxmemory, ScriptMemory) apply to each shard separately. o.Cluster is implied, and
// o.Databases is ignored: there is one database.
//
// NewCluster returns an error if n is out of range, if o.ConfigFile is set, which is for single
// engines, and for the reasons of [New].
func NewCluster(n int, o Options) (*Cluster, error) {
	if n < 1 || n > Slots {
		return nil, fmt.Errorf("redmoon: a cluster of %d engines: want 1 to %d", n, Slots)
	}
	if o.ConfigFile != nil {
		return nil, errors.New("redmoon: option ConfigFile: not for a cluster")
	}
	source, logger := o.Rand, o.Logger
	c := &Cluster{random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
	if source != nil {
		c.random = rand.New(rand.NewPCG(source.Uint64(), source.Uint64()))
	}
	for i := range n {
		if source != nil {
			o.Rand = rand.NewPCG(source.Uint64(), source.Uint64())
		}
		if logger != nil {
			o.Logger = logger.With(slog.Int("shard", i))
		}
		e, err := newEngine(o, &share{first: Slots * i / n, last: Slots*(i+1)/n - 1, where: func(slot int) string {
			return "shard:" + strconv.Itoa(shardOf(slot, n))
		}}, nil)
		if err != nil {
			_ = c.Close() // the shards before it
			return nil, err
		}
		c.shards = append(c.shards, e)
	}
	c.table = c.shards[0].server.Table
	return c, nil
}

// shardOf returns the index of the shard, of n, that owns a slot.
func shardOf(slot, n int) int { return (n*(slot+1) - 1) / Slots }

// Shards returns the engines, in the order of their slots. Do not close them: close the cluster.
func (c *Cluster) Shards() []*Engine { return append([]*Engine(nil), c.shards...) }

// Shard returns the engine that owns the slot of a key.
func (c *Cluster) Shard(key string) *Engine { return c.shards[shardOf(Slot(key), len(c.shards))] }

// Close closes all shards; see [Engine.Close].
func (c *Cluster) Close() error {
	var errs []error
	for _, e := range c.shards {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// View calls f with the keyspace of each shard in turn, numbered from 0; see [Engine.View]. Other
// calls may run between the shards. It stops at the first error.
func (c *Cluster) View(ctx context.Context, f func(shard int, k Keyspace) error) error {
	for i, e := range c.shards {
		if err := e.View(ctx, func(k Keyspace) error { return f(i, k) }); err != nil {
			return err
		}
	}
	return nil
}

// Check verifies the invariants of all keyspaces; see [Engine.Check].
func (c *Cluster) Check(ctx context.Context) error {
	for _, e := range c.shards {
		if err := e.Check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// RunScript implements [Runner]; it allocates nothing.
func (c *Cluster) RunScript(ctx context.Context, s *Script, keys, args []string) (Value, error) {
	e := c.shards[0]
	if len(keys) > 0 {
		e = c.Shard(keys[0])
	}
	return e.runScript(ctx, e.shared, s, keys, args)
}

// Do runs one command; see [Engine.Do].
func (c *Cluster) Do(ctx context.Context, args ...any) (Value, error) {
	ss, err := appendArgs(make([]string, 0, len(args)), args)
	if err != nil {
		return Value{}, err
	}
	return c.DoStrings(ctx, ss...)
}

// DoStrings implements [Doer]. The call itself allocates nothing for a command with keys.
func (c *Cluster) DoStrings(ctx context.Context, args ...string) (Value, error) {
	if shard := c.shardFor(args); shard >= 0 {
		e := c.shards[shard]
		return e.doStrings(ctx, e.shared, args)
	}
	return c.spread(ctx, args)
}

// shardFor returns the shard that a command line is for, or -1 if that is not a single shard.
func (c *Cluster) shardFor(args []string) int {
	if len(args) == 0 {
		return 0
	}
	spec := c.table.Resolve(args)
	if spec == nil {
		return 0
	}
	if key, ok := spec.FirstKey(args); ok {
		return shardOf(Slot(key), len(c.shards))
	}
	if spec.Spread == cmdtable.SpreadAny || spec.HasKeys() || !spec.HasHandler() {
		return 0 // keys are missing: this shard returns the error, or runs a script without keys
	}
	return -1
}

// Eval runs a script; see [Engine.Eval].
func (c *Cluster) Eval(ctx context.Context, script string, keys []string, args ...any) (Value, error) {
	e := c.shards[0]
	if len(keys) > 0 {
		e = c.Shard(keys[0])
	}
	return e.Eval(ctx, script, keys, args...)
}

// errOneShard returns the error for a command that is about one server.
func errOneShard(spec *cmdtable.Spec) reply.Value {
	return reply.Errorf("ERR '%s' is about one server, and a cluster has several: ask one of its shards", spec.FullName())
}
