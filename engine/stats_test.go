package engine_test

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/stretchr/testify/require"
)

func statsOf(t *testing.T, e *engine.Engine) engine.Stats {
	t.Helper()
	s, err := e.Stats(context.Background())
	require.NoError(t, err)
	return s
}

// script returns the entry of a script, found by its SHA1 or name.
func script(t *testing.T, s engine.Stats, name string) engine.ScriptStats {
	t.Helper()
	for _, x := range s.Scripts {
		if x.SHA1 == name || x.Name == name {
			return x
		}
	}
	return engine.ScriptStats{}
}

func infoFields(t *testing.T, e *engine.Engine) map[string]string {
	t.Helper()
	fields := map[string]string{}
	info := mustDo(t, e, "INFO", "everything").Text()
	for _, m := range regexp.MustCompile(`(?m)^(\w[^:\r\n]*):([^\r\n]*)`).FindAllStringSubmatch(info, -1) {
		fields[m[1]] = m[2]
	}
	return fields
}

// busyDay runs commands of every kind.
func busyDay(t *testing.T, e *engine.Engine) {
	t.Helper()
	ctx := context.Background()
	for i := range 100 {
		mustDo(t, e, "SET", "k"+strconv.Itoa(i), i, "PX", 50_000)
		mustDo(t, e, "GET", "k"+strconv.Itoa(2*i))
		mustDo(t, e, "KEYS", "k1*")
	}
	mustDo(t, e, "SET", "list", "x")
	_, err := e.Do(ctx, "LPUSH", "list", "x")
	require.ErrorIs(t, err, engine.ErrWrongType)
	_, err = e.Do(ctx, "GET")
	require.Error(t, err)
	_, err = e.Eval(ctx, "return redis.call('lpush', KEYS[1], 1)", []string{"list"})
	require.Error(t, err)
	mustDo(t, e, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
}

func TestStatsAgreeWithInfo(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Config: map[string]string{"maxmemory": "1gb"}})
	busyDay(t, e)
	clock.Advance(2 * time.Second)
	info, s := infoFields(t, e), statsOf(t, e)

	for _, c := range s.Commands {
		if c.Name == "info" {
			continue // it has counted itself meanwhile
		}
		require.Equal(t, fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d", c.Calls, c.Time.Microseconds(),
			float64(c.Time.Microseconds())/math.Max(1, float64(c.Calls)), c.Rejected, c.Failed), info["cmdstat_"+c.Name], c.Name)
		delete(info, "cmdstat_"+c.Name)
	}
	for name := range info {
		require.NotContains(t, name, "cmdstat_")
	}
	for code, n := range s.Errors {
		require.Equal(t, fmt.Sprintf("count=%d", n), info["errorstat_"+code])
	}
	require.Equal(t, int64(2), s.Errors["WRONGTYPE"])
	for name, got := range map[string]int64{
		"uptime_in_seconds": int64(s.Uptime / time.Second), "total_commands_processed": s.CommandsProcessed - 1,
		"number_of_cached_scripts": int64(s.CachedScripts), "number_of_libraries": int64(s.Libraries), "total_error_replies": s.ErrorReplies,
		"keyspace_hits": s.Hits, "keyspace_misses": s.Misses, "expired_keys": s.Expired, "evicted_keys": s.Evicted,
		"used_memory": s.MemoryUsed, "used_memory_peak": s.MemoryPeak, "used_memory_dataset": s.MemoryDataset,
		"used_memory_scripts": s.MemoryScripts, "maxmemory": s.MemoryMax, "connected_clients": int64(s.Clients),
		"blocked_clients": int64(s.BlockedClients), "tracking_clients": int64(s.TrackingClients), "evicted_clients": s.EvictedClients,
		"total_connections_received": s.Connections, "rejected_connections": s.RejectedConnections,
		"total_net_input_bytes": s.NetworkInput, "total_net_output_bytes": s.NetworkOutput,
		"pubsub_channels": int64(s.PubSubChannels), "pubsub_patterns": int64(s.PubSubPatterns),
		"pubsubshard_channels": int64(s.PubSubShardChannels), "rdb_changes_since_last_save": s.ChangesSinceSave,
	} {
		require.Equal(t, info[name], strconv.FormatInt(got, 10), name)
	}
	require.Len(t, s.Databases, 1)
	db := s.Databases[0]
	require.Equal(t, fmt.Sprintf("keys=%d,expires=%d,avg_ttl=%d", db.Keys, db.Expiring, db.AverageTTL.Milliseconds()), info["db0"])
	require.Equal(t, int64(101), s.Keys())
	require.Equal(t, 1024, s.QueueCapacity)
}

