package redmoontest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
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
	e.each(db, func(en *engine.Entry) { ks[en.Key()] = plain(en.Object()) })
	return ks
}

// TTLs returns the remaining time to live of the keys of database 0, in whole milliseconds. Keys
// without a time to live are left out.
func (e *Engine) TTLs() map[string]time.Duration {
	e.t.Helper()
	return e.TTLsDB(0)
}

// TTLsDB is [Engine.TTLs] for database db. It ends the test if there is no such database.
func (e *Engine) TTLsDB(db int) map[string]time.Duration {
	e.t.Helper()
	now, ttls := e.Now().UnixMilli(), map[string]time.Duration{}
	e.each(db, func(en *engine.Entry) {
		if at := en.ExpireAt(); at != 0 {
			ttls[en.Key()] = time.UnixMilli(at).Sub(time.UnixMilli(now)) // at most 292 years
		}
	})
	return ttls
}

// each calls f for every key of a database that has not expired, in one atomic step.
func (e *Engine) each(db int, f func(*engine.Entry)) {
	e.t.Helper()
	err := e.View(context.Background(), func(s *engine.Store) error {
		if db < 0 || db >= s.Databases() {
			return fmt.Errorf("database %d does not exist", db)
		}
		s.DB(db).All(func(en *engine.Entry) bool { f(en); return true })
		return nil
	})
	if err != nil {
		e.t.Fatalf("redmoontest: %v", err)
	}
}

// plain copies a value to plain Go values.
func plain(o engine.Object) any {
	switch o := o.(type) {
	case *engine.String:
		return o.Text()
	case *engine.List:
		l := make(List, 0, o.Len())
		o.Ascend(0, func(_ int, el string) bool { l = append(l, el); return true })
		return l
	case *engine.Hash:
		h := make(Hash, o.Len())
		o.All(func(field, value string) bool { h[field] = value; return true })
		return h
	case *engine.Set:
		s := make(Set, 0, o.Len())
		o.All(func(m string) bool { s = append(s, m); return true })
		slices.Sort(s)
		return s
	case *engine.ZSet:
		z := make(ZSet, 0, o.Len())
		o.Ascend(0, o.Len(), func(it engine.ZItem) bool { z = append(z, Member{it.Member, it.Score}); return true })
		return z
	case *engine.Stream:
		list := make(Stream, 0, o.Len())
		o.Range(engine.StreamID{}, engine.StreamID{Ms: math.MaxUint64, Seq: math.MaxUint64}, func(en *engine.StreamEntry) bool {
			list = append(list, StreamEntry{ID: fmt.Sprintf("%d-%d", en.ID.Ms, en.ID.Seq), Fields: en.AppendPairs(nil)})
			return true
		})
		return list
	}
	panic(fmt.Sprintf("redmoontest: a value of type %s", o.Type()))
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
