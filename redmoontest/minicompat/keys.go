package miniredis

import (
	"slices"
	"strconv"
	"time"
)

// Keys returns all keys of the database, sorted.
func (db *RedisDB) Keys() []string {
	keys := get(db, func(t tx) []string { return t.do("KEYS", "*").Strings() })
	slices.Sort(keys)
	return keys
}

// FlushDB removes all keys of the database.
func (db *RedisDB) FlushDB() { db.must(func(t tx) error { return asError(t.do("FLUSHDB")) }) }

// FlushAll removes all keys of all databases.
func (m *Miniredis) FlushAll() {
	m.atomically(func(t tx) error { return asError(t.do("FLUSHALL")) })
}

// Del removes a key and reports whether it existed.
func (db *RedisDB) Del(k string) bool {
	return get(db, func(t tx) bool { return t.do("DEL", k).MustInt() == 1 })
}

// Unlink is Del.
func (db *RedisDB) Unlink(k string) bool { return db.Del(k) }

// Exists reports whether a key exists.
func (db *RedisDB) Exists(k string) bool {
	return get(db, func(t tx) bool { return t.do("EXISTS", k).MustInt() == 1 })
}

// Type returns the type of a key: string, hash, list, set, zset, stream, hll (a HyperLogLog, which
// is a string in Redis), or "" if it does not exist.
func (db *RedisDB) Type(k string) string { return get(db, func(t tx) string { return t.typ(k) }) }

// TTL returns the time to live of a key, in whole milliseconds; 0 if it has none or does not exist.
func (db *RedisDB) TTL(k string) time.Duration {
	ms := get(db, func(t tx) int64 { return t.do("PTTL", k).MustInt() })
	return time.Duration(max(ms, 0)) * time.Millisecond
}

// SetTTL sets the time to live of a key, rounded up to milliseconds and to at least one. It does
// nothing if the key does not exist.
func (db *RedisDB) SetTTL(k string, ttl time.Duration) {
	db.must(func(t tx) error { return asError(t.do("PEXPIRE", k, millis(ttl))) })
}

// millis returns a time to live in milliseconds, rounded up, at least 1.
func millis(d time.Duration) string {
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return strconv.FormatInt(max(int64(ms), 1), 10)
}

// SwapDB exchanges the keys of two databases and returns true. A [RedisDB] keeps its number.
func (m *Miniredis) SwapDB(i, j int) bool {
	a, b := m.DB(i), m.DB(j)
	a.must(func(t tx) error { return asError(t.do("SWAPDB", strconv.Itoa(a.id), strconv.Itoa(b.id))) })
	return true
}

// Copy copies a key, with its time to live, to a key that it replaces. The error is
// [ErrKeyNotFound].
func (m *Miniredis) Copy(srcDB int, src string, destDB int, dest string) error {
	to := m.DB(destDB)
	return m.DB(srcDB).try(func(t tx) error {
		if t.typ(src) == "" {
			return ErrKeyNotFound
		}
		if t.db == to.id && src == dest {
			return nil
		}
		return asError(t.do("COPY", src, dest, "DB", strconv.Itoa(to.id), "REPLACE"))
	})
}
