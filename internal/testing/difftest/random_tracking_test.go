package difftest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

const (
	trackingSequenceLen = 80
)

// TestRandomTracking lets sessions track keys in random modes and read and write them. After each
// step all that each session has been sent is compared. REDMOON_SEED=n plays others,
// REDMOON_STEPS=n sets how many there are. A difference is printed as a case file.
func TestRandomTracking(t *testing.T) {
	needsOracle(t)
	seed := tier.Seed()
	count := tier.Number("REDMOON_STEPS", 1000, 4000)
	pushed := 0
	for i := 0; i*trackingSequenceLen < count; i++ {
		g := &trackingGenerator{r: rand.New(rand.NewPCG(seed, uint64(i)))}
		text := g.sequence(trackingSequenceLen)
		path := filepath.Join(t.TempDir(), fmt.Sprintf("sequence%d.rdt", i))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		f, err := ParseFile(path)
		require.NoError(t, err)
		require.NoError(t, theRunner.Oracle.Reset())
		start := Present()
		want, err := play(theRunner.Oracle, f, wrapNone, nil)
		require.NoError(t, err, "oracle; seed %d, sequence %d:\n%s", seed, i, text)
		peer, err := newRedmoonServer("", start)
		require.NoError(t, err)
		got, err := play(peer, f, wrapNone, nil)
		require.NoError(t, err, "seed %d, sequence %d:\n%s", seed, i, text)
		require.NoError(t, peer.stop())
		for j := range f.Steps {
			if f.Steps[j].kind == stepPushes {
				pushed += len(want[j].replies)
			}
		}
		if res := compare(f, wrapNone, want, got); len(res.Faults) > 0 {
			lines := strings.SplitAfter(text, "\n")
			t.Fatalf("seed %d, sequence %d: %s\n\nas a case file:\n%s", seed, i, res.Faults[0].Text, strings.Join(lines[:res.Faults[0].Line], ""))
		}
	}
	require.NoError(t, theRunner.Oracle.Reset())
	require.Greater(t, pushed, count/10, "hardly anything was told")
	t.Logf("%d messages from seed %d", pushed, seed)
}

// trackingGenerator writes a case file.
type trackingGenerator struct {
	r *rand.Rand
	b strings.Builder
}

// trackers are the sessions that track. Their invalidations may be redirected: receives3 speaks
// RESP3, receives2 is subscribed.
var trackers = []string{"a", "b", "c"}

func (g *trackingGenerator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *trackingGenerator) pick(from ...string) string { return from[g.r.IntN(len(from))] }

func (g *trackingGenerator) chance(n int) bool { return g.r.IntN(n) == 0 }

func (g *trackingGenerator) sequence(steps int) string {
	g.line("!doors resp\n!session receives3\n!resp 3\n!session receives2\n!raw \"SUBSCRIBE __redis__:invalidate\\r\\n\" 1")
	g.line("!session d\n!resp 3\nDEBUG SET-ACTIVE-EXPIRE 0") // the time at which Redis does it is random
	for _, name := range trackers {
		g.line("!session %s\n!resp 3", name)
		g.mode()
	}
	for range steps {
		g.step()
		for _, name := range append(trackers, "d", "receives3", "receives2") {
			g.line("!session %s\n!pushes", name)
		}
	}
	return g.b.String()
}

// mode turns tracking on in another way, or tries to.
func (g *trackingGenerator) mode() {
	if !g.chance(4) {
		g.line("CLIENT TRACKING OFF")
	}
	words := []string{"CLIENT TRACKING ON"}
	switch g.r.IntN(8) {
	case 0:
		words = append(words, "OPTIN")
	case 1:
		words = append(words, "OPTOUT")
	case 2, 3:
		words = append(words, "BCAST")
		for range g.r.IntN(3) {
			words = append(words, "PREFIX "+g.pick("a", "b", "ab", "l", "z", `""`, "k"))
		}
	}
	if g.chance(3) {
		words = append(words, "NOLOOP")
	}
	if g.chance(3) {
		words = append(words, "REDIRECT @id:"+g.pick("receives3", "receives2"))
	}
	g.line("%s", strings.Join(words, " "))
	g.line("!ids\nCLIENT TRACKINGINFO")
}

