package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func newCluster(t testing.TB, n int, o engine.Options) *engine.Cluster {
	t.Helper()
	c, err := engine.NewCluster(n, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Check(context.Background()))
		require.NoError(t, c.Close())
	})
	return c
}

func ExampleNewCluster() {
	ctx := context.Background()
	c, err := engine.NewCluster(2, engine.Options{})
	if err != nil {
		panic(err)
	}
	defer c.Close()

	claim := engine.NewScript(`return redis.call('DECR', KEYS[1])`)
	for _, item := range []string{"{phone}:stock", "{shoe}:stock"} {
		c.Do(ctx, "SET", item, 10)
		left, err := claim.Run(ctx, c, []string{item})
		fmt.Println(left.MustInt(), err, c.Shard(item) == c.Shards()[0])
	}
	n, _ := c.Do(ctx, "DBSIZE")
	fmt.Println(n.MustInt())
	_, err = c.Do(ctx, "MGET", "{phone}:stock", "{shoe}:stock")
	fmt.Println(err)
	// Output:
	// 9 <nil> false
	// 9 <nil> true
	// 2
	// CROSSSLOT Keys in request don't hash to the same slot
}

func TestAClusterOfNoOrTooManyEnginesIsRefused(t *testing.T) {
	for _, n := range []int{-1, 0, engine.Slots + 1} {
		_, err := engine.NewCluster(n, engine.Options{})
		require.Error(t, err)
	}
	_, err := engine.NewCluster(2, engine.Options{Config: map[string]string{"nosuch": "1"}})
	require.Error(t, err)
}

// Each slot has one owner, and the shares differ by one slot at most.
func TestSlotsAreSharedEvenly(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 2, 3, 7} {
		c := newCluster(t, n, engine.Options{})
		sum, least, most := int64(0), int64(engine.Slots), int64(0)
		for _, e := range c.Shards() {
			v, err := e.Do(ctx, "CLUSTER", "INFO")
			require.NoError(t, err)
			_, rest, _ := strings.Cut(v.Text(), "cluster_slots_assigned:")
			digits, _, _ := strings.Cut(rest, "\r")
			slots, err := strconv.ParseInt(digits, 10, 64)
			require.NoError(t, err)
			sum, least, most = sum+slots, min(least, slots), max(most, slots)
		}
		require.Equal(t, int64(engine.Slots), sum)
		require.LessOrEqual(t, most-least, int64(1))
		for i := range 1000 { // a shard refuses keys that are not its own
			_, err := c.Do(ctx, "SET", "k"+strconv.Itoa(i), i)
			require.NoError(t, err)
		}
	}
}

func TestAShardSaysWhoOwnsAKey(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 3, engine.Options{})
	for _, e := range c.Shards() {
		_, err := e.Do(ctx, "GET", "foo") // slot 12182
		if e == c.Shard("foo") {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, "MOVED 12182 shard:2")
			_, err = e.Do(ctx, "CLUSTER", "ADDSLOTS", 12182)
			require.EqualError(t, err, "ERR Slot 12182 is already busy")
		}
	}
}

// The owner of the first key answers as that node of a Redis Cluster does: with the same errors
// about slots, also for keys of scripts that other nodes own.
func TestAClusterAnswersAsARedisCluster(t *testing.T) {
	redistest.Need(t)
	rc, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(rc.Stop)
	ctx := context.Background()
	c := newCluster(t, 3, engine.Options{})
	rng := rand.New(rand.NewPCG(7, 7))
	keys := []string{"a", "{a}1", "b", "{b}1", "c", "{c}", "d", "e", "foo", "{foo}x"}
	key := func() string { return keys[rng.IntN(len(keys))] }
	sourceOf := func() string {
		head := []string{"", "#!lua\n", "#!lua flags=allow-cross-slot-keys\n", "#!lua flags=no-cluster\n", "#!lua flags=no-writes\n"}[rng.IntN(5)]
		return head + fmt.Sprintf("return redis.pcall('%s', '%s', '%s')", []string{"incr", "get", "set", "mget", "del"}[rng.IntN(5)], key(),
			key())
	}
	for range 4000 {
		k := key()
		var args []string
		switch rng.IntN(8) {
		case 0:
			args = []string{"SET", k, strconv.Itoa(rng.IntN(100))}
		case 1:
			args = []string{"MGET", k, key(), key()}
		case 2:
			args = []string{"MSET", k, "1", key(), "2"}
		case 3:
			args = []string{"DEL", k, key()}
		case 4:
			args = []string{"INCR", k, key()}[:2+rng.IntN(2)]
		case 5:
			args = []string{"RENAME", k, key()}
		case 6:
			args = []string{"EVAL", sourceOf(), "1", k}
		case 7:
			args = []string{"EVAL", sourceOf(), "2", k, key()}
		}
		want, werr := rc.Of(k).Do(args...)
		got, gerr := c.DoStrings(ctx, args...)
		if werr != nil {
			require.EqualError(t, gerr, werr.Error(), "%q", args)
			continue
		}
		require.NoError(t, gerr, "%q", args)
		require.Equal(t, want.Kind(), got.Kind(), "%q", args)
		require.Equal(t, want.Strings(), got.Strings(), "%q", args)
		require.Equal(t, want.Text(), got.Text(), "%q", args)
	}
}

