package clients

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// onGoRedis runs do with go-redis over RESP2 and over RESP3.
func onGoRedis(t *testing.T, do func(p *play, c *redis.Client)) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			onAll(t, func(p *play) { do(p, openGoRedis(p, p.server(), protocol)) })
		})
	}
}

func openGoRedis(p *play, addr string, protocol int) *redis.Client {
	c := newGoRedis(p, &redis.Options{Addr: addr, Protocol: protocol, ReadTimeout: patience.Limit, WriteTimeout: patience.Limit})
	p.Cleanup(func() { _ = c.Close() })
	return c
}

// newGoRedis is redis.NewClient; the address may be that of an engine in this process.
func newGoRedis(p *play, o *redis.Options) *redis.Client {
	if e := p.engines[o.Addr]; e != nil {
		return goredis.NewClient(e, func(to *redis.Options) {
			to.Protocol, to.DB, to.PoolSize, to.ReadTimeout, to.WriteTimeout = o.Protocol, o.DB, o.PoolSize, o.ReadTimeout, o.WriteTimeout
		})
	}
	return redis.NewClient(o)
}

// fields of CLIENT INFO and CLIENT LIST that do not differ from run to run.
func clientFields(line string) string {
	var kept []string
	for field := range strings.FieldsSeq(line) {
		name, _, _ := strings.Cut(field, "=")
		if slices.Contains([]string{"name", "flags", "db", "sub", "psub", "multi", "events", "cmd", "user", "redir", "resp", "lib-name",
			"lib-ver"}, name) {
			kept = append(kept, field)
		}
	}
	return strings.Join(kept, " ")
}

func TestGoRedisHandshake(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			onBoth(t, func(p *play) {
				addr, ctx := p.server(Options{Config: map[string]string{"requirepass": "secret"}}), p.Context()
				for _, o := range []redis.Options{
					{Password: "secret", DB: 3, ClientName: "moon"},
					{Username: "default", Password: "secret"},
					{Password: "wrong"},
					{Username: "nobody", Password: "secret"},
					{},
					{Password: "secret", DB: 99},
					{Password: "secret", ClientName: "two words"},
				} {
					o.Addr, o.Protocol, o.MaxRetries, o.DialerRetries = addr, protocol, -1, 1
					c := redis.NewClient(&o)
					p.say("ping", c.Ping(ctx))
					if line, err := c.Do(ctx, "CLIENT", "INFO").Text(); err == nil {
						p.say("info", clientFields(line))
					} else {
						p.say("info", err)
					}
					require.NoError(p, c.Close())
				}
			})
		})
	}
}

