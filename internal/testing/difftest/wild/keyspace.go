package wild

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// databases is how many databases both servers have.
const databases = 16

// stored is a key with what it holds.
type stored struct {
	typ      string
	value    engine.Value
	expireAt engine.Value // Unix time in milliseconds; -1: never
}

// walk reads a whole keyspace. The names of keys are preceded by their database's number.
func walk(peer interface{ Open() (difftest.Conn, error) }) (map[string]stored, error) {
	c, err := peer.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all := map[string]stored{}
	for db := range databases {
		if _, err := ask(c, "SELECT", strconv.Itoa(db)); err != nil {
			return nil, err
		}
		keys, err := ask(c, "KEYS", "*")
		if err != nil {
			return nil, err
		}
		for _, key := range keys.Strings() {
			s, err := read(c, key)
			if err != nil {
				return nil, err
			}
			all[fmt.Sprintf("%d %q", db, key)] = s
		}
	}
	return all, nil
}

func ask(c difftest.Conn, args ...string) (engine.Value, error) {
	raw, err := c.Do(args)
	if err != nil {
		return engine.Value{}, err
	}
	v, err := decode(raw)
	if err == nil && v.IsError() {
		err = v.Err()
	}
	return v, err
}

func read(c difftest.Conn, key string) (stored, error) {
	typ, err := ask(c, "TYPE", key)
	if err != nil {
		return stored{}, err
	}
	how := map[string][]string{
		"string": {"GET", key}, "list": {"LRANGE", key, "0", "-1"}, "hash": {"HGETALL", key},
		"set": {"SMEMBERS", key}, "zset": {"ZRANGE", key, "0", "-1", "WITHSCORES"},
	}[typ.Text()]
	if how == nil {
		return stored{}, fmt.Errorf("key %q is of type %s", key, typ.Text())
	}
	s := stored{typ: typ.Text()}
	if s.value, err = ask(c, how...); err != nil {
		return stored{}, err
	}
	s.expireAt, err = ask(c, "PEXPIRETIME", key)
	return s, err
}

// keyspaces compares two keyspaces and returns a line for every key that differs.
func (c comparison) keyspaces(want, got map[string]stored) []string {
	var lines []string
	for key, w := range want {
		g, ok := got[key]
		if !ok {
			lines = append(lines, fmt.Sprintf("key %s (%s) is missing", key, w.typ))
			continue
		}
		values := rule{times: c.times, unordered: w.typ == "set" || w.typ == "hash", pairs: w.typ == "hash"}
		if w.typ != g.typ || !values.same(w.value, g.value, c.slack) || !(rule{times: true}).same(w.expireAt, g.expireAt, c.slack) {
			lines = append(lines, fmt.Sprintf("key %s: want %s %q until %d, got %s %q until %d",
				key, w.typ, canonical([]engine.Value{w.value}), w.expireAt.MustInt(), g.typ, canonical([]engine.Value{g.value}), g.expireAt.MustInt()))
		}
	}
	for key, g := range got {
		if _, ok := want[key]; !ok {
			lines = append(lines, fmt.Sprintf("key %s (%s) is too many", key, g.typ))
		}
	}
	slices.Sort(lines)
	return lines
}
