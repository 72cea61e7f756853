package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// rollbackWorld is an engine with everybody who must not notice what is undone.
type rollbackWorld struct {
	t       *testing.T
	name    string // for messages
	rng     *rand.Rand
	gen     *generator
	rm      *Redmoon
	figures map[string]int
	script  *engine.Script

	writer, watcher, reader *engine.Session
	heard                   []string // what any session has been sent
	effects                 int      // number of effects received
	image                   imageWatch
	imaged                  bool
	before                  map[string]string // the state; nil: to be taken
	changes                 int               // that the change feed has seen
}

// awaited are keys that only commands that fail write to: blocked clients wait for them.
var awaited = []string{"{a}awaited list", "{a}awaited zset", "{a}awaited stream"}

func newRollbackWorld(t *testing.T, seed uint64, visible commandSet, dumps []string, figures map[string]int) *rollbackWorld {
	w := &rollbackWorld{t: t, name: fmt.Sprint("seed ", seed), rng: rand.New(rand.NewPCG(seed, 11)), figures: figures}
	o := rollbackOptions(w.rng)
	st := style{groups: allGroups, proto: 2, limits: w.rng.IntN(4), dead: true, effects: true, cluster: o.Cluster}
	if w.rng.IntN(2) == 0 {
		st.groups = fuzzFamilies[w.rng.IntN(len(fuzzFamilies))].groups
	}
	w.gen = newGenerator(seed, st, rowsOf(visible, st.groups))
	w.gen.dumps = dumps
	var err error
	w.rm, err = newRedmoonWith(o, Present())
	require.NoError(t, err)
	if o.Cluster {
		figures["engines in cluster mode"]++
	}
	figures["engines"]++
	w.imaged = w.rng.IntN(3) == 0
	w.script = engine.NewScript(rollbackBody)
	w.writer, w.watcher, w.reader = w.open(), w.open(), w.open()
	for _, line := range st.setup(servers.Redis70)[1:] {
		w.do(w.writer, line...)
	}
	w.do(w.writer, "CONFIG", "SET", "notify-keyspace-events", "AKEnm")
	w.do(w.writer, "CONFIG", "SET", "maxmemory-policy", pick(w.rng, []string{"noeviction", "noeviction", "allkeys-lfu"}))
	w.do(w.writer, "FUNCTION", "LOAD", rollbackLibrary)
	w.do(w.writer, "XGROUP", "CREATE", awaited[2], "g", "$", "MKSTREAM")
	w.do(w.open(), "PSUBSCRIBE", "*")
	w.do(w.reader, "CLIENT", "TRACKING", "ON")
	w.do(w.open(), "CLIENT", "TRACKING", "ON", "BCAST")
	w.do(w.open(), "CLIENT", "TRACKING", "ON", "BCAST", "NOLOOP", "PREFIX", "s", "PREFIX", "z")
	if w.rng.IntN(2) == 0 {
		w.do(w.writer, "CLIENT", "TRACKING", "ON")
	}
	w.block("BLPOP", awaited[0], "0")
	w.block("BZPOPMIN", awaited[1], "0")
	w.block("XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", awaited[2], ">")
	require.NoError(t, enginedoor.Of(w.rm.Engine).Store(t.Context(), func(s *datastore.Store) error {
		s.Listen(func(*datastore.Change) { w.changes++ })
		return nil
	}))
	require.NoError(t, enginedoor.Of(w.rm.Engine).Receive(server.ToAll, func(list []server.Effect, _ bool) { w.effects += len(list) }))
	return w
}

// open opens a session in RESP3 whose messages are noted.
func (w *rollbackWorld) open() *engine.Session {
	s, err := enginedoor.Of(w.rm.Engine).OpenSession(enginedoor.SessionInfo{Receive: func(v engine.Value, _ int, _ int64) int64 {
		if v.Kind() == reply.KindPush {
			w.heard = append(w.heard, v.String())
		}
		return 0
	}})
	require.NoError(w.t, err)
	w.do(s, "HELLO", "3")
	return s
}

// do runs a command, whose reply may be an error.
func (w *rollbackWorld) do(s *engine.Session, args ...string) engine.Value {
	v, err := s.DoStrings(w.t.Context(), args...)
	if !v.IsError() {
		require.NoError(w.t, err, args)
	}
	return v
}

// block opens a session that waits in a command.
func (w *rollbackWorld) block(args ...string) {
	b := &enginedoor.Batch{Commands: [][]string{args}, StopAtBlock: true}
	require.NoError(w.t, enginedoor.Of(w.open()).RunBatch(w.t.Context(), b))
	require.True(w.t, b.Blocked)
}