func TestGoRedisTypes(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		show := func(cmds ...redis.Cmder) {
			for _, cmd := range cmds {
				p.line(cmd.String())
			}
		}
		show(
			c.Set(ctx, binary, binary, 0), c.Get(ctx, binary), c.Get(ctx, "nothing"), c.SetNX(ctx, "nx", 1, 0), c.SetNX(ctx, "nx", 1, 0),
			c.SetArgs(ctx, "nx", 2, redis.SetArgs{Get: true, KeepTTL: true}), c.IncrByFloat(ctx, "nx", 0.1), c.Incr(ctx, binary),
			c.MSet(ctx, "a", 1, "b", "2"), c.MGet(ctx, "a", "none", "b"), c.GetDel(ctx, "a"), c.Expire(ctx, "b", time.Hour), c.TTL(ctx, "none"),
			c.HSet(ctx, "h", "name", "ann", "age", 7, "rate", 0.5, "on", true), c.HMGet(ctx, "h", "name", "none"), c.HIncrByFloat(ctx, "h", "rate",
				1.25),
			c.HExists(ctx, "h", "on"), c.HLen(ctx, "h"), c.Get(ctx, "h"),
			c.RPush(ctx, "l", 1, 2, 3, 2), c.LPos(ctx, "l", "2", redis.LPosArgs{Rank: -1}), c.LPosCount(ctx, "l", "2", 0, redis.LPosArgs{}),
			c.LMPop(ctx, "left", 2, "none", "l"), c.LRange(ctx, "l", 0, -1),
			c.ZAdd(ctx, "z", redis.Z{Score: math.Inf(-1), Member: "low"}, redis.Z{Score: 0.1, Member: "mid"},
				redis.Z{Score: math.Inf(1), Member: "high"}),
			c.ZRangeWithScores(ctx, "z", 0, -1), c.ZScore(ctx, "z", "high"), c.ZMScore(ctx, "z", "mid", "none", "low"),
			c.ZRankWithScore(ctx, "z", "mid"),
			c.ZRank(ctx, "z", "mid"), c.ZPopMin(ctx, "z"), c.ZMPop(ctx, "max", 1, "z"), c.ZIncrBy(ctx, "z", 1e300, "mid"),
			c.ZRandMemberWithScores(ctx, "z", 1),
			c.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{Key: "z", Start: "-inf", Stop: "+inf", ByScore: true, Count: 5}),
			c.SAdd(ctx, "s", 1, 2, 3), c.SMIsMember(ctx, "s", 1, 9), c.SInterCard(ctx, 0, "s", "s"), c.SMembers(ctx, "s"),
			c.GeoAdd(ctx, "g", &redis.GeoLocation{Name: "Palermo", Longitude: 13.361389, Latitude: 38.115556},
				&redis.GeoLocation{Name: "Catania", Longitude: 15.087269, Latitude: 37.502669}),
			c.GeoSearchLocation(ctx, "g", &redis.GeoSearchLocationQuery{WithCoord: true, WithDist: true, WithHash: true,
				GeoSearchQuery: redis.GeoSearchQuery{Member: "Palermo", Radius: 200, RadiusUnit: "km", Sort: "ASC"}}),
			c.GeoDist(ctx, "g", "Palermo", "Catania", "km"),
			c.PFAdd(ctx, "hll", "a", "b"), c.PFCount(ctx, "hll"), c.SetBit(ctx, "bits", 7, 1), c.BitField(ctx, "bits", "GET", "u8", 0, "INCRBY",
				"i5", 100, 1),
			c.LCS(ctx, &redis.LCSQuery{Key1: "nx", Key2: "b", Idx: true, WithMatchLen: true}),
			c.Sort(ctx, "s", &redis.Sort{Order: "DESC", Get: []string{"#", "none_*"}}),
			c.ObjectEncoding(ctx, "l"), c.Type(ctx, "z"), c.Rename(ctx, "none", "x"), c.Copy(ctx, "b", "b2", 0, false), c.DBSize(ctx),
			c.ConfigGet(ctx, "*max-listpack*"), c.CommandGetKeys(ctx, "EVAL", "x", "2", "k1", "k2", "a"),
			c.ACLDryRun(ctx, "default", "get", "k"), c.ACLLog(ctx, 5), c.ClientGetName(ctx), c.SlowLogGet(ctx, 0), c.PubSubNumSub(ctx, "c"),
			c.Echo(ctx, binary),
			c.Do(ctx, "NO-SUCH-COMMAND", "x"), c.Do(ctx, "GET"), c.Do(ctx, "DEBUG", "PROTOCOL", "BIGNUM"), c.Do(ctx, "DEBUG", "PROTOCOL",
				"VERBATIM"),
			c.Do(ctx, "DEBUG", "PROTOCOL", "DOUBLE"), c.Do(ctx, "DEBUG", "PROTOCOL", "TRUE"), c.Do(ctx, "DEBUG", "PROTOCOL", "NULL"),
			c.Do(ctx, "DEBUG", "PROTOCOL", "ARRAY"),
		)
		places, err := c.GeoPos(ctx, "g", "Palermo", "none").Result()
		require.NoError(p, err)
		p.say("places", *places[0], places[1] == nil)
		var person struct {
			Name string  `redis:"name"`
			Age  int     `redis:"age"`
			Rate float64 `redis:"rate"`
			On   bool    `redis:"on"`
		}
		require.NoError(p, c.HGetAll(ctx, "h").Scan(&person))
		p.say("person", person)
		dump, err := c.Dump(ctx, "h").Result()
		require.NoError(p, err)
		p.say("dump", c.RestoreReplace(ctx, "h2", time.Minute, dump), c.Restore(ctx, "h2", 0, dump))
		commands, err := c.Command(ctx).Result()
		require.NoError(p, err)
		require.Greater(p, len(commands), 200)
		get := commands["get"]
		slices.Sort(get.ACLFlags)
		p.say("get", get.Arity, get.Flags, get.ACLFlags, get.FirstKeyPos, get.LastKeyPos, get.StepCount, get.ReadOnly)
		info := c.InfoMap(ctx, "server").Item("Server", "redis_version")
		p.say("version", info)
		require.ErrorIs(p, c.Get(ctx, "nothing").Err(), redis.Nil)
	})
}

