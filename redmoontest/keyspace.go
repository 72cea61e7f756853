package redmoontest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// Keyspace is a copy of a database in plain Go values, to compare with what a test expects. The
// value of a key is a string, a [List], a [Hash], a [Set], a [ZSet] or a [Stream].
type Keyspace map[string]any

// List is the value of a list, from head to tail.
type List []string

// Hash is the value of a hash.
type Hash map[string]string

// Set is the value of a set, sorted.
type Set []string

// ZSet is the value of a sorted set, by score, and by name among equal scores.
type ZSet []Member

// Member is a member of a sorted set.
type Member struct {
	Name  string
	Score float64
}

// Stream is the entries of a stream, the oldest first. Consumer groups are left out.
type Stream []StreamEntry

// StreamEntry is an entry of a stream.
type StreamEntry struct {
	ID     string
	Fields []string // field, value, field, value …
}

// Keyspace returns the content of database 0. It changes nothing: no key counts as accessed.
// Expired keys are left out.
func (e *Engine) Keyspace() Keyspace {
	e.t.Helper()
	return e.KeyspaceDB(0)
}

// KeyspaceDB returns the content of database db, counted from 0. It ends the test if there is no
// such database.
func (e *Engine) KeyspaceDB(db int) Keyspace {
	e.t.Helper()
	ks := Keyspace{}
	for name, k := range e.copy(db) {
		ks[name] = plain(k)
	}
	return ks
}

// TTLs returns the remaining time to live of each key of database 0, in whole milliseconds. It has
// no entry for keys without a time to live.
func (e *Engine) TTLs() map[string]time.Duration {
	e.t.Helper()
	return e.TTLsDB(0)
}

// TTLsDB is [Engine.TTLs] for database db. It ends the test if there is no such database.
func (e *Engine) TTLsDB(db int) map[string]time.Duration {
	e.t.Helper()
	ttls := map[string]time.Duration{}
	for name, k := range e.copy(db) {
		if k.Expires {
			ttls[name] = k.TTL
		}
	}
	return ttls
}

// copy copies a database, in one atomic step.
func (e *Engine) copy(db int) (all harness.Keyspace) {
	e.t.Helper()
	e.view(db, func(ks engine.Keyspace) { all = harness.Copy(ks, db) })
	return all
}

// view calls f with the keyspace, which has database db. It ends the test if it has not.
func (e *Engine) view(db int, f func(engine.Keyspace)) {
	e.t.Helper()
	err := e.View(context.Background(), func(ks engine.Keyspace) error {
		if db < 0 || db >= ks.Databases() {
			return fmt.Errorf("database %d does not exist", db)
		}
		f(ks)
		return nil
	})
	if err != nil {
		e.t.Fatalf("redmoontest: %v", err)
	}
}

// plain returns the value of a key in plain Go values.
func plain(k harness.Key) any {
	list := k.Value.Slice()
	switch k.Type {
	case "string":
		return k.Value.Text()
	case "list":
		return List(k.Value.Strings())
	case "set":
		return Set(k.Value.Strings())
	case "hash":
		h := make(Hash, len(list)/2)
		for i := 0; i < len(list); i += 2 {
			h[list[i].Text()] = list[i+1].Text()
		}
		return h
	case "zset":
		z := make(ZSet, 0, len(list)/2)
		for i := 0; i < len(list); i += 2 {
			z = append(z, Member{list[i].Text(), list[i+1].MustFloat()})
		}
		return z
	case "stream":
		entries := make(Stream, 0, len(list))
		for _, e := range list {
			entries = append(entries, StreamEntry{ID: e.Slice()[0].Text(), Fields: e.Slice()[1].Strings()})
		}
		return entries
	default:
		panic("redmoontest: a value of type " + k.Type)
	}
}

// Keys returns the keys in sorted order.
func (ks Keyspace) Keys() []string {
	keys := make([]string, 0, len(ks))
	for k := range ks {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// String returns the keys and values as text, one key per line, in sorted order.
func (ks Keyspace) String() string {
	var b strings.Builder
	for _, k := range ks.Keys() {
		fmt.Fprintf(&b, "%q: %#v\n", k, ks[k])
	}
	return strings.ReplaceAll(b.String(), "redmoontest.", "")
}
