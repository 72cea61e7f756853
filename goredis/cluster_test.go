package goredis_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

func clusterOf(t *testing.T) (*redistest.Cluster, *goredis.Client) {
	redistest.Need(t)
	rc, err := redistest.StartCluster(3)
	require.NoError(t, err)
	t.Cleanup(rc.Stop)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: rc.Addrs(), Protocol: 2})
	t.Cleanup(func() { _ = rdb.Close() })
	return rc, goredis.New(rdb)
}

// Every command finds the owner of its keys immediately, at any position of the keys: no node has
// to answer MOVED.
func TestCommandsGoToTheOwnerOfTheirKeys(t *testing.T) {
	ctx := context.Background()
	rc, c := clusterOf(t)
	e, err := engine.NewCluster(3, engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	_, err = c.DoStrings(ctx, "GET", "k") // it learns the slots
	require.NoError(t, err)
	for _, s := range rc.Masters {
		_, err := s.Do("CONFIG", "RESETSTAT")
		require.NoError(t, err)
	}
	lines := []string{
		"SET %s{k} v", "GET %s{k}", "OBJECT ENCODING %s{k}", "MEMORY USAGE %s{k} SAMPLES 0", "DEL %s{k}", "EXISTS %s{k} %s{k}2",
		"MSET %s{k} 1 %s{k}2 2",
		"MGET %s{k} %s{k}2", "MSETNX %s{k} 1 %s{k}3 2", "BITOP NOT %s{k}4 %s{k}", "BITCOUNT %s{k}", "RPUSH %s{k}l 3 1 2",
		"SORT %s{k}l STORE %s{k}l2", "SORT_RO %s{k}l",
		"LMPOP 1 %s{k}l LEFT", "BLMPOP 1 1 %s{k}l LEFT", "LMPOP 2 %s{k}none %s{k}l RIGHT", "SADD %s{k}s a b", "SINTERCARD 1 %s{k}s",
		"ZADD %s{k}z 1 a", "ZUNIONSTORE %s{k}z2 1 %s{k}z",
		"ZUNION 1 %s{k}z", "ZRANGESTORE %s{k}z3 %s{k}z 0 -1", "ZMPOP 1 %s{k}z2 MIN", "BZMPOP 1 1 %s{k}z3 MIN", "XADD %s{k}x 1-1 f v",
		"XGROUP CREATE %s{k}x g 0",
		"XINFO GROUPS %s{k}x", "XREAD COUNT 1 STREAMS %s{k}x 0", "XREADGROUP GROUP g me COUNT 1 STREAMS %s{k}x >",
		"XREADGROUP GROUP streams streams STREAMS %s{k}x >",
		"EVAL return{KEYS[1]} 1 %s{k}", "EVAL_RO return{KEYS[1]} 1 %s{k}", "EVALSHA 0000000000000000000000000000000000000000 1 %s{k}",
		"FCALL f 1 %s{k}",
		"GEOADD %s{k}g 1 1 a", "GEOSEARCHSTORE %s{k}g2 %s{k}g FROMMEMBER a BYRADIUS 1 m", "GEORADIUSBYMEMBER %s{k}g a 1 m STORE %s{k}g3",
		"COPY %s{k} %s{k}5", "LCS %s{k} %s{k}5",
		"PFADD %s{k}p a", "PFMERGE %s{k}p2 %s{k}p", "SETRANGE %s{k} 1 x", "DEBUG OBJECT", "UNLINK %s{k} %s{k}2", "SPUBLISH %s{k} x",
		"MGET %s{k} %s{j}",
		"CLUSTER KEYSLOT %s{k}",
	}
	for i := range 12 {
		for _, line := range lines {
			args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, "%s", ""), "{k}", "{"+strconv.Itoa(i)+"}"))
			got, gerr := c.DoStrings(ctx, args...)
			want, werr := e.DoStrings(ctx, args...)
			if werr != nil {
				if args[0] != "DEBUG" {
					require.EqualError(t, gerr, werr.Error(), "%q", args)
				}
				continue
			}
			require.NoError(t, gerr, "%q", args)
			if args[0] != "MEMORY" {
				require.Equal(t, shown(want), shown(got), "%q", args)
			}
		}
	}
	for _, s := range rc.Masters {
		v, err := s.Do("INFO", "errorstats")
		require.NoError(t, err)
		require.NotContains(t, v.Text(), "MOVED")
	}
	slot := engine.Slot("{0}")
	n, err := c.DoStrings(ctx, "CLUSTER", "COUNTKEYSINSLOT", strconv.Itoa(slot))
	require.NoError(t, err)
	m, err := e.DoStrings(ctx, "CLUSTER", "COUNTKEYSINSLOT", strconv.Itoa(slot))
	require.NoError(t, err)
	require.Equal(t, m.MustInt(), n.MustInt())
	_, err = c.DoStrings(ctx, "CLUSTER", "COUNTKEYSINSLOT", "x")
	require.ErrorContains(t, err, "not an integer")
}