func TestGoRedisPipelines(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		const many = 8000
		big := strings.Repeat(binary, 40) // 10 KiB
		pipe := c.Pipeline()
		for i := range many {
			switch i % 4 {
			case 0:
				pipe.Incr(ctx, "n")
			case 1:
				pipe.Set(ctx, fmt.Sprint("k", i%100), big, 0)
			case 2:
				pipe.Get(ctx, fmt.Sprint("k", (i-1)%100))
			case 3:
				pipe.LPush(ctx, "n", "x")
			}
		}
		cmds, err := pipe.Exec(ctx)
		require.ErrorContains(p, err, "WRONGTYPE")
		require.Len(p, cmds, many)
		for i, cmd := range cmds {
			switch i % 4 {
			case 0:
				require.EqualValues(p, i/4+1, cmd.(*redis.IntCmd).Val())
			case 2:
				require.Equal(p, big, cmd.(*redis.StringCmd).Val())
			case 3:
				require.ErrorContains(p, cmd.Err(), "WRONGTYPE Operation against a key holding the wrong kind of value")
			}
		}
		cmds, err = c.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Incr(ctx, "n")
			pipe.LPush(ctx, "n", "x")
			pipe.Get(ctx, "n")
			return nil
		})
		p.say("transaction", cmds, err)
		cmds, err = c.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Incr(ctx, "n")
			pipe.Do(ctx, "NO-SUCH-COMMAND")
			return nil
		})
		p.say("a transaction that is refused", err, len(cmds))
		p.say("n", c.Get(ctx, "n"))
	})
}

func TestGoRedisWatch(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		const workers, each = 8, 25
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range each {
					for {
						err := c.Watch(ctx, func(tx *redis.Tx) error {
							n, err := tx.Get(ctx, "n").Int()
							if err != nil && !errors.Is(err, redis.Nil) {
								return err
							}
							_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
								pipe.Set(ctx, "n", n+1, 0)
								return nil
							})
							return err
						}, "n")
						if err == nil {
							break
						}
						if !errors.Is(err, redis.TxFailedErr) {
							p.Error(err)
							return
						}
					}
				}
			})
		}
		wg.Wait()
		require.Equal(p, strconv.Itoa(workers*each), c.Get(ctx, "n").Val())
	})
}

func TestGoRedisMessages(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		sub := c.Subscribe(ctx, "news", binary)
		defer sub.Close()
		next := func() {
			m, err := sub.ReceiveTimeout(ctx, patience.Limit)
			require.NoError(p, err)
			p.line(fmt.Sprintf("%T %v", m, m))
		}
		next()
		next()
		require.NoError(p, sub.PSubscribe(ctx, "n*", "[a"))
		next()
		next()
		require.NoError(p, sub.SSubscribe(ctx, "shard"))
		next()
		p.say("publish", c.Publish(ctx, "news", "one"), c.Publish(ctx, "nothing", "two"), c.Publish(ctx, binary, binary),
			c.SPublish(ctx, "shard", "three"))
		for range 5 {
			next()
		}
		p.say("who", c.PubSubNumSub(ctx, "news", "x"), c.PubSubNumPat(ctx), c.PubSubShardChannels(ctx, "*"))
		require.NoError(p, sub.Ping(ctx, "hello"))
		next()
		require.NoError(p, sub.Unsubscribe(ctx, "news", binary))
		next()
		next()
		require.NoError(p, sub.PUnsubscribe(ctx, "n*"))
		next()
		p.say("publish", c.Publish(ctx, "news", "nobody hears"))

		// Its connection is killed: it comes back and subscribes again to what is left.
		messages := sub.Channel()
		p.say("kill", c.ClientKillByFilter(ctx, "TYPE", "pubsub"))
		until(p, "subscribed again", func() bool {
			return slices.Equal(c.PubSubShardChannels(ctx, "*").Val(), []string{"shard"}) && c.PubSubNumPat(ctx).Val() == 1
		})
		p.say("publish", c.SPublish(ctx, "shard", "again"))
		p.say("message", receive(p, messages))

		// Many messages, in order.
		const many = 5000
		big := c.Subscribe(ctx, "stream")
		defer big.Close()
		_, err := big.Receive(ctx)
		require.NoError(p, err)
		stream := big.Channel(redis.WithChannelSize(many))
		pipe := c.Pipeline()
		for i := range many {
			pipe.Publish(ctx, "stream", i)
		}
		_, err = pipe.Exec(ctx)
		require.NoError(p, err)
		for i := range many {
			require.Equal(p, strconv.Itoa(i), receive(p, stream).Payload)
		}
	})
}

func TestGoRedisKeyspaceEvents(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		require.NoError(p, c.ConfigSet(ctx, "notify-keyspace-events", "KEA").Err())
		sub := c.PSubscribe(ctx, "__key*__:*")
		defer sub.Close()
		_, err := sub.Receive(ctx)
		require.NoError(p, err)
		events := sub.Channel()
		c.Set(ctx, "k", 1, 20*time.Millisecond)
		for range 6 {
			p.say("event", receive(p, events))
		}
	})
}

