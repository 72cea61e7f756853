package clients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/stretchr/testify/require"
)

func TestGoRedisCluster(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			onBoth(t, func(p *play) {
				addr, ctx := p.server(Options{Cluster: true}), p.Context()
				c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}, Protocol: protocol, ReadTimeout: patience.Limit,
					WriteTimeout: patience.Limit})
				defer c.Close()
				const many = 500
				cmds, err := c.Pipelined(ctx, func(pipe redis.Pipeliner) error {
					for i := range many {
						pipe.Set(ctx, fmt.Sprint("key:", i), i, 0)
					}
					return nil
				})
				require.NoError(p, err)
				require.Len(p, cmds, many)
				for i := range many {
					n, err := c.Get(ctx, fmt.Sprint("key:", i)).Int()
					require.NoError(p, err)
					require.Equal(p, i, n)
				}
				var seen atomic.Int64
				require.NoError(p, c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
					it := node.Scan(ctx, 0, "key:*", 100).Iterator()
					for it.Next(ctx) {
						seen.Add(1)
					}
					return it.Err()
				}))
				p.say("seen", seen.Load(), c.DBSize(ctx))
				require.EqualValues(p, many, seen.Load())
				node, err := c.MasterForKey(ctx, "key:1")
				require.NoError(p, err)
				p.say("across slots", node.MGet(ctx, "key:1", "key:2").Err(), node.Eval(ctx, "return redis.call('GET', 'key:2')",
					[]string{"key:1"}).Err(),
					node.Eval(ctx, "return 1", []string{"key:1", "key:2"}).Err(), node.Do(ctx, "SELECT", 1).Err())
				p.say("slots", c.ClusterKeySlot(ctx, "{user}1"), c.ClusterKeySlot(ctx, "user"), c.ClusterCountKeysInSlot(ctx, 5474))
				cmds, err = c.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
					pipe.Set(ctx, "{user}n", 1, 0)
					pipe.Incr(ctx, "{user}n")
					pipe.MGet(ctx, "{user}n", "{user}m")
					return nil
				})
				p.say("transaction", cmds, err)
				p.say("watch", c.Watch(ctx, func(tx *redis.Tx) error {
					_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error { return c.Incr(ctx, "{user}n").Err() })
					return err
				}, "{user}n"))
				shards, err := c.ClusterShards(ctx).Result()
				require.NoError(p, err)
				require.Equal(p, addr, fmt.Sprint("127.0.0.1:", shards[0].Nodes[0].Port))
				p.say("shards", len(shards), shards[0].Slots, shards[0].Nodes[0].Role, shards[0].Nodes[0].Health)
				sub := c.SSubscribe(ctx, "{user}news")
				defer sub.Close()
				_, err = sub.Receive(ctx)
				require.NoError(p, err)
				p.say("publish", c.SPublish(ctx, "{user}news", binary))
				p.say("message", receive(p, sub.Channel()))
			})
		})
	}
}

func TestRueidisCluster(t *testing.T) {
	onBoth(t, func(p *play) {
		addr, ctx := p.server(Options{Cluster: true}), p.Context()
		c := openRueidis(p, rueidis.ClientOption{InitAddress: []string{addr}, DisableCache: true})
		require.Equal(p, rueidis.ClientModeCluster, c.Mode())
		var cmds rueidis.Commands
		keys := map[string]string{}
		for i := range 500 {
			key := fmt.Sprint("key:", i)
			keys[key] = fmt.Sprint(i)
			cmds = append(cmds, c.B().Set().Key(key).Value(keys[key]).Build())
		}
		for _, r := range c.DoMulti(ctx, cmds...) {
			require.NoError(p, r.Error())
		}
		got, err := rueidis.MGet(c, ctx, slices.Collect(maps.Keys(keys)))
		require.NoError(p, err)
		for key, want := range keys {
			v := got[key]
			s, err := v.ToString()
			require.NoError(p, err)
			require.Equal(p, want, s)
		}
		p.say("across slots", c.Do(ctx, c.B().Arbitrary("MGET").Keys("{a}1", "{a}2").Build()).Error())
		for node := range c.Nodes() {
			require.Equal(p, addr, node)
		}
	})
}
