package harness

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redmoon-lua/redmoon/reply"
)

// Do runs a command on an engine or a server. An error reply is a Value, an error, or both.
type Do func(args ...string) (reply.Value, error)

// ask runs a command that must succeed.
func (do Do) ask(args ...string) (reply.Value, error) {
	v, err := do(args...)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return v, fmt.Errorf("%s: %w", Line(args), err)
	}
	return v, nil
}

// Run runs commands, until one fails.
func (do Do) Run(commands [][]string) error {
	for _, command := range commands {
		if _, err := do.ask(command...); err != nil {
			return err
		}
	}
	return nil
}

// Read copies the selected database by commands, from any server. It is not atomic: a key that
// expires meanwhile is left out. Keys of modules are left out too.
func Read(do Do) (Keyspace, error) {
	names, err := do.ask("KEYS", "*")
	if err != nil {
		return nil, err
	}
	all := Keyspace{}
	for _, name := range names.Strings() {
		k, ok, err := do.readKey(name)
		if err != nil {
			return nil, err
		}
		if ok {
			all[name] = k
		}
	}
	return all, nil
}

// readKey copies a key. ok is false if it does not exist, or if a module made it.
func (do Do) readKey(name string) (k Key, ok bool, err error) {
	typ, err := do.ask("TYPE", name)
	if err != nil {
		return k, false, err
	}
	command := map[string][]string{
		"string": {"GET", name}, "list": {"LRANGE", name, "0", "-1"}, "set": {"SMEMBERS", name}, "hash": {"HGETALL", name},
		"zset": {"ZRANGE", name, "0", "-1", "WITHSCORES"}, "stream": {"XRANGE", name, "-", "+"},
	}[typ.Text()]
	if command == nil {
		return k, false, nil
	}
	v, err := do.ask(command...)
	if err != nil {
		return k, false, err
	}
	if typ.Text() == "zset" {
		if v, err = scores(v); err != nil {
			return k, false, fmt.Errorf("%s: %w", Line(command), err)
		}
	}
	k.Type, k.Value = typ.Text(), inOrder(typ.Text(), v)
	left, err := do.left(name)
	if left >= 0 {
		k.Expires, k.TTL = true, left
	}
	return k, left != gone, err
}

// What [Do.left] returns beside a time to live.
const (
	endless = -1 * time.Millisecond // the key has none
	gone    = -2 * time.Millisecond // there is no such key
)

// left returns the time to live of a key.
func (do Do) left(name string) (time.Duration, error) {
	v, err := do.ask("PTTL", name)
	if err != nil {
		return gone, err
	}
	n, err := v.Int()
	return time.Duration(n) * time.Millisecond, err
}

// scores returns the members and scores of a sorted set as a map. In RESP2 they are one list, and
// scores are texts; in RESP3 each member is a list with its score.
func scores(v reply.Value) (reply.Value, error) {
	var list []reply.Value
	for _, e := range v.Slice() {
		if pair := e.Slice(); pair != nil {
			list = append(list, pair...)
		} else {
			list = append(list, e)
		}
	}
	for i := 1; i < len(list); i += 2 {
		f, err := strconv.ParseFloat(list[i].Text(), 64)
		if err != nil {
			return v, err
		}
		list[i] = reply.Double(f)
	}
	return reply.Map(list...), nil
}

// CopyKeys copies the keys of the selected database from one server to another, with their times to
// live, by DUMP and RESTORE. Keys that exist there are replaced.
func CopyKeys(from, to Do) error {
	names, err := from.ask("KEYS", "*")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(slices.Values(names.Strings())) {
		payload, err := from.ask("DUMP", name)
		if err != nil {
			return err
		}
		left, err := from.left(name)
		if err != nil {
			return err
		}
		if payload.IsNil() || left == gone {
			continue // it has expired meanwhile
		}
		ttl := strconv.FormatInt(max(0, left.Milliseconds()), 10)
		if _, err := to.ask("RESTORE", name, ttl, payload.Text(), "REPLACE"); err != nil {
			return err
		}
	}
	return nil
}
