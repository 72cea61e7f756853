package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/stretchr/testify/require"
)

// testOwner is the engine around a peer.
type testOwner struct {
	server.NoOwner
	now, step, reads int64 // the clock advances by step at each reading
	evictions        int   // calls of EvictSoon
}

func (o *testOwner) Monotonic() int64 {
	o.reads++
	o.now += o.step
	return o.now
}

func (o *testOwner) EvictSoon() { o.evictions++ }

// fullPeer is a peer with keys, and a clock that advances by 1 ms at each reading.
func fullPeer(keys int) (*peer, *testOwner) {
	p, owner := newPeer(), &testOwner{step: 1e6}
	p.Owner = owner
	for i := range keys {
		p.do(fmt.Sprintf("SET key:%d %s", i, strings.Repeat("v", 100)))
	}
	return p, owner
}

func TestEvictionLeavesTheRestForLater(t *testing.T) {
	p, owner := fullPeer(1000)
	for _, line := range []string{
		"CONFIG SET maxmemory-policy allkeys-random maxmemory-eviction-tenacity 0",
		fmt.Sprintf("CONFIG SET maxmemory %d", p.UsedMemory()/2+server.StartupMemory/2),
	} {
		require.Equal(t, "OK", p.do(line).Text())
	}
	require.True(t, p.Ready(), "the new limit is to be kept")
	p.ServeReady()
	require.Equal(t, 1000-server.EvictionsPerClockRead, p.sess.DB.Len())
	require.Equal(t, 1, owner.evictions)
	require.Equal(t, "OK", p.do("SET k v").Text(), "commands go on")
	for later, n := 0, p.sess.DB.Len(); later < 100 && p.UsedMemory() > p.Config.Memory.Limit; later++ {
		require.True(t, p.Evict())
		require.Less(t, p.sess.DB.Len(), n)
		n = p.sess.DB.Len()
	}
	require.LessOrEqual(t, p.UsedMemory(), p.Config.Memory.Limit)
	total, current := p.Memory.Exceeded(p.Owner.Monotonic())
	require.Positive(t, total)
	require.Zero(t, current)
	p.do("CONFIG RESETSTAT")
	total, _ = p.Memory.Exceeded(p.Owner.Monotonic())
	require.Zero(t, total)
	require.Zero(t, p.Store.Evicted())
	require.NoError(t, p.Store.Check())
}

func TestEvictionWithTenacityGoesOn(t *testing.T) {
	p, owner := fullPeer(500)
	p.do("CONFIG SET maxmemory-policy allkeys-lru maxmemory-eviction-tenacity 100 maxmemory 1")
	require.Equal(t, errtext.OutOfMemory, p.do("SET k v").Text())
	require.Zero(t, p.sess.DB.Len())
	require.Zero(t, owner.evictions, "nothing was to be left")
	require.EqualValues(t, 500, p.Store.Evicted())
	require.True(t, p.OutOfMemory())
	_, current := p.Memory.Exceeded(p.Owner.Monotonic())
	require.Positive(t, current)
}

func TestNothingIsEvictedDuringAPause(t *testing.T) {
	p, _ := fullPeer(10)
	p.do("CONFIG SET maxmemory-policy allkeys-lru")
	p.do("CLIENT PAUSE 1000 WRITE")
	p.do("CONFIG SET maxmemory 1")
	require.Equal(t, int64(10), p.do("DBSIZE").MustInt())
	p.do("CLIENT UNPAUSE")
	require.Equal(t, int64(0), p.do("DBSIZE").MustInt())
}

func TestUsedMemoryCountsScriptsAndSessions(t *testing.T) {
	p := newPeer()
	before := p.UsedMemory()
	other := p.NewSession("", "")
	require.Greater(t, p.UsedMemory(), before)
	p.CloseSession(other)
	require.Equal(t, before, p.UsedMemory())
	p.do("SET k v")
	require.Greater(t, p.UsedMemory(), before)
	p.do("DEL k")
	require.Equal(t, before, p.UsedMemory())
}
