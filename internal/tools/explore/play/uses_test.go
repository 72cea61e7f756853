package play_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// lines is a client that runs commands, cut at spaces, and notes the replies.
func lines(text string) func(c *world) {
	return func(w *world) {
		name := fmt.Sprint("c", len(w.Clients)+1)
		w.client(name, clientOf(text))
		w.Clients[len(w.Clients)-1].Waits = true
	}
}

// Each play has commands of clients that do not commute: with the reduction it has the same ends as
// without, and as many as it must have.
func TestConflicts(t *testing.T) {
	script := "EVAL return_redis.call('GET','k') 0"
	for name, c := range map[string]struct {
		clients []string
		ends    int
	}{
		"write and read":                 {[]string{"SET k 1", "GET k"}, 2},
		"two writes":                     {[]string{"SET k 1", "SET k 2"}, 2},
		"keys without a name":            {[]string{"SET k 1", "DBSIZE"}, 2},
		"all keys":                       {[]string{"SET k 1", "KEYS *"}, 2},
		"SCAN":                           {[]string{"SET k 1", "SCAN 0 COUNT 100"}, 2},
		"FLUSHALL":                       {[]string{"SET k 1", "FLUSHALL"}, 2},
		"a script's key":                 {[]string{"SET k 1", script}, 2},
		"a key that a transaction reads": {[]string{"SET k 1", "MULTI;GET k;EXEC"}, 2},
		"a watched key":                  {[]string{"WATCH k;MULTI;SET x 1;EXEC", "SET k 1"}, 2},
		"DISCARD without MULTI":          {[]string{"WATCH k;DISCARD;MULTI;SET x 1;EXEC", "SET k 1"}, 2},
		"EXEC without MULTI":             {[]string{"WATCH k;EXEC;MULTI;SET x 1;EXEC", "SET k 1"}, 2},
		"a failed transaction":           {[]string{"WATCH k;MULTI;NOSUCH;EXEC;MULTI;SET x 1;EXEC", "SET k 1"}, 1},
		"a key that was watched":         {[]string{"WATCH k;UNWATCH;MULTI;SET x 1;EXEC", "SET k 1"}, 1},
		"random choices":                 {[]string{"SPOP s1", "SPOP s2"}, 2},
		"random keys":                    {[]string{"RANDOMKEY", "SRANDMEMBER s1"}, 2},
		"SORT BY":                        {[]string{"SORT l1 BY w* LIMIT 0 1", "SET w2 -1"}, 2},
		"SORT GET":                       {[]string{"SORT_RO l1 GET w*", "SET w2 0"}, 2},
		"COPY to another database":       {[]string{"COPY s1 x DB 1", "SELECT 1;EXISTS x"}, 2},
		"MOVE":                           {[]string{"MOVE s1 1", "SELECT 1;EXISTS s1"}, 2},
		"SWAPDB":                         {[]string{"SWAPDB 0 1", "EXISTS s1"}, 2},
		"databases":                      {[]string{"SELECT 1;SET k 1", "EXISTS k"}, 1},
		"idle times":                     {[]string{"GET old", "OBJECT IDLETIME old"}, 2},
		"the cache of scripts":           {[]string{"EVAL return_1 0", "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db"}, 2},
		"EVALSHA":                        {[]string{"SCRIPT LOAD return_1", "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"}, 2},
		"functions":                      {[]string{"FUNCTION FLUSH", "FUNCTION LIST", "FCALL f 0"}, 1},
		"publish":                        {[]string{"PUBLISH c 1", "PUBSUB CHANNELS"}, 1},
		"configuration":                  {[]string{"CONFIG SET hash-max-listpack-entries 1", "HSET h a 1 b 2;OBJECT ENCODING h"}, 2},
		"waiting in a queue":             {[]string{"BLPOP q 0", "BLPOP q 0", "RPUSH q a"}, 2},
		"what a woken command writes":    {[]string{"BLMOVE q r LEFT LEFT 0", "RPUSH q a", "LLEN r"}, 2},
		"XREAD and XADD":                 {[]string{"XREAD BLOCK 0 STREAMS q $", "XADD q 1-1 f v"}, 2},
		"XREADGROUP":                     {[]string{"XREADGROUP GROUP g a STREAMS x >", "XREADGROUP GROUP g b STREAMS x >"}, 2},
		"memory":                         {[]string{"CONFIG SET maxmemory 1", "SET k 1", "SET k2 1"}, 4},
		"users":                          {[]string{"ACL SETUSER default -get", "GET k", "PING"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			ends := map[bool]map[string]bool{}
			for _, unreduced := range []bool{true, false} {
				found := map[string]bool{}
				w := withEnds(newWorld(command("SADD", "s1", "a", "b", "c", "d", "e"), command("SADD", "s2", "a", "b", "c", "d", "e"),
					command("RPUSH", "l1", "1", "2", "3"), command("SET", "old", "1"), command("XADD", "x", "1-1", "f", "v"),
					command("XGROUP", "CREATE", "x", "g", "0")), found)
				for _, text := range c.clients {
					lines(text)(w)
				}
				fill := w.Setup
				w.Setup = func() error {
					err := fill()
					w.clock.Advance(5 * time.Second)
					return err
				}
				w.Unreduced = unreduced
				r := explore(t, w)
				require.True(t, r.Complete)
				require.Nil(t, r.Violation)
				ends[unreduced] = found
			}
			require.Equal(t, slices.Sorted(maps.Keys(ends[true])), slices.Sorted(maps.Keys(ends[false])))
			require.Len(t, ends[false], c.ends, strings.Join(slices.Sorted(maps.Keys(ends[false])), "\n\n"))
		})
	}
}