func TestGoRedisScripts(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		script := redis.NewScript(`redis.call('SET', KEYS[1], ARGV[1]); return {KEYS[1], #ARGV[1], 3.9, false, {ok='FINE'}, {1, {2}}}`)
		p.say("exists", script.Exists(ctx, c).Val())
		p.say("run", script.Run(ctx, c, []string{"k"}, binary))
		p.say("exists", script.Exists(ctx, c).Val())
		p.say("run by SHA1", script.EvalSha(ctx, c, []string{"k"}, "x"), script.EvalRO(ctx, c, []string{"k"}, "x").Err())
		p.say("errors", c.Eval(ctx, "return redis.error_reply('MINE it is')", nil).Err(), c.Eval(ctx, "return nosuch", nil).Err(),
			c.Eval(ctx, "return redis.call('INCR', KEYS[1])", []string{"k"}).Err(), c.Eval(ctx, "return +", nil).Err(),
			c.Eval(ctx, "return redis.call('GET')", nil).Err())
		p.say("nil", c.Eval(ctx, "return nil", nil).Err())
		p.say("RESP3", c.Eval(ctx, "redis.setresp(3); return {map={a=1.5}}", nil), c.Eval(ctx, "return {double=3.25}", nil))
		p.say("load",
			c.FunctionLoad(ctx,
				"#!lua name=lib\nredis.register_function{function_name='twice', callback=function(k, a) return a[1] * 2 end, flags={'no-writes'}}"))
		p.say("load", c.FunctionLoad(ctx, "#!lua name=lib\n"))
		p.say("call", c.FCall(ctx, "twice", nil, 21), c.FCallRo(ctx, "twice", nil, 4), c.FCall(ctx, "none", nil))
		libs, err := c.FunctionList(ctx, redis.FunctionListQuery{WithCode: true}).Result()
		p.say("list", libs, err)
		p.say("flush", c.ScriptFlush(ctx), script.EvalSha(ctx, c, nil))
	})
}

func TestGoRedisStreams(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		const entries, workers = 1000, 4
		p.say("group", c.XGroupCreateMkStream(ctx, "s", "g", "$"), c.XGroupCreate(ctx, "s", "g", "$"), c.XGroupCreate(ctx, "none", "g", "$"))
		var mu sync.Mutex
		got := map[string]int{}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for {
					streams, err := c.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "g", Consumer: fmt.Sprint("c", w), Streams: []string{"s", ">"},
						Count: 10, Block: patience.Limit}).Result()
					if err != nil {
						p.Error(err)
						return
					}
					for _, m := range streams[0].Messages {
						if m.Values["stop"] != nil {
							return
						}
						mu.Lock()
						got[m.Values["n"].(string)]++
						mu.Unlock()
						if err := c.XAck(ctx, "s", "g", m.ID).Err(); err != nil {
							p.Error(err)
						}
					}
				}
			})
		}
		for i := range entries {
			require.NoError(p, c.XAdd(ctx, &redis.XAddArgs{Stream: "s", Values: []any{"n", i}}).Err())
		}
		until(p, "all are read", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == entries })
		until(p, "all are acknowledged", func() bool { return c.XPending(ctx, "s", "g").Val().Count == 0 })
		for stops := range workers {
			require.NoError(p, c.Process(ctx, redis.NewStringCmd(ctx, "XADD", "s", "*", "stop", "1")))
			// One stop a worker: each takes its own before there is another.
			until(p, "the stop is read", func() bool { return c.XPending(ctx, "s", "g").Val().Count == int64(stops+1) })
		}
		wg.Wait()
		for i := range entries {
			require.Equal(p, 1, got[strconv.Itoa(i)], i)
		}

		// One dies, another claims.
		for i := range 3 {
			p.say("add", c.XAdd(ctx, &redis.XAddArgs{Stream: "t", ID: fmt.Sprint(i+1, "-1"), Values: map[string]any{"v": binary}}))
		}
		p.say("add, too low", c.XAdd(ctx, &redis.XAddArgs{Stream: "t", ID: "1-1", Values: []any{"a", 1}}))
		p.say("group", c.XGroupCreate(ctx, "t", "g", "0"))
		p.say("read", c.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "g", Consumer: "dies", Streams: []string{"t", ">"}, Count: 2, Block: -1}))
		p.say("claim", c.XAutoClaim(ctx, &redis.XAutoClaimArgs{Stream: "t", Group: "g", Consumer: "lives", Start: "0-0", Count: 10}))
		p.say("pending", c.XPending(ctx, "t", "g"))
		full, err := c.XInfoStreamFull(ctx, "t", 10).Result()
		require.NoError(p, err)
		p.say("info", full.Length, full.LastGeneratedID, len(full.Entries), full.Groups[0].Name, full.Groups[0].PelCount)
		groups, err := c.XInfoGroups(ctx, "t").Result()
		p.say("groups", groups, err)
		p.say("range", c.XRevRangeN(ctx, "t", "+", "-", 1), c.XTrimMaxLen(ctx, "t", 1), c.XLen(ctx, "t"),
			c.XRead(ctx, &redis.XReadArgs{Streams: []string{"t", "0"}, Block: -1}))
		p.say("nothing in time", c.XRead(ctx, &redis.XReadArgs{Streams: []string{"t", "$"}, Block: 20 * time.Millisecond}).Err())
	})
}