func TestStatsAgreeWithLatencyHistogram(t *testing.T) {
	e := newEngine(t, engine.Options{})
	busyDay(t, e)
	s := statsOf(t, e)
	compared := 0
	for _, c := range s.Commands {
		want := map[int64]int64{}
		reply := mustDo(t, e, "LATENCY", "HISTOGRAM", strings.Split(c.Name, "|")[0]).Slice()
		for i := 0; i+1 < len(reply); i += 2 {
			if reply[i].Text() == c.Name {
				buckets := reply[i+1].Slice()[3].Slice()
				for j := 0; j < len(buckets); j += 2 {
					upTo, _ := buckets[j].Int()
					want[upTo], _ = buckets[j+1].Int()
				}
			}
		}
		got, before := map[int64]int64{}, int64(0)
		for i, b := range c.Latency {
			if i == len(c.Latency)-1 {
				require.Equal(t, time.Duration(math.MaxInt64), b.UpTo)
				b.UpTo = time.Duration(1082130) * time.Microsecond
			}
			if b.Calls > before {
				got[b.UpTo.Microseconds()], before = b.Calls, b.Calls
			}
		}
		require.Equal(t, want, got, c.Name)
		compared += len(got)
	}
	require.Positive(t, compared)
}

func TestStatsCountScriptsByEveryWayToRunThem(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{})
	s := engine.NewScript("return redis.call('incr', KEYS[1])").Named("incr.lua")
	keys := []string{"n"}
	_, err := s.Run(ctx, e, keys) // EVAL
	require.NoError(t, err)
	_, err = s.Run(ctx, e, keys) // EVALSHA
	require.NoError(t, err)
	mustDo(t, e, "EVAL", s.Source(), 1, "n")
	mustDo(t, e, "EVALSHA", strings.ToUpper(s.SHA()), 1, "n")
	sess, err := e.NewSession()
	require.NoError(t, err)
	mustDo(t, sess, "MULTI")
	mustDo(t, sess, "EVALSHA", s.SHA(), 1, "n")
	mustDo(t, sess, "EVAL", s.Source(), 1, "n")
	mustDo(t, sess, "INCR", "n")
	mustDo(t, sess, "EXEC")

	got := script(t, statsOf(t, e), s.SHA())
	require.Equal(t, int64(6), got.Calls)
	require.Zero(t, got.Failed)
	require.Equal(t, "incr.lua", got.Name)
	require.Equal(t, "incr.lua", got.Label())
	require.False(t, got.Function())

	mustDo(t, e, "SET", "n", "x")
	for range 2 {
		_, err = s.Run(ctx, e, keys)
		require.Error(t, err)
	}
	require.Equal(t, int64(2), script(t, statsOf(t, e), s.SHA()).Failed)

	_, err = s.ReadOnly().Run(ctx, e, keys)
	require.Error(t, err)
	got = script(t, statsOf(t, e), s.SHA())
	require.Equal(t, int64(9), got.Calls)
	require.Equal(t, int64(3), got.Failed)

	_, err = e.EvalSHA(ctx, strings.Repeat("0", 40), nil)
	require.ErrorIs(t, err, engine.ErrNoScript)
	_, err = e.Eval(ctx, "not lua", nil)
	require.Error(t, err)
	require.Len(t, statsOf(t, e).Scripts, 1, "what did not run is not counted")
}