func (w *rollbackWorld) end() {
	require.NoError(w.t, w.rm.Stop())
}

// commands draws commands for a script. If awaits is set, some are for keys that clients wait for.
func (w *rollbackWorld) commands(n int, awaits bool) (list [][]string) {
	for line := range n {
		switch k := w.rng.IntN(60); {
		case k < 2 && !w.gen.style.cluster:
			list = append(list, []string{"SELECT", strconv.Itoa(w.rng.IntN(3))})
		case k == 2:
			list = append(list, []string{"set_repl", strconv.Itoa(w.rng.IntN(4))})
		case k == 3:
			list = append(list, []string{"setresp", strconv.Itoa(2 + w.rng.IntN(2))})
		case k == 4:
			list = append(list, []string{"PUBLISH", "news", "text"})
		case k < 10 && awaits:
			list = append(list, w.awaitedCommand())
		case k < 12 && awaits:
			list = append(list, pick(w.rng, [][]string{{"FLUSHALL"}, {"FLUSHDB"}, {"SWAPDB", "0", "1"}, {"SWAPDB", "1", "2"}}))
		default:
			list = append(list, w.gen.step(line).Args)
		}
	}
	return list
}

func (w *rollbackWorld) awaitedCommand() []string {
	return pick(w.rng, [][]string{
		{"RPUSH", awaited[0], "x", "y"}, {"ZADD", awaited[1], "1", "x"}, {"XADD", awaited[2], "*", "f", "v"}, {"DEL", awaited[2]},
		{"XGROUP", "DESTROY", awaited[2], "g"}, {"SET", awaited[2], "x"}, {"SADD", awaited[0], "x"},
	})
}

// succeed runs a script that succeeds: its commands remain. Then everybody is made ready.
func (w *rollbackWorld) succeed() {
	if w.before != nil { // what has failed since breaks no EXEC
		w.do(w.watcher, "MULTI")
		w.do(w.watcher, "PING")
		require.Equal(w.t, reply.KindArray, w.do(w.watcher, "EXEC").Kind(), w.name)
	}
	w.rm.Clock.Advance(time.Duration(w.rng.IntN(4000)) * time.Millisecond)
	list := slices.DeleteFunc(w.commands(1+w.rng.IntN(40), false), func(c []string) bool {
		return len(c) > 0 && slices.Contains([]string{"flushall", "flushdb", "swapdb"}, strings.ToLower(c[0])) // they would end the waits
	})
	w.heard, w.effects = nil, 0
	_, err := w.writer.RunScript(w.t.Context(), w.script, nil, rollbackArgs("", -1, list))
	require.NoError(w.t, err, w.name)
	w.figures["messages of what remains"] += len(w.heard)
	w.figures["effects of what remains"] += w.effects
	w.stepImage()
	w.watchAll()
	w.before = w.state()
}

// watchAll makes a session watch all keys, and another one read some.
func (w *rollbackWorld) watchAll() {
	w.do(w.watcher, "UNWATCH")
	keys := append(slices.Clone(awaited), oddKeys...)
	for _, name := range groupNames {
		keys = append(keys, familyKeys[name]...)
	}
	for db := range 3 {
		if db > 0 && w.gen.style.cluster {
			break
		}
		w.do(w.watcher, "SELECT", strconv.Itoa(db))
		for _, key := range keys {
			w.do(w.watcher, "WATCH", key)
			if w.gen.style.cluster {
				w.do(w.watcher, "WATCH", "{a}"+key)
			}
		}
	}
	for range 5 {
		w.do(w.reader, "EXISTS", pick(w.rng, keys))
	}
}

// stepImage writes a little of an image of the keyspace, which must be right.
func (w *rollbackWorld) stepImage() {
	if w.imaged {
		images := w.image.images
		require.NoError(w.t, enginedoor.Of(w.rm.Engine).Store(w.t.Context(), w.image.step), w.name)
		w.figures["images"] += w.image.images - images
	}
}