func TestGoRedisScanIterators(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		const many = 3000
		want := map[string]bool{}
		pipe := c.Pipeline()
		for i := range many {
			key := fmt.Sprintf("user:%d", i)
			want[key] = true
			pipe.Set(ctx, key, i, 0)
			pipe.Set(ctx, fmt.Sprint("other:", i), i, 0)
			pipe.HSet(ctx, "hash", key, i)
			pipe.SAdd(ctx, "set", key)
			pipe.ZAdd(ctx, "zset", redis.Z{Score: float64(i), Member: key})
		}
		_, err := pipe.Exec(ctx)
		require.NoError(p, err)
		for name, scan := range map[string]*redis.ScanCmd{
			"SCAN":  c.Scan(ctx, 0, "user:*", 100),
			"TYPE":  c.ScanType(ctx, 0, "user:*", 7, "string"),
			"HSCAN": c.HScan(ctx, "hash", 0, "*", 50),
			"SSCAN": c.SScan(ctx, "set", 0, "", 50),
			"ZSCAN": c.ZScan(ctx, "zset", 0, "user:*", 50),
		} {
			got := map[string]bool{}
			it := scan.Iterator()
			for it.Next(ctx) {
				got[it.Val()] = true
				if name == "HSCAN" || name == "ZSCAN" {
					require.True(p, it.Next(ctx))
				}
			}
			require.NoError(p, it.Err())
			require.True(p, maps.Equal(want, got), name)
		}
	})
}

func TestGoRedisWaits(t *testing.T) {
	onGoRedis(t, func(p *play, c *redis.Client) {
		ctx := p.Context()
		p.say("in vain", c.BLPop(ctx, time.Second, "a", "b"))
		p.say("at once", c.RPush(ctx, "a", 1, 2), c.BLPop(ctx, time.Second, "b", "a"), c.BLMove(ctx, "a", "c", "left", "right", time.Second),
			c.BRPop(ctx, 0, "c"))
		results := make(chan string, 3)
		go func() { results <- c.BLPop(ctx, 0, "x", "y").String() }()
		go func() { results <- c.BZPopMin(ctx, 0, "z").String() }()
		go func() { results <- c.BLMPop(ctx, 0, "right", 5, "q", "r").String() }()
		blocked := func(n string) func() bool {
			return func() bool { return c.InfoMap(ctx, "clients").Item("Clients", "blocked_clients") == n }
		}
		until(p, "three wait", blocked("3"))
		p.say("push", c.RPush(ctx, "y", binary))
		p.say("popped", receive(p, results))
		p.say("add", c.ZAdd(ctx, "z", redis.Z{Score: 2, Member: "m"}))
		p.say("popped", receive(p, results))
		_, err := c.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.RPush(ctx, "q", 1, 2)
			pipe.RPush(ctx, "r", 3)
			return nil
		})
		require.NoError(p, err)
		p.say("popped", receive(p, results))

		// A waiting client is unblocked, and another is killed.
		conn := c.Conn()
		defer conn.Close()
		id, err := conn.ClientID(ctx).Result()
		require.NoError(p, err)
		go func() { results <- conn.BLPop(ctx, 0, "x").String() }()
		until(p, "one waits", blocked("1"))
		p.say("unblock", c.ClientUnblockWithError(ctx, id).Val())
		p.say("unblocked", receive(p, results))

		// The connections of a pool are killed: the next calls open new ones.
		p.say("kill", c.ClientKillByFilter(ctx, "TYPE", "normal", "SKIPME", "yes").Val() > 0)
		for range 20 {
			require.NoError(p, c.Ping(ctx).Err())
		}
	})
}
