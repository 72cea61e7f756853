package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

func TestRestorePutsBackASnapshot(t *testing.T) {
	for seed := range uint64(20) {
		e := virtualEngine(t, seed)
		if seed%2 == 1 {
			do(t, e, "CONFIG", "SET", "maxmemory", "1gb")
		}
		fill(t, e)
		s, err := e.Snapshot()
		require.NoError(t, err)
		before := do(t, e, "DEBUG", "DIGEST").Text()
		for range 2 {
			do(t, e, "EVAL", randomScript(rand.New(rand.NewPCG(seed, 11))), 0)
			require.NoError(t, e.Restore(s))
			require.Equal(t, before, do(t, e, "DEBUG", "DIGEST").Text())
			require.NoError(t, e.Check(context.Background()))
			changes, err := e.Changes(s)
			require.NoError(t, err)
			require.Empty(t, changes)
		}
	}
}

func TestRestoreNotifiesWatchingSessions(t *testing.T) {
	e := virtualEngine(t, 1)
	do(t, e, "SET", "k", 1)
	snap, err := e.Snapshot()
	require.NoError(t, err)
	s, err := e.NewSession()
	require.NoError(t, err)
	do(t, s, "WATCH", "k")
	require.NoError(t, e.Restore(snap))
	do(t, s, "MULTI")
	do(t, s, "PING")
	require.True(t, do(t, s, "EXEC").IsNil())

	other := virtualEngine(t, 1)
	require.Error(t, other.Restore(snap))
	_, err = other.Changes(snap)
	require.Error(t, err)
}

func TestChanges(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	for _, line := range []string{
		"SET same 1", "SET str old", "SET ttl 1", "SET gone 1", "SET late 1 PX 10", "HSET h a 1 b 2 c 3", "SADD set a b", "ZADD z 1 a 2 b",
		"RPUSH l a b c d", "XADD x 1-1 f v", "SET type 1",
		"SET long " + strings.Repeat("a", 300),
	} {
		doLine(t, e, line)
	}
	s, err := e.Snapshot()
	require.NoError(t, err)
	clock.Advance(time.Second)
	for _, line := range []string{
		"SET str new", "PEXPIRE ttl 1500", "DEL gone", "HSET h b 22 d 4", "HDEL h a", "SREM set a", "SADD set c", "ZADD z 3 b 0.5 c",
		"LSET l 1 B", "LINSERT l AFTER B x", "XADD x 2-1 f w g x",
		"XGROUP CREATE x grp 0", "DEL type", "LPUSH type 1", "APPEND long bc", "SELECT 2",
	} {
		if line != "SELECT 2" {
			doLine(t, e, line)
		}
	}
	sess, err := e.NewSession()
	require.NoError(t, err)
	do(t, sess, "SELECT", 2)
	do(t, sess, "EVAL", "for i = 1, 23 do redis.call('rpush', 'many', i) end", 0)
	changes, err := e.Changes(s)
	require.NoError(t, err)
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%d %s\n- %s\n+ %s\n", c.DB, c.Key, strings.ReplaceAll(c.Before, "\n", "\n- "), strings.ReplaceAll(c.After, "\n", "\n+ "))
	}
	require.Equal(t, `0 gone
- string, 1 byte
- "1"
+ 
0 h
- hash, 3 fields
- "a" = "1"
- "b" = "2"
+ hash, 3 fields
+ "b" = "22"
+ "d" = "4"
0 l
- list, 4 elements
- [1] "b"
+ list, 5 elements
+ [1] "B"
+ [2] "x"
0 long
- string, 300 bytes
- …"aaaaaaaaaaaaaaaaaaaa"
+ string, 302 bytes
+ …"aaaaaaaaaaaaaaaaaaaabc"
0 set
- set, 2 members
- "a"
+ set, 2 members
+ "c"
0 str
- string, 3 bytes
- "old"
+ string, 3 bytes
+ "new"
0 ttl
- string, 1 byte
- "1"
+ string, 1 byte, expires in 1.5s
+ "1"
0 type
- string, 1 byte
- "1"
+ list, 1 element
+ [0] "1"
0 x
- stream, 1 entry
+ stream, 2 entries
+ 2-1 "f" = "w" "g" = "x"
+ group "grp" at 0-0, 0 pending, 0 consumers
0 z
- zset, 2 members
- "b" = 2
+ zset, 3 members
+ "c" = 0.5
+ "b" = 3
2 many
- 
+ list, 23 elements
`+manyLines()+`+ … and 3 more
`, b.String())
}

func manyLines() string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "+ [%d] \"%d\"\n", i, i+1)
	}
	return b.String()
}

func doLine(t *testing.T, e *engine.Engine, line string) {
	t.Helper()
	var args []any
	for _, w := range strings.Fields(line) {
		args = append(args, w)
	}
	do(t, e, args...)
}

func TestChangesOfFieldTimes(t *testing.T) {
	e, err := engine.New(engine.Options{Server: "8.0", Clock: engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))})
	require.NoError(t, err)
	defer e.Close()
	do(t, e, "HSET", "h", "a", 1, "b", 2)
	do(t, e, "HPEXPIRE", "h", 5000, "FIELDS", 1, "b")
	s, err := e.Snapshot()
	require.NoError(t, err)
	changes, err := e.Changes(s)
	require.NoError(t, err)
	require.Empty(t, changes)
	do(t, e, "HPEXPIRE", "h", 7000, "FIELDS", 1, "b")
	changes, err = e.Changes(s)
	require.NoError(t, err)
	require.Equal(t, []engine.KeyChange{{Key: "h", Before: "hash, 2 fields\n\"b\" = \"2\", expires in 5s",
		After: "hash, 2 fields\n\"b\" = \"2\", expires in 7s"}}, changes)
}
