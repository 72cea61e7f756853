package recorder_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// A session with a bit of everything is replayed without differences.
func TestASessionIsReplayed(t *testing.T) { onServers(t, aSessionIsReplayed) }

func aSessionIsReplayed(t *testing.T, addr string) {
	r := record(t, addr)
	p := r.dial()
	p.do(
		"SET k v PX 100000",
		"GET k",
		"PTTL k",
		"TTL k",
		"INCR n",
		"SADD s a b c d e",
		"SMEMBERS s",
		"SPOP s",
		"SPOP s 2",
		"SCARD s",
		"SRANDMEMBER s",
		"HSET h a 1 b 2 c 3",
		"HGETALL h",
		"HKEYS h",
		"ZADD z 1 a 2 b",
		"ZRANGE z 0 -1 WITHSCORES",
		"XADD st * f v",
		"XADD st * g w",
		"XRANGE st - +",
		"TIME",
		"OBJECT ENCODING s",
		"KEYS *",
		"SCAN 0",
		"DBSIZE",
		"INFO server",
		"CLIENT ID",
		"CLIENT LIST",
		"EVAL \"return redis.call('INCR', KEYS[1])\" 1 n",
		"EVAL \"return {redis.call('SMEMBERS', KEYS[1]), redis.call('TIME')}\" 1 s",
		"LPUSH k x",
		"NOSUCH command",
		"SELECT 3",
		"SET k other",
		"GET k",
		"SELECT 0",
		"GET k",
		"MULTI",
		"INCR n",
		"LPUSH k x",
		"GET n",
		"EXEC",
		"MULTI",
		"INCR n",
		"DISCARD",
		"WATCH n",
		"MULTI",
		"INCR n",
		"EXEC",
		"MULTI",
		"NOSUCH",
		"EXEC",
		"CONFIG GET maxmemory",
		"DEBUG OBJECT n",
		"MEMORY USAGE n",
		"RANDOMKEY",
		"EXPIRETIME k",
		"PEXPIRETIME k",
		"DUMP n",
		"SETRANGE n 2 x",
		"HELLO 3",
		"HGETALL h",
		"SMEMBERS s",
		"ZSCORE z a",
		"RESET",
		"PING",
		"ECHO hi",
		"COMMAND COUNT",
		"LASTSAVE",
		"SLOWLOG LEN",
		"WAIT 0 0",
		"OBJECT FREQ n",
		"QUIT",
	)
	sum := r.stop()
	require.EqualValues(t, 1, sum.Connections)
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.EqualValues(t, sum.Commands, rep.Commands+rep.NotRun["withheld"], show(rep))
	t.Log(show(rep))
}

// Clients that do the same at the same time: the replay finds an order that explains all replies.
func TestConcurrentClientsAreReplayed(t *testing.T) { onServers(t, concurrentClientsAreReplayed) }

func concurrentClientsAreReplayed(t *testing.T, addr string) {
	// The search for the order of commands that overlap is bounded, and on a busy machine hundreds may
	// overlap. Then the report says so, and another recording shows that all is the same.
	for tries := 1; ; tries++ {
		rep := recordedClients(t, addr)
		for _, d := range rep.Differences {
			require.NotEmpty(t, d.Overlaps, show(rep))
		}
		if len(rep.Differences) == 0 {
			t.Log(show(rep))
			return
		}
		require.Less(t, tries, 5, show(rep))
	}
}

// recordedClients records eight clients that work on the same keys, and replays them.
func recordedClients(t *testing.T, addr string) *replay.Report {
	r := record(t, addr)
	setup := r.dial()
	setup.do("FLUSHALL")
	for i := range 200 {
		setup.do(fmt.Sprintf("RPUSH packets %d", i))
	}
	const clients = 8
	var all sync.WaitGroup
	for c := range clients {
		p := r.dial()
		all.Go(func() {
			for i := range 60 {
				p.do(
					fmt.Sprintf(
						`EVAL "local v = redis.call('LPOP', KEYS[1]) `+
							`if v then redis.call('HSET', KEYS[2], ARGV[1], v) end return v" `+
							`2 packets taken %d-%d`,
						c,
						i,
					),
				)
				p.do("INCR hits", "GET last", fmt.Sprintf("SET last %d-%d", c, i), "GET last")
				if i%10 == 0 {
					p.send(
						"INCR hits",
						"INCR hits",
						"LLEN packets",
						"MULTI",
						"INCR hits",
						"GET last",
						"EXEC",
						"HLEN taken",
					)
					for range 8 {
						p.read()
					}
				}
			}
		})
	}
	all.Wait()
	r.stop()
	return r.replay()
}

// Commands that wait are served by the recorded command, or time out, in the replay too.
func TestWaitsAreReplayed(t *testing.T) { onServers(t, waitsAreReplayed) }

