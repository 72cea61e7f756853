package recorder_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A session with a bit of everything is replayed without differences.
func TestASessionIsReplayed(t *testing.T) {
	r := record(t, target(t).Addr)
	p := r.dial()
	p.do("SET k v PX 100000", "GET k", "PTTL k", "TTL k", "INCR n", "SADD s a b c d e", "SMEMBERS s", "SPOP s", "SPOP s 2", "SCARD s", "SRANDMEMBER s",
		"HSET h a 1 b 2 c 3", "HGETALL h", "HKEYS h", "ZADD z 1 a 2 b", "ZRANGE z 0 -1 WITHSCORES", "XADD st * f v", "XADD st * g w", "XRANGE st - +",
		"TIME", "OBJECT ENCODING s", "KEYS *", "SCAN 0", "DBSIZE", "INFO server", "CLIENT ID", "CLIENT LIST", "EVAL \"return redis.call('INCR', KEYS[1])\" 1 n",
		"EVAL \"return {redis.call('SMEMBERS', KEYS[1]), redis.call('TIME')}\" 1 s", "LPUSH k x", "NOSUCH command", "SELECT 3", "SET k other", "GET k", "SELECT 0", "GET k",
		"MULTI", "INCR n", "LPUSH k x", "GET n", "EXEC", "MULTI", "INCR n", "DISCARD", "WATCH n", "MULTI", "INCR n", "EXEC", "MULTI", "NOSUCH", "EXEC",
		"CONFIG GET maxmemory", "DEBUG OBJECT n", "MEMORY USAGE n", "RANDOMKEY", "EXPIRETIME k", "PEXPIRETIME k", "DUMP n", "SETRANGE n 2 x", "HELLO 3", "HGETALL h", "SMEMBERS s", "ZSCORE z a",
		"RESET", "PING", "ECHO hi", "COMMAND COUNT", "LASTSAVE", "SLOWLOG LEN", "WAIT 0 0", "OBJECT FREQ n", "QUIT")
	sum := r.stop()
	require.EqualValues(t, 1, sum.Connections)
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	require.EqualValues(t, sum.Commands, rep.Commands+rep.NotRun["withheld"], show(rep))
	t.Log(show(rep))
}

// Clients that do the same at the same time: the replay finds an order that explains all replies.
func TestConcurrentClientsAreReplayed(t *testing.T) {
	r := record(t, target(t).Addr)
	setup := r.dial()
	for i := range 200 {
		setup.do(fmt.Sprintf("RPUSH packets %d", i))
	}
	const clients = 8
	var all sync.WaitGroup
	for c := range clients {
		p := r.dial()
		all.Go(func() {
			for i := range 60 {
				p.do(fmt.Sprintf(`EVAL "local v = redis.call('LPOP', KEYS[1]) if v then redis.call('HSET', KEYS[2], ARGV[1], v) end return v" 2 packets taken %d-%d`, c, i))
				p.do("INCR hits", "GET last", fmt.Sprintf("SET last %d-%d", c, i), "GET last")
				if i%10 == 0 {
					p.send("INCR hits", "INCR hits", "LLEN packets", "MULTI", "INCR hits", "GET last", "EXEC", "HLEN taken")
					for range 8 {
						p.read()
					}
				}
			}
		})
	}
	all.Wait()
	r.stop()
	rep := r.replay()
	require.Empty(t, rep.Differences, show(rep))
	t.Log(show(rep))
}
