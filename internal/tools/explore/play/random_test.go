package play_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// vocabulary are commands of random clients. k stands for a key, v for a value.
var vocabulary = strings.Split(strings.TrimSpace(`
GET k
GET k
SET k v
SET k v NX
SET k v PX 1500
GETSET k v
INCR k
APPEND k v
DEL k
DEL k k
EXISTS k k
RENAME k k
COPY k k REPLACE
PEXPIRE k 500
PERSIST k
PTTL k
MGET k k
MSET k v k v
LPUSH l v
RPUSH l v v
LPOP l
LLEN l
LMOVE l l LEFT RIGHT
BLPOP l 0
BLPOP l l 2
BLMOVE l l LEFT LEFT 1
SADD s v
SADD s v v
SREM s v
SPOP s
SCARD s
SUNIONSTORE s s s
SINTER s s
HSET h v v
HINCRBY h v 1
HGETALL h
ZADD z 1 v
ZADD z 2 v
ZPOPMIN z
ZRANGE z 0 -1
ZUNIONSTORE z 2 z z
BZPOPMIN z 1
XADD x * f v
XADD x * f v
XLEN x
XRANGE x - +
XREAD BLOCK 1000 STREAMS x $
XREADGROUP GROUP g c COUNT 1 STREAMS x >
KEYS *
DBSIZE
FLUSHDB
TIME
PING
PUBLISH c v
OBJECT ENCODING k
OBJECT IDLETIME k
SCRIPT EXISTS sha
EVALSHA sha 1 k v
EVAL set 1 k v
EVAL incr 2 k k
EVAL move 2 l l
WATCH k
WATCH k k
MULTI GET k SET k v EXEC
MULTI INCR k LPUSH l v EXEC
MULTI SADD s v BLPOP l 0 EXEC
MULTI SET k v DISCARD
PFADD p v
PFCOUNT p p
SETBIT k 3 1
BITCOUNT k
SORT l BY k* STORE l
SWAPDB 0 1
SELECT 1
SLEEP 700
`), "\n")

var scripts = map[string]string{
	"set": `return redis.call('SET', KEYS[1], ARGV[1])`,
	"incr": `local v = redis.call('GET', KEYS[1])
		if v then return redis.call('APPEND', KEYS[2], v) end
		return redis.call('SET', KEYS[1], 'new')`,
	"move": `if redis.call('LLEN', KEYS[1]) > 0 then return redis.call('RPUSH', KEYS[2], redis.call('LPOP', KEYS[1])) end return 0`,
}

// randomCommands are the commands of one client.
func randomCommands(r *rand.Rand, n int) (list [][]string) {
	for range n {
		var args []string
		multi := false
		for i, word := range strings.Fields(vocabulary[r.IntN(len(vocabulary))]) {
			switch {
			case word == "k" || word == "l" || word == "s" || word == "h" || word == "z" || word == "x" || word == "p":
				word += strconv.Itoa(1 + r.IntN(2))
			case word == "k*":
				word = "k*"
			case word == "v":
				word = strconv.Itoa(r.IntN(3))
			case i > 0 && args[0] == "EVAL" && scripts[word] != "":
				word = scripts[word]
			case word == "sha":
				word = engine.NewScript(scripts["set"]).SHA()
			}
			multi = multi || word == "MULTI"
			args = append(args, word)
		}
		if !multi {
			list = append(list, args)
			continue
		}
		from := 0
		for i := 1; i <= len(args); i++ { // cut before each name of a command
			if i == len(args) || slices.Contains([]string{"GET", "SET", "INCR", "LPUSH", "SADD", "BLPOP", "EXEC", "DISCARD"}, args[i]) {
				list = append(list, args[from:i])
				from = i
			}
		}
	}
	return list
}

// randomWorld is a play of two or three random clients. ends receives the ends of its orders.
func randomWorld(seed uint64, ends map[string]bool) *world {
	r := rand.New(rand.NewPCG(seed, 7))
	w := newWorld(command("SET", "k1", "a"), command("RPUSH", "l1", "a"), command("SADD", "s1", "a", "b"), command("ZADD", "z1", "1", "a"),
		command("XADD", "x1", "1-1", "f", "a"), command("XGROUP", "CREATE", "x1", "g", "0"), command("SET", "k2", "b", "PX", "1000"))
	clients := 2 + r.IntN(2)
	for i := range clients {
		list := randomCommands(r, 1+r.IntN(5-clients))
		w.client(fmt.Sprint("c", i+1), func(c *play.Client) {
			for _, args := range list {
				if args[0] == "SLEEP" {
					_ = c.Sleep(700 * time.Millisecond)
					continue
				}
				noteReply(c, args)
			}
		})
		w.Clients[i].Waits = true
		w.Clients[i].Crashes = clients == 2 && r.IntN(8) == 0
	}
	if clients == 2 && r.IntN(3) == 0 {
		w.Ticks = []time.Duration{1001 * time.Millisecond}
	}
	return withEnds(w, ends)
}

// The reduced search of real commands reaches the same ends as the one that runs every order: the
// same keyspaces and the same replies. REDMOON_SEED and REDMOON_STEPS make other plays, and more.
func TestRandomPlays(t *testing.T) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	first, plays := number("REDMOON_SEED", 1), number("REDMOON_STEPS", 150)
	every, run := 0, 0
	for i := range plays {
		seed := uint64(first*1_000_000 + i)
		all, few := map[string]bool{}, map[string]bool{}
		w := randomWorld(seed, all)
		w.Unreduced = true
		r := explore(t, w)
		require.True(t, r.Complete)
		require.Nil(t, r.Violation)
		every += r.Orders
		r = explore(t, randomWorld(seed, few))
		require.True(t, r.Complete)
		run += r.Orders + r.Cut
		require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(few)), "seed %d", seed)
	}
	t.Logf("%d plays: %d orders in place of %d", plays, run, every)
}
