package redlock_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/redlock"
)

// later calls f with a client of an engine that follows a later server, and of that server.
func later(t *testing.T, name string, f func(t *testing.T, c engine.Client)) {
	t.Run("engine of "+name, func(t *testing.T) {
		e, err := engine.New(engine.Options{Server: name})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		f(t, e)
	})
	t.Run(name, func(t *testing.T) {
		if name != "redis-8.0" {
			tier.Nightly(t) // a landing has only this one
		}
		s, err := redistest.StartBinary(redistest.NeedServer(t, name))
		require.NoError(t, err)
		t.Cleanup(s.Stop)
		rdb := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 2})
		t.Cleanup(func() { require.NoError(t, rdb.Close()) })
		f(t, goredis.New(rdb))
	})
}

// The commands of a lock, by server: those with conditions where the server has them.
func TestALockUsesTheCommandsOfItsServer(t *testing.T) {
	ctx := context.Background()
	for name, want := range map[string][]string{
		"redis-8.0":  {"evalsha", "set"},
		"redis-8.6":  {"delex", "set"},
		"valkey-8.1": {"evalsha", "set"},
		"valkey-9.1": {"delifeq", "set"},
	} {
		later(t, name, func(t *testing.T, c engine.Client) {
			l, other := newLock(t, []engine.Client{c}, redlock.Options{}), newLock(t, []engine.Client{c}, redlock.Options{})
			a := try(t, l)
			require.NoError(t, a.Renew(ctx))
			_, err := c.DoStrings(ctx, "PEXPIRE", l.Keys()[0], "1000000")
			require.NoError(t, err)
			require.NoError(t, a.Renew(ctx))
			ttl, err := c.DoStrings(ctx, "PTTL", l.Keys()[0])
			require.NoError(t, err)
			ms, err := ttl.Int()
			require.NoError(t, err)
			require.Greater(t, ms, int64(3_000_000))
			release(t, a, lock.Released)
			b := try(t, other)
			_, err = c.DoStrings(ctx, "SET", l.Keys()[0], "of another")
			require.NoError(t, err)
			require.ErrorIs(t, b.Renew(ctx), lock.ErrLost)
			require.Equal(t, want, used(t, c))
		})
	}
}

// What a user may not run is done by the scripts, which the user may.
func TestALockOfAUserWithoutTheCommandsUsesScripts(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{Server: "valkey-9.1"})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.DoStrings(ctx, "ACL", "SETUSER", "u", "on", "nopass", "~*", "+@all", "-delifeq")
	require.NoError(t, err)
	s, err := e.NewSession()
	require.NoError(t, err)
	defer s.Close()
	_, err = s.DoStrings(ctx, "AUTH", "u", "x")
	require.NoError(t, err)
	l := newLock(t, []engine.Client{s}, redlock.Options{})
	for range 3 {
		release(t, try(t, l), lock.Released)
	}
	log, err := e.DoStrings(ctx, "ACL", "LOG")
	require.NoError(t, err)
	require.Len(t, log.Slice(), 1)
	require.Contains(t, log.String(), "delifeq")
	require.Equal(t, []string{"evalsha", "set"}, used(t, e))
}

var lockCommands = regexp.MustCompile(`cmdstat_(delex|delifeq|evalsha|set):calls=[1-9]`)

// used returns the names of a lock's commands that a server has run.
func used(t *testing.T, c engine.Client) (names []string) {
	t.Helper()
	v, err := c.DoStrings(context.Background(), "INFO", "commandstats")
	require.NoError(t, err)
	for _, m := range lockCommands.FindAllStringSubmatch(v.Text(), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}