func TestCommandsWithoutKeysGoWhereTheyBelong(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 3, engine.Options{})
	do := func(args ...string) engine.Value {
		t.Helper()
		v, err := c.DoStrings(ctx, args...)
		require.NoError(t, err, "%q", args)
		return v
	}
	want := map[string]bool{}
	for i := range 3000 {
		k := "k" + strconv.Itoa(i)
		do("SET", k, "v")
		want[k] = true
	}
	for _, e := range c.Shards() {
		v, err := e.Do(ctx, "DBSIZE")
		require.NoError(t, err)
		require.Greater(t, v.MustInt(), int64(800))
	}
	require.Equal(t, int64(len(want)), do("DBSIZE").MustInt())
	require.Len(t, do("KEYS", "*").Strings(), len(want))
	require.Equal(t, []string{"k7"}, do("KEYS", "k7").Strings())

	seen, calls := map[string]bool{}, 0
	for cursor := "0"; ; calls++ {
		v := do("SCAN", cursor, "COUNT", "100")
		for _, k := range v.Slice()[1].Strings() {
			seen[k] = true
		}
		if cursor = v.Slice()[0].Text(); cursor == "0" {
			break
		}
	}
	require.Equal(t, want, seen)
	require.Greater(t, calls, 20)
	_, err := c.DoStrings(ctx, "SCAN", "x")
	require.EqualError(t, err, "ERR invalid cursor")

	from := map[*engine.Engine]bool{}
	for range 200 {
		k := do("RANDOMKEY").Text()
		require.True(t, want[k])
		from[c.Shard(k)] = true
	}
	require.Len(t, from, 3)

	sha := do("SCRIPT", "LOAD", "return 7").Text()
	require.Equal(t, int64(1), do("SCRIPT", "EXISTS", sha).Slice()[0].MustInt())
	for k := range want {
		require.Equal(t, int64(7), do("EVALSHA", sha, "1", k).MustInt())
	}
	do("EVAL", "return 8", "1", "k1") // one shard has it cached then
	require.Equal(t, int64(0), do("SCRIPT", "EXISTS", engine.NewScript("return 8").SHA()).Slice()[0].MustInt())
	do("SCRIPT", "FLUSH")
	_, err = c.DoStrings(ctx, "EVALSHA", sha, "1", "k1")
	require.ErrorIs(t, err, engine.ErrNoScript)
	require.Equal(t, int64(8), do("EVAL", "return 8", "0").MustInt())

	do("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function(keys) return keys[1] end)")
	require.Equal(t, "k5", do("FCALL", "f", "1", "k5").Text())
	require.Len(t, do("FUNCTION", "LIST").Slice(), 1)

	do("CONFIG", "SET", "list-max-listpack-size", "5")
	for _, e := range c.Shards() {
		v, err := e.Do(ctx, "CONFIG", "GET", "list-max-listpack-size")
		require.NoError(t, err)
		require.Equal(t, "5", v.Strings()[1])
	}
	require.Equal(t, "PONG", do("PING").Text())
	require.Equal(t, "x", do("ECHO", "x").Text())
	require.Equal(t, "12182", strconv.FormatInt(do("CLUSTER", "KEYSLOT", "foo").MustInt(), 10))
	do("SET", "foo", "1")
	require.Equal(t, []string{"foo"}, do("CLUSTER", "GETKEYSINSLOT", "12182", "10").Strings())

	for _, args := range [][]string{{"INFO"}, {"CLIENT", "LIST"}, {"CLUSTER", "NODES"}, {"DEBUG", "SLEEP", "0"}, {"SHUTDOWN"}} {
		_, err := c.DoStrings(ctx, args...)
		require.ErrorContains(t, err, "is about one server", "%q", args)
	}
	for _, args := range [][]string{{"MULTI"}, {"NOSUCH"}, {"GET"}, {"CLIENT", "NOSUCH"}, {"DBSIZE", "1"}, {}} {
		_, err := c.DoStrings(ctx, args...)
		_, want := c.Shards()[0].DoStrings(ctx, args...)
		require.EqualError(t, err, want.Error(), "%q", args)
	}
	do("FLUSHALL")
	require.Zero(t, do("DBSIZE").MustInt())
	require.True(t, do("RANDOMKEY").IsNil())
	require.NoError(t, c.View(ctx, func(_ int, k engine.Keyspace) error {
		if k.Len(0) > 0 {
			return fmt.Errorf("keys are left")
		}
		return nil
	}))
}

