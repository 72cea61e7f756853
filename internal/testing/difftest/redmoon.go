package difftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// Redmoon is a fresh engine, on a virtual clock, behind the Go door: the Value of each call is
// encoded as the server would encode it.
type Redmoon struct {
	Engine *engine.Engine
	Clock  *engine.VirtualClock
}

// Present is the time of the oracle, which is the machine's. The clocks of engines start at it, and
// stand until they are advanced.
func Present() time.Time { return time.Now() }

// NewRedmoon starts an engine whose clock stands at start.
func NewRedmoon(start time.Time) (*Redmoon, error) { return newRedmoonOf("", start) }

// newRedmoonOf is NewRedmoon for a version of Redis; see engine.Options.Compat.
func newRedmoonOf(compat string, start time.Time) (*Redmoon, error) {
	return newRedmoonWith(engine.Options{Server: compat}, start)
}

// newRedmoonWith is NewRedmoon with options.
func newRedmoonWith(o engine.Options, start time.Time) (*Redmoon, error) {
	clock := engine.NewVirtualClock(start)
	o.ScriptMigrate = true // as redmoon serve, and redis-server
	o.Clock, o.Rand = clock, rand.NewPCG(1, 2)
	e, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	// Counting of the memory of keys and values starts at the first question, and the count is checked
	// when the engine ends.
	for _, line := range [][]any{{"MEMORY", "STATS"}, {"CONFIG", "RESETSTAT"}} {
		if v, err := e.Do(context.Background(), line...); err != nil || v.IsError() {
			return nil, fmt.Errorf("%v: %v %w", line, v, err)
		}
	}
	return &Redmoon{Engine: e, Clock: clock}, nil
}

// Open implements [Peer].
func (r *Redmoon) Open() (Conn, error) {
	s, err := r.Engine.NewSession()
	if err != nil {
		return nil, err
	}
	return &goConn{s: s, proto: 2}, nil
}

// Pass implements [Peer].
func (r *Redmoon) Pass(d time.Duration) { r.Clock.Advance(d) }

// goConn is a session of the Go API.
type goConn struct {
	s     *engine.Session
	proto int
}

// Do implements [Conn].
func (c *goConn) Do(args []string) ([]byte, error) {
	v, err := c.s.DoStrings(context.Background(), args...)
	if err != nil && !v.IsError() {
		return nil, err
	}
	if !v.IsError() {
		switch strings.ToLower(args[0]) {
		case "hello":
			if len(args) > 1 {
				c.proto = int(args[1][0] - '0')
			}
		case "reset":
			c.proto = 2
		}
	}
	return resp.Append(nil, v, c.proto), nil
}

// Close implements [Conn].
func (c *goConn) Close() { _ = c.s.Close() }

// readAll are the commands that read a whole value, by the type's name.
func readAll(typ, key string) []any {
	switch typ {
	case "string":
		return []any{"GET", key}
	case "list":
		return []any{"LRANGE", key, 0, -1}
	case "hash":
		return []any{"HGETALL", key}
	case "set":
		return []any{"SMEMBERS", key}
	}
	return []any{"ZRANGE", key, 0, -1, "WITHSCORES"}
}

// Digest implements [Peer]: every key with its expiry time and value.
func (r *Redmoon) Digest() (string, error) {
	ctx := context.Background()
	type entry struct {
		db       int
		key, typ string
		expireAt int64
	}
	var all []entry
	err := r.Engine.View(ctx, func(ks engine.Keyspace) error {
		for i := range ks.Databases() {
			for k := range ks.Keys(i) {
				all = append(all, entry{i, k.Name(), k.Type(), k.ExpireAt().UnixMilli()})
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	sess, err := r.Engine.NewSession()
	if err != nil {
		return "", err
	}
	defer sess.Close()
	lines := make([]string, 0, len(all))
	for _, e := range all {
		if _, err := sess.Do(ctx, "SELECT", e.db); err != nil {
			return "", err
		}
		v, err := sess.Do(ctx, readAll(e.typ, e.key)...)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%d %q %s %d %q", e.db, e.key, e.typ, e.expireAt, resp.Append(nil, v, 2)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// Stop checks the invariants of the keyspace and ends the engine.
func (r *Redmoon) Stop() error {
	return errors.Join(r.Engine.Check(context.Background()), r.Engine.Close())
}