// shown is a value as text, without the difference between status and text.
func shown(v engine.Value) string {
	switch v.Kind() {
	case engine.KindNil, engine.KindNilArray:
		return "nil"
	case engine.KindArray, engine.KindMap, engine.KindSet:
		out := "["
		for _, x := range v.Slice() {
			out += shown(x) + " "
		}
		return out + "]"
	}
	return fmt.Sprintf("%q", v.Text())
}

// A slot moves from one master to another while callers use its keys: every increment is counted
// once.
func TestASlotMovesUnderScripts(t *testing.T) {
	ctx := context.Background()
	rc, c := clusterOf(t)
	const keys, callers = 40, 8
	slot := strconv.Itoa(engine.Slot("{m}"))
	from := rc.Of("{m}")
	to := rc.Masters[0]
	if to == from {
		to = rc.Masters[1]
	}
	id := func(s *redistest.Server) string {
		v, err := s.Do("CLUSTER", "MYID")
		require.NoError(t, err)
		return v.Text()
	}
	do := func(s *redistest.Server, args ...string) {
		t.Helper()
		_, err := s.Do(args...)
		require.NoError(t, err, "%q", args)
	}
	key := func(i int) string { return "{m}" + strconv.Itoa(i) }
	one := engine.NewScript("return redis.call('INCR', KEYS[1])")
	two := engine.NewScript("redis.call('INCR', KEYS[1]) return redis.call('INCR', KEYS[2])")
	var counts [keys]atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for w := range callers {
		wg.Go(func() {
			for i := w; !stop.Load(); i++ {
				a, b := i%keys, (i+1)%keys
				var err error
				switch i % 4 {
				case 0:
					_, err = c.RunScript(ctx, two, []string{key(a), key(b)}, nil)
					if errors.Is(err, &engine.Error{Code: "TRYAGAIN"}) { // one key was here, the other there, for seconds: it was not run
						continue
					}
					if err == nil {
						counts[b].Add(1)
					}
				case 1:
					_, err = c.DoStrings(ctx, "INCR", key(a))
				default:
					_, err = c.RunScript(ctx, one, []string{key(a)}, nil)
				}
				if err != nil {
					t.Error(err)
					return
				}
				counts[a].Add(1)
			}
		})
	}
	sum := func() (n int64) {
		for i := range counts {
			n += counts[i].Load()
		}
		return n
	}
	progress := func() { // some calls more
		for n := sum(); sum() < n+200 && !t.Failed(); {
			_, err := from.Do("PING")
			require.NoError(t, err)
		}
	}
	progress()
	do(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", id(from))
	do(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", id(to))
	progress()
	host, port, _ := strings.Cut(to.Addr, ":")
	for i := range keys {
		do(from, "MIGRATE", host, port, key(i), "0", "5000")
	}
	progress()
	for _, s := range []*redistest.Server{to, from} {
		do(s, "CLUSTER", "SETSLOT", slot, "NODE", id(to))
	}
	progress()
	stop.Store(true)
	wg.Wait()
	for i := range keys {
		v, err := c.DoStrings(ctx, "GET", key(i))
		require.NoError(t, err)
		require.Equal(t, counts[i].Load(), v.MustInt(), "key %d", i)
	}
}
