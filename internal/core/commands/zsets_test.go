package commands

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands/sample"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

func newZSetServer() (server.Control, *server.Session) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	return s, s.NewSession("", "")
}

// The events are what redis-server 7.0.15 publishes with notify-keyspace-events AE.
func TestZSetEvents(t *testing.T) {
	s, sess := newZSetServer()
	var events []string
	s.Store.Listen(func(ch *datastore.Change) {
		if ch.Class != datastore.ClassNew { // A does not include n
			events = append(events, ch.Event+" "+ch.Key)
		}
	})
	for _, c := range []struct{ command, events string }{
		{"zadd k 1 a 2 b 3 c 4 d 5 e", "zadd k"},
		{"zadd k 1 a", ""},
		{"zadd k 2 a 3 b", "zadd k"},
		{"zadd k xx 9 nope", ""},
		{"zincrby k 0 a", ""},
		{"zincrby k 1 a", "zincr k"},
		{"zadd n incr 5 zz", "zincr n"},
		{"zadd n nx incr 5 zz", ""},
		{"zrem n nope", ""},
		{"zrem n zz nope", "zrem n,del n"},
		{"zpopmin k", "zpopmin k"},
		{"zpopmax k 2", "zpopmax k"},
		{"zpopmin k 0", ""},
		{"zpopmin k 100", "zpopmin k,del k"},
		{"zadd k 1 a 2 b 3 c 4 d 5 e", "zadd k"},
		{"zremrangebyrank k 0 0", "zremrangebyrank k"},
		{"zremrangebyrank k 7 9", ""},
		{"zremrangebyscore k 2 2", "zremrangebyscore k"},
		{"zremrangebylex k - +", "zremrangebylex k,del k"},
		{"zadd k 1 a 2 b 3 c", "zadd k"},
		{"zrangestore d k 1 2", "zrangestore d"},
		{"zrangestore d k 9 10", "del d"},
		{"zrangestore d k 9 10", ""},
		{"zunionstore d 1 k", "zunionstore d"},
		{"zinterstore d 2 k nope", "del d"},
		{"zinterstore d 2 k nope", ""},
		{"zdiffstore d 1 k", "zdiffstore d"},
		{"zmpop 2 nope k max", "zpopmax k"},
		{"zmpop 2 nope k min count 9", "zpopmin k,del k"},
		{"zmpop 2 nope k min count 9", ""},
		{"zunionstore d 1 d", "zunionstore d"},
	} {
		events = nil
		v := s.Execute(sess, cmdtable.DoorClient, strings.Fields(c.command))
		require.False(t, v.IsError(), "%s: %s", c.command, v.Text())
		require.Equal(t, c.events, strings.Join(events, ","), c.command)
	}
	require.NoError(t, s.Store.Check())
}

func TestZSetErrorsChangeNothing(t *testing.T) {
	s, sess := newZSetServer()
	s.Execute(sess, cmdtable.DoorClient, strings.Fields("zadd k 1 a inf i"))
	changes := 0
	s.Store.Listen(func(*datastore.Change) { changes++ })
	for _, command := range []string{
		"zadd k 2 a foo b", "zadd new 1 a foo b", "zadd k incr -inf i", "zincrby k -inf i", "zpopmin k -1",
		"zremrangebyscore k 0 foo", "zrangestore k k 0 x", "zunionstore k 1 k weights foo", "zmpop 1 k min count 0",
	} {
		require.True(t, s.Execute(sess, cmdtable.DoorClient, strings.Fields(command)).IsError(), command)
	}
	require.Zero(t, changes)
	require.Equal(t, 1, s.Store.DB(0).Len())
	require.Equal(t, []string{"a", "1", "i", "inf"}, s.Execute(sess, cmdtable.DoorClient,
		strings.Fields("zrange k 0 -1 withscores")).Strings())
	require.NoError(t, s.Store.Check())
}

