package redmoontest

import (
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// Get returns the value of a string of database 0. It ends the test if the key does not exist or
// has another type.
func (e *Engine) Get(key string) string {
	e.t.Helper()
	v := e.value(key, "string")
	if v == nil {
		e.t.Fatalf("redmoontest: Get(%q): there is no such key", key)
	}
	return v.(string)
}

// HGet returns the value of a field of a hash of database 0. It ends the test if the key is not a
// hash or has no such field.
func (e *Engine) HGet(key, field string) string {
	e.t.Helper()
	value, ok := e.Hash(key)[field]
	if !ok {
		e.t.Fatalf("redmoontest: HGet(%q, %q): there is no such field", key, field)
	}
	return value
}

// Hash returns a hash of database 0, nil if the key does not exist. It ends the test if the key has
// another type.
func (e *Engine) Hash(key string) Hash {
	e.t.Helper()
	v, _ := e.value(key, "hash").(Hash)
	return v
}

// List returns a list of database 0, from head to tail, nil if the key does not exist. It ends the
// test if the key has another type.
func (e *Engine) List(key string) List {
	e.t.Helper()
	v, _ := e.value(key, "list").(List)
	return v
}

// Members returns the members of a set of database 0, sorted, nil if the key does not exist. It
// ends the test if the key has another type.
func (e *Engine) Members(key string) Set {
	e.t.Helper()
	v, _ := e.value(key, "set").(Set)
	return v
}

// SortedSet returns a sorted set of database 0, by score, and by name among equal scores; nil if
// the key does not exist. It ends the test if the key has another type.
func (e *Engine) SortedSet(key string) ZSet {
	e.t.Helper()
	v, _ := e.value(key, "zset").(ZSet)
	return v
}

// Stream returns the entries of a stream of database 0, the oldest first, nil if the key does not
// exist. It ends the test if the key has another type.
func (e *Engine) Stream(key string) Stream {
	e.t.Helper()
	v, _ := e.value(key, "stream").(Stream)
	return v
}

// Exists reports whether all the keys exist in database 0.
func (e *Engine) Exists(keys ...string) bool {
	e.t.Helper()
	found := 0
	e.view(0, func(ks engine.Keyspace) {
		for _, key := range keys {
			if _, ok := ks.Key(0, key); ok {
				found++
			}
		}
	})
	return found == len(keys)
}

// TTL returns the remaining time to live of a key of database 0, in whole milliseconds, or 0 if it
// has none. It ends the test if the key does not exist.
func (e *Engine) TTL(key string) time.Duration {
	e.t.Helper()
	if !e.Exists(key) {
		e.t.Fatalf("redmoontest: TTL(%q): there is no such key", key)
	}
	return e.TTLs()[key]
}

// value returns the value of a key of database 0, or nil if it does not exist.
func (e *Engine) value(key, typ string) (value any) {
	e.t.Helper()
	other := ""
	e.view(0, func(ks engine.Keyspace) {
		if k, ok := ks.Key(0, key); ok {
			if other = k.Type(); other == typ {
				value = plain(harness.KeyOf(ks, k))
			}
		}
	})
	if other != "" && other != typ {
		e.t.Fatalf("redmoontest: %q is a %s, not a %s", key, other, typ)
	}
	return value
}