func waitsAreReplayed(t *testing.T, addr string) {
	r := record(t, addr)
	pusher := r.dial()
	pusher.do("XADD st 1-1 f v", "XGROUP CREATE st g $ MKSTREAM")
	wait := func(lines ...string) (peers []*peer) {
		for _, l := range lines {
			p := r.dial()
			id := p.do("CLIENT ID").MustInt()
			p.send(l)
			for !strings.Contains(pusher.do(fmt.Sprintf("CLIENT LIST ID %d", id)).Text(), "flags=b") { // it waits
			}
			peers = append(peers, p)
		}
		return peers
	}
	var workers []*peer
	for range 4 { // the order in which they wait decides who is served first
		workers = append(workers, wait("BLPOP jobs urgent 0")...)
	}
	others := wait(
		"BLMOVE src dst LEFT RIGHT 0",
		"BZPOPMIN z 0",
		"XREAD BLOCK 0 STREAMS st $",
		"XREADGROUP GROUP g c BLOCK 0 STREAMS st >",
		"BLPOP never 0.05",
		"BLMPOP 0 1 jobs2 LEFT COUNT 2",
	)
	pusher.do(
		"RPUSH jobs a b",
		"MULTI",
		"RPUSH jobs c",
		"RPUSH urgent d",
		"LLEN jobs",
		"EXEC",
		"RPUSH src x",
		"LRANGE dst 0 -1",
		"ZADD z 5 m",
		"XADD st 2-0 f w",
		`EVAL "redis.call('RPUSH', KEYS[1], 'p', 'q', 'r') return redis.call('LLEN', KEYS[1])" 1 jobs2`,
		"LRANGE jobs2 0 -1",
		"EXISTS jobs urgent",
	)
	for _, p := range append(workers, others...) {
		p.read()
	}
	gone := wait("BLPOP vanishes 0")
	left := r.dial().do("CLIENT ID").MustInt() - 1
	gone[0].nc.Close()
	for pusher.do(fmt.Sprintf("CLIENT LIST ID %d", left)).Text() != "" { // until then the server serves it
	}
	unblocked := wait("BLPOP x 0")
	id := r.dial().do("CLIENT ID").MustInt() - 1
	pusher.do(fmt.Sprintf("CLIENT UNBLOCK %d ERROR", id), "RPUSH vanishes 1", "LLEN vanishes")
	unblocked[0].read()
	pusher.send("BLPOP jobs 0.01", "RPUSH jobs z", "BLPOP jobs 0")
	for range 3 {
		pusher.read()
	}
	r.stop()
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Equal(
		t,
		map[replay.Reason]int{"no reply": 1},
		rep.NotRun,
		show(rep),
	) // the client that vanished
}

// Messages, invalidations and keyspace events come in the replay too, and are compared.
func TestPushesAreReplayed(t *testing.T) { onServers(t, pushesAreReplayed) }

func pushesAreReplayed(t *testing.T, addr string) {
	r := record(t, addr)
	p, two, three, cache := r.dial(), r.dial(), r.dial(), r.dial()
	p.do("CONFIG SET notify-keyspace-events KEA")
	two.send("SUBSCRIBE a b", "PSUBSCRIBE p* __keyevent*", "PING")
	for range 5 {
		two.read()
	}
	three.do("HELLO 3")
	three.send("SUBSCRIBE a", "SSUBSCRIBE s", "GET k")
	for range 3 {
		three.read()
	}
	cache.do("HELLO 3", "CLIENT TRACKING ON BCAST PREFIX k")
	p.do(
		"PUBLISH a one",
		"PUBLISH p1 two",
		"SPUBLISH s three",
		"SET k v",
		"DEL k",
		"MULTI",
		"PUBLISH a four",
		"SET k2 w",
		"EXEC",
		`EVAL "return redis.call('PUBLISH', 'b', 'five')" 0`,
	)
	two.send("UNSUBSCRIBE", "PUNSUBSCRIBE", "PING")
	for pongs := 0; pongs < 1; {
		if v := two.read(); v.Text() == "PONG" || len(v.Strings()) > 0 && v.Strings()[0] == "PONG" {
			pongs++
		}
	}
	three.send("UNSUBSCRIBE", "PING")
	cache.send("PING")
	for _, c := range []*peer{three, cache} { // what a client has not read may not have been recorded
		for c.read().Text() != "PONG" {
		}
	}
	r.stop()
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Greater(t, rep.Pushes, 12, show(rep))
}

// A key expires in the replay when it has expired in the recording, to the millisecond.
func TestExpiryIsReplayed(t *testing.T) { onServers(t, expiryIsReplayed) }

func expiryIsReplayed(t *testing.T, addr string) {
	r := record(t, addr)
	p, events := r.dial(), r.dial()
	p.do("CONFIG SET notify-keyspace-events Ex")
	events.do("SUBSCRIBE __keyevent@0__:expired")
	for i := range 20 {
		p.do(fmt.Sprintf("SET short%d v PX %d", i, 1+i%3))
		for p.do(fmt.Sprintf("EXISTS short%d", i)).MustInt() == 1 {
		}
		p.do(
			fmt.Sprintf("SET short%d v NX PX 100000", i),
			fmt.Sprintf("PTTL short%d", i),
			fmt.Sprintf("PEXPIRETIME short%d", i),
		)
		events.read()
	}
	r.stop()
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.Equal(t, 20, rep.Pushes)
}