func TestStatsCountFunctions(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{})
	load := func(name string) {
		mustDo(t, e, "FUNCTION", "LOAD", "REPLACE", "#!lua name="+name+`
			redis.register_function{function_name = '`+name+`F', callback = function() return 1 end, flags = {'no-writes'}}
			redis.register_function('`+name+`Bad', function() error('bad') end)`)
	}
	load("one")
	load("two")
	for range 3 {
		mustDo(t, e, "FCALL", "onef", 0)
	}
	mustDo(t, e, "FCALL_RO", "oneF", 0)
	mustDo(t, e, "FCALL", "twoF", 0)
	_, err := e.FCall(ctx, "oneBad", nil)
	require.Error(t, err)
	mustDo(t, e, "EVAL", "return 1", 0)

	s := statsOf(t, e)
	require.Len(t, s.Scripts, 4)
	f, bad := script(t, s, "one.oneF"), script(t, s, "one.oneBad")
	require.Equal(t, int64(4), f.Calls)
	require.True(t, f.Function())
	require.Equal(t, []int64{1, 1}, []int64{bad.Calls, bad.Failed})

	load("one")
	require.Equal(t, int64(4), script(t, statsOf(t, e), "one.oneF").Calls, "it has been replaced")
	mustDo(t, e, "FUNCTION", "DELETE", "one")
	require.Len(t, statsOf(t, e).Scripts, 2)
	mustDo(t, e, "SCRIPT", "FLUSH")
	require.Len(t, statsOf(t, e).Scripts, 1)
	mustDo(t, e, "FUNCTION", "FLUSH")
	require.Empty(t, statsOf(t, e).Scripts)
}

func TestStatsMeasureScriptsAsTheirCommands(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	mustDo(t, e, "DEBUG", "SET-DISABLE-DENY-SCRIPTS", 1)
	sleep := "return redis.call('debug', 'sleep', ARGV[1])"
	for _, seconds := range []string{"0.25", "0.5", "0.25"} {
		mustDo(t, e, "EVAL", sleep, 0, seconds)
	}
	s := statsOf(t, e)
	require.Len(t, s.Scripts, 1)
	require.Equal(t, time.Second, s.Scripts[0].Time)
	require.Equal(t, time.Second/2, s.Scripts[0].Longest)
	require.Equal(t, time.Second, s.ScriptTime())
	for _, c := range s.Commands {
		if c.Name == "eval" {
			require.Equal(t, s.Scripts[0].Time, c.Time)
		}
	}
}

func TestStatsAreReset(t *testing.T) {
	e := newEngine(t, engine.Options{})
	busyDay(t, e)
	require.NotEmpty(t, statsOf(t, e).Scripts)
	mustDo(t, e, "CONFIG", "RESETSTAT")
	s := statsOf(t, e)
	require.Empty(t, s.Scripts)
	require.Empty(t, s.Errors)
	require.Zero(t, s.Hits)
	require.Len(t, s.Commands, 1)
	require.Equal(t, "config|resetstat", s.Commands[0].Name)
	mustDo(t, e, "EVAL", "return 1", 0)
	require.Len(t, statsOf(t, e).Scripts, 1)
}

func TestStatsBoundTheNumberOfScripts(t *testing.T) {
	e := newEngine(t, engine.Options{})
	for i := range server.MaxScriptStats + 5 {
		mustDo(t, e, "EVAL", fmt.Sprintf("return %d", i), 0)
	}
	s := statsOf(t, e)
	require.Len(t, s.Scripts, server.MaxScriptStats+1)
	other := s.Scripts[server.MaxScriptStats]
	require.Equal(t, "other", other.Label())
	require.Equal(t, int64(5), other.Calls)
	for _, x := range s.Scripts[:server.MaxScriptStats] {
		require.Equal(t, int64(1), x.Calls)
	}
}

// Two scripts with the same label would make Prometheus refuse the page.
func TestStatsShortenLongNames(t *testing.T) {
	e := newEngine(t, engine.Options{})
	f := strings.Repeat("f", 1<<20)
	mustDo(t, e, "FUNCTION", "LOAD", fmt.Sprintf("#!lua name=lib\nlocal function f() return 1 end\n"+
		"redis.register_function('%s', f)\nredis.register_function('%sx', f)", f, f))
	mustDo(t, e, "FCALL", f, 0)
	mustDo(t, e, "FCALL", f+"x", 0)
	long := strings.Repeat("é", 100) + "\xff"
	for i, name := range []string{long, long + "x", "a\xffb"} {
		_, err := engine.NewScript(fmt.Sprintf("return %d", i)).Named(name).Run(t.Context(), e, nil)
		require.NoError(t, err)
	}
	labels := map[string]bool{}
	for _, s := range statsOf(t, e).Scripts {
		label := s.Label()
		require.False(t, labels[label], label)
		require.True(t, utf8.ValidString(label), label)
		require.LessOrEqual(t, len(label), 120)
		labels[label] = true
	}
	require.Len(t, labels, 5)
	require.True(t, labels["a?b"])
}

