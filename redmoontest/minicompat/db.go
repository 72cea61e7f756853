package miniredis

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// RedisDB is a numbered database. Get it from [Miniredis.DB].
type RedisDB struct {
	m  *Miniredis
	id int
}

// DB returns database i, from 0 to 63. It panics if there is no such database.
func (m *Miniredis) DB(i int) *RedisDB {
	if i < 0 || i >= databases {
		panic(fmt.Sprintf("miniredis: DB(%d): the databases are 0 to %d", i, databases-1))
	}
	return &RedisDB{m, i}
}

// Select chooses the database of the methods that read and write keys. It panics if there is no
// such database.
func (m *Miniredis) Select(i int) {
	id := m.DB(i).id
	m.tested.Lock()
	defer m.tested.Unlock()
	m.selected = id
}

// db returns the database that Select has chosen.
func (m *Miniredis) db() *RedisDB {
	m.tested.Lock()
	defer m.tested.Unlock()
	return &RedisDB{m, m.selected}
}

// The types of keys, as [RedisDB.Type] returns them.
const (
	typeString = "string"
	typeHash   = "hash"
	typeList   = "list"
	typeSet    = "set"
	typeHLL    = "hll"
	typeZSet   = "zset"
	typeStream = "stream"
)

// tx is an atomic step of the engine in one database.
type tx struct {
	run func(db int, args ...string) engine.Value
	db  int
}

// atomically calls f as one atomic step in database 0, and panics if it returns an error.
func (m *Miniredis) atomically(f func(t tx) error) { (&RedisDB{m, 0}).must(f) }

// try calls f as one atomic step in the database and returns its error.
func (db *RedisDB) try(f func(t tx) error) (err error) {
	db.m.power.use(func(e *engine.Engine) error {
		return enginedoor.Of(e).Atomically(func(do func(db int, args ...string) engine.Value) { err = f(tx{do, db.id}) })
	})
	return err
}

// must is try, but panics.
func (db *RedisDB) must(f func(t tx) error) { check(db.try(f)) }

// ask calls f as one atomic step in the database and returns what it returns.
func ask[T any](db *RedisDB, f func(t tx) (T, error)) (result T, err error) {
	err = db.try(func(t tx) (err error) {
		result, err = f(t)
		return err
	})
	return result, err
}

// get is ask for a result without an error.
func get[T any](db *RedisDB, f func(t tx) T) T {
	result, err := ask(db, func(t tx) (T, error) { return f(t), nil })
	check(err)
	return result
}

// do runs a command.
func (t tx) do(args ...string) engine.Value { return t.run(t.db, args...) }

// typ returns the type of a key, "" if it does not exist.
func (t tx) typ(key string) string {
	switch typ := t.do("TYPE", key).Text(); typ {
	case "none":
		return ""
	case typeString:
		if t.do("GETRANGE", key, "0", "3").Text() == "HYLL" {
			return typeHLL
		}
		return typ
	default:
		return typ
	}
}

// have returns an error unless the key has the type.
func (t tx) have(key, typ string) error {
	switch t.typ(key) {
	case typ:
		return nil
	case "":
		return ErrKeyNotFound
	default:
		return ErrWrongType
	}
}

// mayHave returns an error if the key exists with another type.
func (t tx) mayHave(key, typ string) error {
	if err := t.have(key, typ); err != ErrKeyNotFound {
		return err
	}
	return nil
}

// integer returns the integer of a reply, or its error.
func integer(v engine.Value) (int, error) {
	if err := asError(v); err != nil {
		return 0, err
	}
	n, err := v.Int()
	return int(n), err
}
