package clients

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

// TestRueidisCaching has a client keep what it read until the server says that it is no longer so.
func TestRueidisCaching(t *testing.T) {
	for _, mode := range [][]string{nil, {"OPTIN", "NOLOOP"}, {"PREFIX", "k", "BCAST"}, {"PREFIX", "k", "BCAST", "NOLOOP"}} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			onBoth(t, func(p *play) {
				addr, ctx := p.server(), p.Context()
				other := openRueidis(p, rueidis.ClientOption{InitAddress: []string{addr}, DisableCache: true})
				do := func(args ...string) {
					require.NoError(p, other.Do(ctx, other.B().Arbitrary(args...).Build()).NonRedisError())
				}
				invalid := make(chan []string, 100)
				c := openRueidis(p, rueidis.ClientOption{
					InitAddress: []string{addr}, ClientTrackingOptions: mode, PipelineMultiplex: -1,
					OnInvalidations: func(messages []rueidis.RedisMessage) {
						keys := []string{}
						for _, m := range messages {
							key, _ := m.ToString()
							keys = append(keys, key)
						}
						slices.Sort(keys)
						invalid <- keys
					},
				})
				get := func(key string) {
					r := c.DoCache(ctx, c.B().Get().Key(key).Cache(), time.Hour)
					v, err := r.ToString()
					p.say("get "+key, r.IsCacheHit(), r.CacheTTL() > 0, v, err)
				}
				// invalidations says what came before the client's next reply, on the same connection.
				invalidations := func() {
					require.NoError(p, c.Do(ctx, c.B().Ping().Build()).Error())
					for len(invalid) > 0 {
						p.say("invalid", <-invalid)
					}
				}
				do("SET", "k1", "one")
				invalidations()
				get("k1")
				get("k1")
				do("SET", "k1", "two")
				invalidations()
				get("k1")
				get("k1")
				do("GET", "k1") // reading invalidates nothing
				get("k1")
				for _, write := range [][]string{
					{"APPEND", "k1", "x"},
					{"EVAL", "redis.call('SET', KEYS[1], 'three')", "1", "k1"},
					{"DEL", "k1"},
					{"SET", "k1", "four", "PX", "3600000"},
					{"PERSIST", "k1"},
					{"RENAME", "k1", "other"},
					{"RENAME", "other", "k1"},
				} {
					do(write...)
					invalidations()
					get("k1")
					get("k1")
				}

				// Several keys in one call, of which one changes.
				do("SET", "k2", "a")
				do("SET", "k3", "b")
				invalidations()
				several := func() {
					got, err := rueidis.MGetCache(c, ctx, time.Hour, []string{"k1", "k2", "k3"})
					require.NoError(p, err)
					for _, key := range []string{"k1", "k2", "k3"} {
						m := got[key]
						v, err := m.ToString()
						p.say("several", key, m.IsCacheHit(), v, err)
					}
				}
				several()
				several()
				do("SET", "k3", "c")
				invalidations()
				several()

				// A client that reads past the cache gets no invalidations for that, and for its own writes it
				// may get them or not.
				require.NoError(p, c.Do(ctx, c.B().Get().Key("k4").Build()).NonRedisError())
				require.NoError(p, c.Do(ctx, c.B().Set().Key("k1").Value("own").Build()).Error())
				invalidations()
				do("SET", "k2", "of another")
				invalidations()
				several()

				do("FLUSHALL")
				invalidations()
				get("k1")
				do("SET", "k1", "passing", "PX", "1000")
				invalidations()
				read := func() (gone bool) {
					r := c.DoCache(ctx, c.B().Get().Key("k1").Cache(), time.Hour)
					require.NoError(p, r.NonRedisError())
					return rueidis.IsRedisNil(r.Error())
				}
				// A key that expires before it is read is not tracked. Then it has to live longer.
				for life := 4000; read() && !slices.Contains(mode, "BCAST"); life *= 4 {
					do("SET", "k1", "passing", "PX", strconv.Itoa(life))
					require.Equal(p, []string{"k1"}, receive(p, invalid))
				}
				p.say("invalid by its time", receive(p, invalid))
				get("k1")

				// What was kept goes with the connection.
				get("k2")
				get("k2")
				do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
				require.Empty(p, receive(p, invalid))
				until(p, "back again", func() bool { return c.Do(ctx, c.B().Ping().Build()).Error() == nil })
				for len(invalid) > 0 {
					require.Empty(p, <-invalid)
				}
				get("k2")
				get("k2")
				do("SET", "k2", "after all")
				invalidations()
				get("k2")
			})
		})
	}
}
