package clients

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/redis/rueidis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

func openRueidis(p *play, o rueidis.ClientOption) rueidis.Client {
	o.ConnWriteTimeout = patience.Limit
	c, err := rueidis.NewClient(o)
	require.NoError(p, err)
	p.Cleanup(c.Close)
	return c
}

func TestRueidis(t *testing.T) {
	for _, resp2 := range []bool{false, true} {
		t.Run(fmt.Sprint("RESP2 ", resp2), func(t *testing.T) {
			onBoth(t, func(p *play) {
				addr, ctx := p.server(), p.Context()
				option := rueidis.ClientOption{InitAddress: []string{addr}, AlwaysRESP2: resp2, DisableCache: true, ClientName: "moon", SelectDB: 2}
				c := openRueidis(p, option)
				do := func(args ...string) rueidis.RedisResult {
					r := c.Do(ctx, c.B().Arbitrary(args...).Build())
					v, err := r.ToAny()
					p.line(fmt.Sprintf("%q: %q %v", args, v, err))
					return r
				}
				info, err := c.Do(ctx, c.B().ClientInfo().Build()).ToString()
				require.NoError(p, err)
				p.say("info", clientFields(info))
				do("SET", binary, binary)
				do("GET", binary)
				require.True(p, rueidis.IsRedisNil(do("GET", "nothing").Error()))
				do("HSET", "h", "a", "1", "b", "2")
				do("HGETALL", "h")
				do("ZADD", "z", "1.5", "a", "-inf", "b")
				do("ZRANGE", "z", "0", "-1", "WITHSCORES")
				do("LPUSH", "h", "1")
				do("EVAL", "redis.setresp(3) return {map={a={double=1.5}}}", "0")
				do("NO-SUCH-COMMAND")
				v, err := rueidis.NewLuaScript("return {KEYS[1], ARGV[1], 1.9}").Exec(ctx, c, []string{"k"}, []string{binary}).ToAny()
				p.say("script", v, err)

				// Many callers share one connection.
				var wg sync.WaitGroup
				for range 16 {
					wg.Go(func() {
						for range 500 {
							if err := c.Do(ctx, c.B().Incr().Key("n").Build()).Error(); err != nil {
								p.Error(err)
							}
						}
					})
				}
				wg.Wait()
				do("GET", "n")
				var cmds rueidis.Commands
				for i := range 10000 {
					cmds = append(cmds, c.B().Rpush().Key("l").Element(strconv.Itoa(i)).Build())
				}
				for i, r := range c.DoMulti(ctx, cmds...) {
					n, err := r.AsInt64()
					require.NoError(p, err)
					require.EqualValues(p, i+1, n)
				}

				// A connection of one's own for a transaction.
				err = c.Dedicated(func(d rueidis.DedicatedClient) error {
					require.NoError(p, d.Do(ctx, d.B().Watch().Key("n").Build()).Error())
					replies := d.DoMulti(ctx, d.B().Multi().Build(), d.B().Incr().Key("n").Build(), d.B().Lpush().Key("n").Element("x").Build(),
						d.B().Exec().Build())
					v, err := replies[3].ToArray()
					require.NoError(p, err)
					p.say("transaction", len(v), v[1].Error(), err)
					require.NoError(p, d.Do(ctx, d.B().Watch().Key("n").Build()).Error())
					do("INCR", "n")
					replies = d.DoMulti(ctx, d.B().Multi().Build(), d.B().Incr().Key("n").Build(), d.B().Exec().Build())
					p.say("a transaction in vain", rueidis.IsRedisNil(replies[2].Error()))
					return nil
				})
				require.NoError(p, err)

				p.say("in vain", c.Do(ctx, c.B().Blpop().Key("none").Timeout(0.05).Build()).Error())
				popped := make(chan string)
				go func() {
					v, err := c.Do(ctx, c.B().Blpop().Key("q").Timeout(0).Build()).AsStrSlice()
					popped <- fmt.Sprint(v, err)
				}()
				do("RPUSH", "q", "x")
				p.say("popped", receive(p, popped))

				// Messages; then all connections are killed.
				messages := make(chan string, 10)
				other := openRueidis(p, option)
				go func() {
					_ = c.Receive(ctx, c.B().Subscribe().Channel("news", "end").Build(), func(m rueidis.PubSubMessage) {
						messages <- fmt.Sprintf("%q", m)
					})
				}()
				subscribed := func() bool {
					n, err := other.Do(ctx, other.B().PubsubNumsub().Channel("news").Build()).AsIntMap()
					require.NoError(p, err)
					return n["news"] == 1
				}
				until(p, "subscribed", subscribed)
				do("PUBLISH", "news", binary)
				p.say("message", receive(p, messages))
				require.NoError(p, other.Do(ctx, other.B().Arbitrary("CLIENT", "KILL", "SKIPME", "yes").Build()).Error())
				until(p, "back again", func() bool { return c.Do(ctx, c.B().Ping().Build()).Error() == nil })
			})
		})
	}
}
