package engine_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// peer is a connection whose memory the test sets.
type peer struct {
	*engine.Session
	use  atomic.Pointer[enginedoor.ConnUse]
	dead atomic.Bool
}

func newPeer(t *testing.T, e *engine.Engine, name string) *peer {
	t.Helper()
	p := &peer{}
	p.use.Store(&enginedoor.ConnUse{})
	var err error
	p.Session, err = enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{
		Addr: "127.0.0.1:1", Kill: func() { p.dead.Store(true) }, Use: func() enginedoor.ConnUse { return *p.use.Load() },
		Receive: func(engine.Value, int, int64) int64 { return p.use.Load().Waiting },
	})
	require.NoError(t, err)
	mustDo(t, p, "CLIENT", "SETNAME", name)
	return p
}

func TestTheSoftLimitOfRepliesIsTheClocks(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Config: map[string]string{"client-output-buffer-limit": "normal 0 1mb 5"}})
	slow, pausing := newPeer(t, e, "slow"), newPeer(t, e, "pausing")
	much := &enginedoor.ConnUse{Waiting: 2 << 20}
	slow.use.Store(much)
	pausing.use.Store(much)
	clock.Advance(4 * time.Second)
	pausing.use.Store(&enginedoor.ConnUse{})
	clock.Advance(time.Second)
	pausing.use.Store(much)
	require.False(t, slow.dead.Load())
	clock.Advance(2 * time.Second)
	require.True(t, slow.dead.Load())
	list := mustDo(t, e, "CLIENT", "LIST").Text()
	require.NotContains(t, list, "name=slow")
	require.Contains(t, list, "name=pausing")
	clock.Advance(3 * time.Second)
	require.False(t, pausing.dead.Load())
	clock.Advance(2 * time.Second)
	require.True(t, pausing.dead.Load())
}

func TestALimitThatIsTakenAwayCutsNobodyOff(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Config: map[string]string{"client-output-buffer-limit": "normal 0 1mb 5"}})
	slow := newPeer(t, e, "slow")
	slow.use.Store(&enginedoor.ConnUse{Waiting: 2 << 20})
	clock.Advance(3 * time.Second)
	mustDo(t, e, "CONFIG", "SET", "client-output-buffer-limit", "normal 0 0 0")
	clock.Advance(time.Minute)
	require.False(t, slow.dead.Load())
}

func TestClientsThatGrowUnseenAreEvicted(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Config: map[string]string{"maxmemory-clients": "10mb"}})
	small, medium, large, spared := newPeer(t, e, "small"), newPeer(t, e, "medium"), newPeer(t, e, "large"), newPeer(t, e, "spared")
	mustDo(t, spared, "CLIENT", "NO-EVICT", "on")
	small.use.Store(&enginedoor.ConnUse{Room: 1 << 20})
	medium.use.Store(&enginedoor.ConnUse{Room: 2 << 20, Query: 1 << 20})
	large.use.Store(&enginedoor.ConnUse{Waiting: 5 << 20})
	spared.use.Store(&enginedoor.ConnUse{Args: 6 << 20, ArgN: 3})
	clock.Advance(time.Second)
	require.True(t, large.dead.Load())
	require.Equal(t, []bool{false, false, false}, []bool{small.dead.Load(), medium.dead.Load(), spared.dead.Load()})
	list := mustDo(t, e, "CLIENT", "LIST").Text()
	require.NotContains(t, list, "name=large")
	require.Contains(t, list, " qbuf=1048576 qbuf-free=1048576 argv-mem=0 ")
	require.Contains(t, list, " argv-mem=6291456 ")

	spared.use.Store(&enginedoor.ConnUse{Args: 60 << 20, ArgN: 3})
	clock.Advance(time.Second) // all others are disconnected, which is not enough
	require.True(t, small.dead.Load() && medium.dead.Load())
	require.False(t, spared.dead.Load())
	require.Contains(t, mustDo(t, e, "INFO", "stats").Text(), "evicted_clients:3\r\n")
}

func TestSessionsInProcessAreNotEvicted(t *testing.T) {
	e := newEngine(t, engine.Options{Config: map[string]string{"maxmemory-clients": "1mb"}})
	s := newSession(t, e)
	mustDo(t, s, "MULTI")
	mustDo(t, s, "SET", "k", strings.Repeat("x", 2<<20))
	require.Contains(t, mustDo(t, e, "CLIENT", "LIST").Text(), " multi-mem=2097180 ")
	require.Equal(t, "OK", mustDo(t, s, "EXEC").Slice()[0].Text())
	require.Contains(t, mustDo(t, e, "INFO", "stats").Text(), "evicted_clients:0\r\n")
}