// Commands that commute are run in one order only.
func TestCommuting(t *testing.T) {
	for name, clients := range map[string][]string{
		"other keys":              {"SET a 1;INCR a", "SET b 1;INCR b", "LPUSH l 1;LPOP l"},
		"reads":                   {"GET k;MGET k j", "GET k;STRLEN k", "EXISTS k"},
		"sources of a union":      {"SUNIONSTORE a s1 s2", "SUNIONSTORE b s1 s2"},
		"the connection":          {"PING;ECHO a;SELECT 1;CLIENT SETNAME a;CLIENT ID", "PING;SET a 1", "HELLO 3"},
		"queued commands":         {"MULTI;SET k 1;DISCARD", "SET k 2"},
		"the same new script":     {"EVAL return_1 0", "EVAL return_1 0"},
		"scripts of other keys":   {"EVAL return_redis.call('SET',KEYS[1],1) 1 a", "EVAL return_redis.call('SET',KEYS[1],1) 1 b"},
		"other databases":         {"SELECT 1;SET k 1", "SET k 1"},
		"time":                    {"TIME;TIME", "TIME"},
		"streams of other names":  {"XADD x1 * f v", "XADD x2 * f v"},
		"a command that is wrong": {"NOSUCH k", "SET k 1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(command("SADD", "s1", "a"), command("SADD", "s2", "b"))
			for _, text := range clients {
				lines(text)(w)
			}
			r := explore(t, w)
			require.True(t, r.Complete)
			require.Equal(t, 1, r.Orders)
			require.Zero(t, r.Cut)
		})
	}
}

func TestImpossibleCommands(t *testing.T) {
	for _, text := range []string{"SUBSCRIBE c", "MONITOR", "CLIENT PAUSE 10", "CLIENT TRACKING ON", "SHUTDOWN", "REPLICAOF NO ONE"} {
		w := newWorld()
		lines(text)(w)
		w.Check = func(s *play.State) error {
			v, _ := s.Note(0, "reply")
			require.Contains(t, v, "is not possible here", text)
			return nil
		}
		require.Nil(t, explore(t, w).Violation)
	}
}

// What scripts leave in Lua for later ones makes them conflict: the sequence of math.random, the
// settings of cjson, and the locals of libraries of functions.
func TestLuaThatLivesOn(t *testing.T) {
	const (
		random  = "EVAL return_math.random(1000) 0"
		setting = "EVAL for_k,f_in_pairs(cjson)do_if_k:find('precision')then_f(3)end_end 0"
		third   = "EVAL return_cjson.encode(1/3) 0"
		seeded  = "EVAL math.randomseed(7)return_math.random(1000) 0"
	)
	for name, c := range map[string]struct {
		clients []string
		ends    int
	}{
		"math.random":                {[]string{random, random}, 2},
		"math.randomseed":            {[]string{seeded, random}, 2},
		"in a transaction":           {[]string{"MULTI;" + random + ";EXEC", random}, 2},
		"settings of cjson":          {[]string{setting, third}, 2},
		"locals of a library":        {[]string{"FCALL count 0", "FCALL count 0"}, 2},
		"math.random in a function":  {[]string{"FCALL random 0", "FCALL random 0"}, 2},
		"scripts that leave nothing": {[]string{third, third, "EVAL return_2 0"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ends := map[bool]map[string]bool{}
			for _, unreduced := range []bool{true, false} {
				found := map[string]bool{}
				w := withEnds(newWorld(command("FUNCTION", "LOAD", "#!lua name=l\nlocal n = 0\n"+
					"redis.register_function('count', function() n = n + 1 return n end)\n"+
					"redis.register_function('random', function() return math.random(1000) end)")), found)
				for _, text := range c.clients {
					lines(text)(w)
				}
				w.Unreduced = unreduced
				r := explore(t, w)
				require.Nil(t, r.Violation)
				if !unreduced && c.ends == 1 {
					require.Equal(t, 1, r.Orders)
				}
				ends[unreduced] = found
			}
			require.Equal(t, slices.Sorted(maps.Keys(ends[true])), slices.Sorted(maps.Keys(ends[false])))
			require.Len(t, ends[false], c.ends)
		})
	}
}