// BZMPOP reaches its handler only from scripts, where it runs immediately with any timeout.
func TestBZMPopFromAScript(t *testing.T) {
	s, sess := newZSetServer()
	s.Execute(sess, cmdtable.DoorClient, strings.Fields("zadd k 1 a 2 b 3 c"))
	for _, c := range []struct{ command, want string }{
		{"bzmpop 0 1 nokey min", ""},
		{"bzmpop 0.5 1 nokey min", ""},
		{"bzmpop -0.0005 1 nokey min", ""},
		{"bzmpop 9223372036854775 1 nokey min", ""},
		{"bzmpop 0 2 nokey k max", "k"},
		{"bzmpop -1 1 k min", "ERR timeout is negative"},
		{"bzmpop -0.002 1 k min", "ERR timeout is negative"},
		{"bzmpop -0.001 1 nokey min", ""}, // as a long double it is a little above -0.001
		{"bzmpop inf 1 k min", "ERR timeout is negative"},
		{"bzmpop 1e400 1 k min", "ERR timeout is negative"},
		{"bzmpop 9223372036854777 1 k min", "ERR timeout is negative"},
		{"bzmpop 1e5000 1 k min", "ERR timeout is not a float or out of range"},
		{"bzmpop nan 1 k min", "ERR timeout is not a float or out of range"},
		{"bzmpop a 1 k foo", "ERR syntax error"},
		{"bzmpop a 0 k min", "ERR numkeys should be greater than 0"},
		{"bzmpop a 1 k min count 0", "ERR count should be greater than 0"},
		{"bzpopmin k 0", "ERR This Redis command is not allowed from script"},
		{"bzpopmax k", "ERR Wrong number of args calling Redis command from script"},
	} {
		v := s.Execute(sess, cmdtable.DoorScript, strings.Fields(c.command))
		got := v.Text()
		if v.Len() > 0 {
			got = v.Slice()[0].Text()
		}
		require.Equal(t, c.want, got, c.command)
	}
	require.Equal(t, []string{"a", "b"}, s.Execute(sess, cmdtable.DoorClient, strings.Fields("zrange k 0 -1")).Strings())
}

func TestSampleRanksAreDistinctAndEvenlySpread(t *testing.T) {
	s, _ := newZSetServer()
	const n, size, rounds = 10, 4, 20000
	var seen, first [n]int
	for range rounds {
		ranks := map[int]bool{}
		for i, r := range sample.Ranks(n, size, s.Store.Rand().IntN) {
			if i == 0 {
				first[r]++
			}
			ranks[r] = true
			seen[r]++
		}
		require.Len(t, ranks, size)
	}
	for i := range seen {
		require.Less(t, math.Abs(float64(seen[i])-rounds*size/n), 600.0)
		require.Less(t, math.Abs(float64(first[i])-rounds/n), 400.0)
	}
}

// benchZSets returns a server whose key k holds a million members m0, m1, ... with scores 0, 1, ...
func benchZSets(b *testing.B) (server.Control, *server.Session) {
	s, sess := newZSetServer()
	z, err := s.Store.DB(0).ZSetForWrite("k")
	require.NoError(b, err)
	for i := range 1_000_000 {
		z.Set(fmt.Sprint("m", i), float64(i))
	}
	return s, sess
}

// benchZSetArgs returns calls of one command with different arguments, so that the benchmark does
// not time their construction.
func benchZSetArgs(args func(i int) string) [][]string {
	calls := [][]string{}
	for i := range 100_000 {
		calls = append(calls, strings.Fields(args(i*7919%1_000_000)))
	}
	return calls
}

func BenchmarkZSetCommands(b *testing.B) {
	s, sess := benchZSets(b)
	turn := 0 // each member comes twice, with another score
	for _, c := range []struct {
		name string
		args func(i int) string
	}{
		{"ZADD", func(int) string {
			turn++
			return fmt.Sprintf("zadd k %d m%d", turn*7919%1_000_000, turn%50_000*19)
		}},
		{"ZINCRBY", func(i int) string { return fmt.Sprintf("zincrby k 1 m%d", i) }},
		{"ZRANK", func(i int) string { return fmt.Sprintf("zrank k m%d", i) }},
		{"ZRANGE10", func(i int) string { return fmt.Sprintf("zrange k %d %d", i, i+9) }},
		{"ZRANGE10WITHSCORES", func(i int) string { return fmt.Sprintf("zrange k %d %d withscores", i, i+9) }},
		{"ZRANGEBYSCORE10", func(i int) string { return fmt.Sprintf("zrange k %d %d byscore limit 0 10", i, i+1000) }},
		{"ZCOUNT", func(i int) string { return fmt.Sprintf("zcount k %d %d", i, i+1000) }},
	} {
		calls := benchZSetArgs(c.args)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.Execute(sess, cmdtable.DoorClient, calls[i%len(calls)])
				i++
			}
		})
	}
}
