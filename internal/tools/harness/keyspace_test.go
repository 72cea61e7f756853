package harness_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

// timed returns an engine on a clock that stands.
func timed(t *testing.T) (*engine.Engine, *engine.VirtualClock) {
	clock := engine.NewVirtualClock(time.Unix(harness.Start, 0))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e, clock
}

func fill(t *testing.T, do harness.Do) {
	must(t, do, "SET s v PX 1500", "RPUSH l b a b", "HSET h g 2 f 1", "SADD set z a 5", "ZADD zs 2.5 b -1 c", "XADD x 5-1 f 1")
}

func copied(t *testing.T, e *engine.Engine) (all harness.Keyspace) {
	require.NoError(t, e.View(context.Background(), func(ks engine.Keyspace) error {
		all = harness.Copy(ks, 0)
		return nil
	}))
	return all
}

// bulks are bulk strings.
func bulks(list ...string) []reply.Value { return reply.Bulks(list...).Slice() }

func TestACopyIsInOrder(t *testing.T) {
	e, _ := timed(t)
	fill(t, on(e))
	want := harness.Keyspace{
		"s":   {Type: "string", Value: reply.Bulk("v"), Expires: true, TTL: 1500 * time.Millisecond},
		"l":   {Type: "list", Value: reply.Bulks("b", "a", "b")},
		"h":   {Type: "hash", Value: reply.Map(bulks("f", "1", "g", "2")...)},
		"set": {Type: "set", Value: reply.Set(bulks("5", "a", "z")...)},
		"zs":  {Type: "zset", Value: reply.Map(reply.Bulk("c"), reply.Double(-1), reply.Bulk("b"), reply.Double(2.5))},
		"x":   {Type: "stream", Value: reply.Array(reply.Array(reply.Bulk("5-1"), reply.Bulks("f", "1")))},
	}
	require.Empty(t, want.Changes(copied(t, e)))
	require.Equal(t, []string{"h", "l", "s", "set", "x", "zs"}, want.Names())

	read, err := harness.Read(on(e))
	require.NoError(t, err)
	require.Empty(t, want.Changes(read), "by commands")
	s, err := e.NewSession()
	require.NoError(t, err)
	defer s.Close()
	three := harness.Do(func(args ...string) (reply.Value, error) { return s.DoStrings(context.Background(), args...) })
	must(t, three, "HELLO 3")
	read, err = harness.Read(three)
	require.NoError(t, err)
	require.Empty(t, want.Changes(read), "in RESP3")
}

// A key exists in the last millisecond of its life, and differs from one that lives for ever.
func TestTheLastMillisecond(t *testing.T) {
	e, clock := timed(t)
	must(t, on(e), "SET s v PX 1500")
	clock.Advance(1500 * time.Millisecond)
	for _, all := range []func() (harness.Keyspace, error){
		func() (harness.Keyspace, error) { return copied(t, e), nil },
		func() (harness.Keyspace, error) { return harness.Read(on(e)) },
	} {
		ks, err := all()
		require.NoError(t, err)
		require.True(t, ks["s"].Expires)
		require.Zero(t, ks["s"].TTL)
		require.Len(t, ks.Changes(harness.Keyspace{"s": {Type: "string", Value: reply.Bulk("v")}}), 1)
	}
	clock.Advance(time.Millisecond)
	require.Empty(t, copied(t, e))
}

func TestCopyKeys(t *testing.T) {
	from, _ := timed(t)
	to, _ := timed(t)
	fill(t, on(from))
	must(t, on(to), "SET l other")
	require.NoError(t, harness.CopyKeys(on(from), on(to)))
	require.Empty(t, copied(t, from).Changes(copied(t, to)))
}

func TestCommandsThatFailAreNamed(t *testing.T) {
	e, _ := timed(t)
	require.EqualError(t, on(e).Run([][]string{{"SET", "k", "two words"}, {"HSET", "k", "f", ""}}),
		`HSET k f "": WRONGTYPE Operation against a key holding the wrong kind of value`)
	broken := harness.Do(func(...string) (reply.Value, error) { return reply.Value{}, errors.New("no connection") })
	_, err := harness.Read(broken)
	require.EqualError(t, err, "KEYS *: no connection")
}

func TestIsRDB(t *testing.T) {
	require.True(t, harness.IsRDB("dump.rdb", nil))
	require.True(t, harness.IsRDB("dump", []byte("REDIS0011\xfa")))
	require.True(t, harness.IsRDB("dump", []byte("VALKEY080\xfa")))
	require.False(t, harness.IsRDB("keys", []byte("VALKEY is a key")))
	require.False(t, harness.IsRDB("keys", []byte("REDIS0 is a key")))
	require.False(t, harness.IsRDB("keys", []byte("REDIS001")))
}