func TestPublishReachesTheSessionsOfAllShards(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 2, engine.Options{})
	var in []*engine.Session
	for _, e := range c.Shards() {
		s, err := e.NewSession()
		require.NoError(t, err)
		require.NoError(t, s.Subscribe(ctx, "news"))
		in = append(in, s)
	}
	v, err := c.Do(ctx, "PUBLISH", "news", "x")
	require.NoError(t, err)
	require.Equal(t, int64(2), v.MustInt())
	v, err = c.Do(ctx, "PUBSUB", "NUMSUB", "news")
	require.NoError(t, err)
	require.Equal(t, int64(2), v.Slice()[1].MustInt())
	v, err = c.Do(ctx, "PUBSUB", "CHANNELS")
	require.NoError(t, err)
	require.Equal(t, []string{"news"}, v.Strings())
	for _, s := range in {
		require.Equal(t, "x", (<-s.Messages()).Payload)
		require.NoError(t, s.Close())
	}
}

// The replies of a pipeline have the order of its commands, whichever shards they come from, and
// each command sees the effects of those before it.
func TestAPipelineIsSplitAndAnsweredInOrder(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 3, engine.Options{})
	one := newEngine(t, engine.Options{})
	rng := rand.New(rand.NewPCG(3, 3))
	p, q := c.Pipeline(), one.Pipeline()
	for range 200 {
		for range 1 + rng.IntN(40) {
			k := "k" + strconv.Itoa(rng.IntN(20))
			args := [][]any{{"INCR", k}, {"GET", k}, {"DEL", k}, {"DBSIZE"}, {"LPUSH", k, 1}, {"NOSUCH"}, {"APPEND", k, "1"},
				{"FLUSHALL"}}[rng.IntN(8)]
			p.Do(args...)
			q.Do(args...)
		}
		got, err := p.Exec(ctx)
		require.NoError(t, err)
		want, err := q.Exec(ctx)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for i, v := range want {
			require.Equal(t, []any{v.Kind(), v.Text()}, []any{got[i].Kind(), got[i].Text()})
		}
	}
}

func TestAPipelineReportsWhatWasNotAnswered(t *testing.T) {
	c := newCluster(t, 3, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	replies, err := c.Pipeline().Do("SET", "a", 1).Do("SET", "b", 1).Do("DBSIZE").Do("SET", "c", 1).Exec(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, replies, 4)
	for _, v := range replies {
		require.ErrorContains(t, v.Err(), "NOREPLY")
	}
	v, err := c.Do(context.Background(), "DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

func TestOneClockMovesAllShards(t *testing.T) {
	ctx := context.Background()
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	c := newCluster(t, 4, engine.Options{Clock: clock})
	for i := range 100 {
		_, err := c.Do(ctx, "SET", "k"+strconv.Itoa(i), "v", "EX", 10)
		require.NoError(t, err)
	}
	clock.Advance(10 * time.Second)
	v, err := c.Do(ctx, "DBSIZE")
	require.NoError(t, err)
	require.Equal(t, int64(100), v.MustInt())
	clock.Advance(time.Millisecond)
	v, err = c.Do(ctx, "DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}

func TestTheSameSeedMakesTheSameChoices(t *testing.T) {
	ctx := context.Background()
	play := func() (out []string) {
		c := newCluster(t, 3, engine.Options{Rand: rand.NewPCG(5, 5)})
		for i := range 100 {
			_, err := c.Do(ctx, "SET", "k"+strconv.Itoa(i), "v")
			require.NoError(t, err)
		}
		for range 50 {
			v, err := c.Do(ctx, "RANDOMKEY")
			require.NoError(t, err)
			out = append(out, v.Text())
		}
		return out
	}
	require.Equal(t, play(), play())
}

// Callers of all shards at the same time: each script is one atomic step of its shard.
func TestScriptsOfManyCallersOnManyShards(t *testing.T) {
	ctx := context.Background()
	c := newCluster(t, 4, engine.Options{})
	take := engine.NewScript(`
		local n = tonumber(redis.call('GET', KEYS[1]) or '0')
		redis.call('SET', KEYS[1], n + 1)
		redis.call('RPUSH', KEYS[2], ARGV[1])
		return n`)
	const callers, each, tags = 16, 300, 8
	var wg sync.WaitGroup
	got := make([][]int64, tags)
	var mu sync.Mutex
	for w := range callers {
		wg.Go(func() {
			for i := range each {
				tag := (w + i) % tags
				v, err := take.Run(ctx, c, []string{fmt.Sprintf("{t%d}n", tag), fmt.Sprintf("{t%d}l", tag)}, w)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[tag] = append(got[tag], v.MustInt())
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for tag, list := range got {
		sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
		for i, n := range list {
			require.Equal(t, int64(i), n)
		}
		v, err := c.Do(ctx, "LLEN", fmt.Sprintf("{t%d}l", tag))
		require.NoError(t, err)
		require.Equal(t, int64(len(list)), v.MustInt())
	}
}

func TestAClosedClusterAnswersErrClosed(t *testing.T) {
	ctx := context.Background()
	c, err := engine.NewCluster(2, engine.Options{})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	for _, args := range [][]string{{"GET", "a"}, {"DBSIZE"}, {"SCAN", "0"}, {"RANDOMKEY"}, {"SCRIPT", "KILL"}} {
		_, err = c.DoStrings(ctx, args...)
		require.ErrorIs(t, err, engine.ErrClosed, "%q", args)
	}
	require.True(t, slices.ContainsFunc(c.Shards(), func(e *engine.Engine) bool { return e == c.Shard("a") }))
}