// fail runs something that fails, and checks that nothing remains.
func (w *rollbackWorld) fail() {
	list := w.commands(1+w.rng.IntN(12), true)
	w.heard, w.effects, w.changes = nil, 0, 0
	waiting := w.waiting()
	var v engine.Value
	var what string
	switch k := w.rng.IntN(10); {
	case k < 5:
		way := pickWay(w.rng)
		what = "scripts: " + way
		v, _ = w.writer.RunScript(w.t.Context(), w.script, nil, rollbackArgs(way, w.rng.IntN(len(list)+1), list))
	case k < 7:
		way := pickWay(w.rng)
		what = "functions: " + way
		v, _ = w.writer.FCall(w.t.Context(), "fails", nil, anyOf(rollbackArgs(way, w.rng.IntN(len(list)+1), list))...)
	default:
		what = "transactions"
		v = w.transaction(list)
	}
	w.figures["failures"]++
	w.figures["changes undone"] += w.changes
	w.figures["failed "+what]++
	text := fmt.Sprintf("%s, failure %d: %s: %q\n%s", w.name, w.figures["failures"], what, list, v)
	require.True(w.t, v.IsError() || v.Kind() == reply.KindArray, text)
	w.check(text)
	require.Equal(w.t, waiting, w.waiting(), text)
	w.stepImage()
}

func anyOf(words []string) (list []any) {
	for _, s := range words {
		list = append(list, s)
	}
	return list
}

// transaction runs an EXEC of which a command fails.
func (w *rollbackWorld) transaction(list [][]string) engine.Value {
	failing := pick(w.rng, [][]string{
		{"INCRBY", "string", "no number"},
		append([]string{"EVAL", rollbackBody, "0"}, rollbackArgs(pickWay(w.rng), 1, w.commands(3, true))...),
		append([]string{"FCALL", "fails", "0"}, rollbackArgs("error", 1, w.commands(2, true))...),
	})
	list = slices.Insert(list, w.rng.IntN(len(list)+1), failing)
	if w.rng.IntN(4) == 0 {
		list = slices.Insert(list, 0, pick(w.rng, [][]string{
			{"FUNCTION", "FLUSH"}, {"FUNCTION", "DELETE", "rollback"},
			{"FUNCTION", "LOAD", "#!lua name=other\nredis.register_function('o', function() end)"},
			append([]string{"EVAL", rollbackBody, "0"}, rollbackArgs("", -1, w.commands(3, true))...),
		}))
	}
	for {
		w.do(w.writer, "MULTI")
		queued := slices.DeleteFunc(slices.Clone(list), func(c []string) bool {
			return len(c) == 0 || slices.Contains([]string{"set_repl", "setresp", "multi", "exec"}, strings.ToLower(c[0])) ||
				w.do(w.writer, c...).Text() != "QUEUED"
		})
		if len(queued) == len(list) {
			break
		}
		list = queued // without those that are refused when they are queued
		w.do(w.writer, "DISCARD")
	}
	v := w.do(w.writer, "EXEC")
	if !w.gen.style.cluster {
		w.do(w.writer, "SELECT", "0")
	}
	return v
}

// waiting is the number of blocked clients.
func (w *rollbackWorld) waiting() string {
	info := w.do(w.watcher, "INFO", "clients").Text()
	_, line, _ := strings.Cut(info, "blocked_clients:")
	line, _, _ = strings.Cut(line, "\r\n")
	return line
}

// check checks that nothing remains of the command that text describes.
func (w *rollbackWorld) check(text string) {
	require.Empty(w.t, w.heard, text)
	require.Zero(w.t, w.effects, text)
	after := w.state()
	for key, was := range w.before {
		require.Equal(w.t, was, after[key], "%s\n%s", key, text)
	}
	require.Len(w.t, after, len(w.before), text)
	require.NotContains(w.t, w.do(w.watcher, "CLIENT", "INFO").Text(), "flags=d", text)
}

// state returns everything that a failure must not change. Memory may be taken: an undone change
// leaves room in a value.
func (w *rollbackWorld) state() map[string]string {
	state := map[string]string{"functions": w.do(w.watcher, "FUNCTION", "LIST", "WITHCODE").String()}
	require.NoError(w.t, enginedoor.Of(w.rm.Engine).Store(w.t.Context(), func(s *datastore.Store) error {
		state["counters"] = fmt.Sprint(s.Dirty(), s.Expired(), s.ExpiredFields(), s.Evicted())
		state["digest"] = fmt.Sprint(s.Digest())
		for i := range s.Databases() {
			db := s.DB(i)
			state[fmt.Sprint("sizes of ", i)] = fmt.Sprint(db.Len(), db.Expires(), db.ExpiringHashes())
			for cursor, first := uint64(0), true; first || cursor != 0; first = false {
				cursor = db.Scan(cursor, func(e *datastore.Entry) {
					state[fmt.Sprintf("%d %q", i, e.Key())] = fmt.Sprintf("%d %s idle %d freq %d %q", e.ExpireAt(), e.Object().Encoding(),
						e.Idle(s.Now()), s.Freq(e), datastore.Dump(e.Object(), datastore.DumpOptions{}))
				})
			}
		}
		return s.Check()
	}), w.name)
	return state
}