func (g *trackingGenerator) step() {
	g.line("!session %s", g.pick(append(trackers, "d")...))
	switch g.r.IntN(16) {
	case 0:
		g.mode()
	case 1:
		g.line("CLIENT CACHING %s\n%s", g.pick("YES", "NO"), g.command())
	case 2, 3:
		if g.chance(3) {
			g.line("CLIENT CACHING %s", g.pick("YES", "NO"))
		}
		g.line("MULTI")
		for range 1 + g.r.IntN(4) {
			g.line("%s", g.command())
		}
		g.line("%s", g.pick("EXEC", "EXEC", "EXEC", "DISCARD"))
	case 4:
		g.line("EVAL \"for i = 1, #ARGV, 3 do redis.pcall(ARGV[i], ARGV[i+1], ARGV[i+2]) end\" 2 %s %s %s", g.key(), g.key(),
			g.pick("set a 1", "append ab 1", "lrange l 1", "getbit a 1", "getbit b 1 append a 2", "setnx b 1 strlen b", "expire a 100 getbit l 1"))
	case 5:
		g.line("%s", g.pick("FLUSHALL", "FLUSHDB", "SELECT 1", "SELECT 0", "SWAPDB 0 1"))
	case 6:
		g.line("SET %s 1 PX 20\n!wait 40ms", g.key())
	default:
		g.line("%s", g.command())
	}
}

func (g *trackingGenerator) key() string {
	return g.pick("a", "ab", "b", "l", "ll", "z", "zz", "h", "s", "ss", "k")
}

// command draws a command whose reply does not depend on any order.
func (g *trackingGenerator) command() string {
	line := g.pick("GET K", "GET K", "GET K", "MGET K K K", "STRLEN K", "EXISTS K K", "TYPE K", "LRANGE K 0 -1", "LLEN K", "HGET K f",
		"HLEN K", "SCARD K",
		"ZCARD K", "ZRANGE K 0 -1", "SORT_RO l", "SINTERCARD 2 K K", "ZUNION 2 zz zz", "XLEN K", "BITCOUNT K", "LCS a b", "PFCOUNT K",
		"OBJECT ENCODING k", "TOUCH K K",
		"SET K 1", "SET K 2", "SET K 3 EX 100", "SETNX K 1", "GETSET K 1", "GETDEL K", "GETEX K PERSIST", "APPEND K x", "INCR K",
		"SETRANGE K 0 x", "MSET K 1 K 2",
		"MSETNX K 1 K 2", "DEL K", "DEL K K K", "UNLINK K K", "EXPIRE K 100", "EXPIRE K -1", "PERSIST K", "RENAME K K", "RENAMENX K K",
		"COPY K K", "COPY K K REPLACE",
		"MOVE K 1", "RPUSH l 1 2", "LPUSH K 1", "LPOP K", "RPOP K 2", "LMOVE l ll LEFT RIGHT", "RPOPLPUSH K K", "LREM K 0 1", "LTRIM K 1 1",
		"LSET K 0 x", "LINSERT K BEFORE 1 2",
		"SORT l STORE ll", "SADD s m1 m2", "SADD K 1", "SREM K 1", "SMOVE s ss m1", "SINTERSTORE ss s ss", "SUNIONSTORE K s", "SDIFFSTORE K s K",
		"HSET h f 1", "HDEL K f",
		"HINCRBY h f 1", "ZADD z 1 x 2 y", "ZADD z XX 5 x", "ZREM K x", "ZPOPMIN K", "ZINCRBY z 1 x", "ZRANGESTORE K z 0 -1",
		"ZUNIONSTORE K 2 z zz", "ZREMRANGEBYRANK K 0 0",
		"BITOP AND K K K", "SETBIT K 1 1", "BITFIELD K SET u8 0 1", "BITFIELD K GET u8 0", "PFADD K x", "PFMERGE K k", "GEOADD z 1 1 g",
		"GEOSEARCHSTORE K z FROMLONLAT 1 1 BYRADIUS 1 m",
		"XADD k 1-1 f v", "XADD k * f v NOSUCH", "XDEL k 1-1", "XTRIM k MAXLEN 0", "XGROUP CREATE k g $ MKSTREAM", "XGROUP DESTROY k g",
		"XACK k g 1-1", "LMPOP 2 l ll LEFT",
		"ZMPOP 2 z zz MIN", "NOSUCH K", "GET", "PING")
	words := strings.Fields(line)
	for i, w := range words {
		if w == "K" {
			words[i] = g.key()
		}
	}
	return strings.Join(words, " ")
}