func TestStatsBoundTheNumberOfErrorCodes(t *testing.T) {
	e := newEngine(t, engine.Options{})
	fail := "return redis.error_reply(ARGV[1] .. ' no')"
	for i := range server.MaxErrorStats + 5 {
		_, err := e.Do(t.Context(), "EVAL", fail, 0, fmt.Sprintf("CODE%d", i))
		require.Error(t, err)
	}
	_, err := e.Do(t.Context(), "EVAL", fail, 0, "CODE0")
	require.Error(t, err)
	mustDo(t, e, "SET", "k", "v")
	_, err = e.Do(t.Context(), "LPUSH", "k", "v")
	require.ErrorIs(t, err, engine.ErrWrongType)
	s := statsOf(t, e)
	require.Len(t, s.Errors, server.MaxErrorStats+2)
	require.Equal(t, int64(5), s.Errors[server.ErrorsOverflow])
	require.Equal(t, int64(2), s.Errors["CODE0"], "a code that has a counter keeps it")
	require.Equal(t, int64(1), s.Errors["WRONGTYPE"], "the codes of Redis always have counters")
	require.Equal(t, int64(server.MaxErrorStats+7), s.ErrorReplies)
}

func TestStatsAnswerWhileAScriptIsBusy(t *testing.T) {
	ctx := context.Background()
	e, sess := newBusy(t, engine.Options{})
	ended := spin(t, e, sess, "while true do end")
	waits := make(chan error, 3)
	for range cap(waits) {
		go func() { // a session's own calls wait for its script
			_, err := sess.Do(ctx, "PING")
			waits <- err
		}()
	}
	var s engine.Stats
	for s.QueueLength < cap(waits) {
		s = statsOf(t, e)
		require.True(t, s.Busy)
		require.Empty(t, s.Scripts, "the script has not ended")
	}
	kill(t, e)
	require.Error(t, <-ended)
	for range cap(waits) {
		require.NoError(t, <-waits)
	}
	s = statsOf(t, e)
	require.False(t, s.Busy)
	require.Zero(t, s.QueueLength)
	require.Len(t, s.Scripts, 1, "SCRIPT KILL, which ran meanwhile, is not a run of it")
	require.Equal(t, []int64{1, 1}, []int64{s.Scripts[0].Calls, s.Scripts[0].Failed})
}

func TestStatsWithConcurrentCalls(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{})
	s := engine.NewScript("return redis.call('incr', KEYS[1])")
	const callers, calls = 8, 200
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls {
				_, _ = s.Run(ctx, e, []string{"n"})
				_, _ = e.Stats(ctx)
			}
		})
	}
	wg.Wait()
	require.Equal(t, int64(callers*calls), script(t, statsOf(t, e), s.SHA()).Calls)
}

func TestStatsOfAClosedEngine(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	_, err = e.Stats(context.Background())
	require.ErrorIs(t, err, engine.ErrClosed)
}

func TestStatsOfAClusterAreTheSum(t *testing.T) {
	ctx := context.Background()
	c, err := engine.NewCluster(3, engine.Options{})
	require.NoError(t, err)
	defer c.Close()
	s := engine.NewScript("return redis.call('incr', KEYS[1])").Named("incr")
	for i := range 60 {
		_, err := s.Run(ctx, c, []string{strconv.Itoa(i % 30)})
		require.NoError(t, err)
	}
	_, err = c.Do(ctx, "LPUSH", "1", "x")
	require.ErrorIs(t, err, engine.ErrWrongType)
	sum, err := c.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(60), script(t, sum, "incr").Calls)
	require.Equal(t, int64(30), sum.Keys())
	require.Equal(t, int64(1), sum.Errors["WRONGTYPE"])
	require.Equal(t, 3*1024, sum.QueueCapacity)
	calls := int64(0)
	for _, e := range c.Shards() {
		one := statsOf(t, e)
		require.NotZero(t, one.Keys())
		for _, cmd := range one.Commands {
			if cmd.Name == "incr" {
				calls += cmd.Calls
			}
		}
	}
	for _, cmd := range sum.Commands {
		if cmd.Name == "incr" {
			require.Equal(t, calls, cmd.Calls)
			require.Equal(t, calls, cmd.Latency[len(cmd.Latency)-1].Calls)
		}
	}
}
