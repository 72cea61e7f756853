package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// block sends a command that waits; the reply goes to got later. It returns nil if the command does
// not wait.
func (c *client) block(line string) *server.BlockedClient {
	v := c.run(c.Session, line)
	w := c.TakeBlocked()
	if w == nil {
		c.got = append(c.got, shown(v))
		return nil
	}
	w.Done = func(v reply.Value) { c.got = append(c.got, shown(v)) }
	return w
}

// Each case is what clients a, b and c send, in order; a wait ends when another command has ended.
// Behind it is what each has got, as from redis-server 7.0.15.
func TestWhoWaitsLongestIsServedFirst(t *testing.T) {
	for _, c := range []struct{ script, a, b string }{
		{"a blpop k 0;b blpop k 0;c rpush k 1", "[k 1]", ""},
		{"a blpop k 0;b blpop k 0;c rpush k 1 2", "[k 1]", "[k 2]"},
		{"a blpop k 0;b brpop k 0;c rpush k 1 2 3", "[k 1]", "[k 3]"},
		{"a blpop j k 0;b blpop k 0;c rpush k 1;c rpush j 2", "[k 1]", ""},
		{"a blpop j k 0;b blpop k 0;c multi;c rpush k 1;c rpush j 2;c exec", "[k 1]", ""},
		{"a blpop j k 0;b blpop k 0;c multi;c rpush j 2;c rpush k 1;c exec", "[j 2]", "[k 1]"},
		{"a blpop k 0;c multi;c rpush k 1;c del k;c exec", "", ""},
		{"a blpop k 0;b bzpopmin k 0;c zadd k 1 m", "", "[k m 1]"},
		{"a blpop k 0;b blpop k 0;c client unblock 1;c rpush k 1", "(nil)", "[k 1]"},
		{"a blpop k 0;c client unblock 1 error", "UNBLOCKED client unblocked via CLIENT UNBLOCK", ""},
		{"a blmove k j left right 0;b blpop j 0;c rpush k 1", "1", "[j 1]"},
		{"a blpop k k 0;b blpop k 0;c rpush k 1", "[k 1]", ""},
		{"a blpop k 0;c select 1;c rpush k 1", "", ""},
		{"a blpop k 0;c select 1;c rpush k 1;c swapdb 0 1", "[k 1]", ""},
		{"a blpop k 0;c rpush j 1;c rename j k", "[k 1]", ""},
		{"c rpush k 1;a blpop k 0", "[k 1]", ""},
		{"c set k 1;a blpop k 0", "WRONGTYPE Operation against a key holding the wrong kind of value", ""},
		{"a blpop k 0;c set k 1;c del k;c rpush k 2", "[k 2]", ""},
		{"a blpop k 0;c rpush k 1;a blpop k 0;b blpop k 0;c rpush k 2", "[k 1] [k 2]", ""},
	} {
		r := newRig()
		clients := map[string]*client{}
		for _, name := range []string{"a", "b", "c"} {
			clients[name] = r.connect()
		}
		for step := range strings.SplitSeq(c.script, ";") {
			name, line, _ := strings.Cut(step, " ")
			clients[name].block(line)
			r.ServeReady()
		}
		require.Equal(t, c.a, strings.Join(clients["a"].got, " "), c.script)
		require.Equal(t, c.b, strings.Join(clients["b"].got, " "), c.script)
	}
}

func TestAWaitHasADeadlineAndEndsOnce(t *testing.T) {
	r := newRig()
	a, b := r.connect(), r.connect()
	w := a.block("blpop k 1.5")
	require.Equal(t, r.Store.Now()+1500, w.Deadline)
	r.TimeOut(w)
	require.Equal(t, []string{"(nil)"}, a.got)
	r.TimeOut(w)
	b.do("rpush k 1")
	r.ServeReady()
	require.Equal(t, []string{"(nil)"}, a.got)
	require.Equal(t, "1", b.do("llen k"))
	require.Zero(t, a.block("blpop j 0").Deadline)
	r.CloseSession(a.Session)
	b.do("rpush j 1")
	r.ServeReady()
	require.Equal(t, "1", b.do("llen j"), "who has gone takes nothing")
	require.Empty(t, r.Queues)
	require.Nil(t, b.block("blpop j 0"))
}

func TestMessagesGoToWhoHasSubscribed(t *testing.T) {
	r := newRig()
	a, b := r.connect(), r.connect()
	require.Equal(t, "[subscribe c 1]", a.do("subscribe c"))
	require.Equal(t, "[psubscribe c* 2]", a.do("psubscribe c*"))
	require.Equal(t, "[subscribe c 2]", a.do("subscribe c"), "nothing changes the second time")
	require.Equal(t, "[ssubscribe c 1]", a.do("ssubscribe c"), "shard channels are counted for themselves")
	b.do("psubscribe *d")
	c := r.connect()
	for line, want := range map[string]string{"publish c 1": "2", "publish cd 2": "2", "publish x 3": "0", "spublish c 4": "1"} {
		a.got, b.got = nil, nil
		require.Equal(t, want, c.do(line), line)
		require.Equal(t, want, fmt.Sprint(len(a.got)+len(b.got)), line)
	}
	a.got = nil
	c.do("publish c m")
	require.Equal(t, []string{"[message c m]", "[pmessage c* c m]"}, a.got)
	require.Equal(t, "[c]", c.do("pubsub channels"))
	require.Equal(t, "2", c.do("pubsub numpat"))
	require.Equal(t, "[c 1 d 0]", c.do("pubsub numsub c d"))
	r.CloseSession(a.Session)
	require.Equal(t, "[]", c.do("pubsub channels"))
	require.Equal(t, "0", c.do("publish c m"))
}

func TestAPauseHoldsCommandsInTheirOrder(t *testing.T) {
	r := newRig()
	a, b, c := r.connect(), r.connect(), r.connect()
	require.Equal(t, "OK", c.do("client pause 1000 write"))
	require.Nil(t, a.block("get k"))
	wa := a.block("set k 1")
	wb := b.block("append k 2")
	require.True(t, wa.Postponed() && wb.Postponed())
	require.Equal(t, r.Store.Now()+1000, wa.Deadline)
	var order []string
	wa.Done = func(reply.Value) { order = append(order, "a") }
	wb.Done = func(reply.Value) { order = append(order, "b") }
	require.True(t, r.Paused())
	require.Equal(t, "OK", c.do("client unpause"))
	require.Equal(t, []string{"a", "b"}, order)
	require.Equal(t, "OK", shown(r.Resume(wa)))
	require.Equal(t, "2", shown(r.Resume(wb)))
	require.False(t, r.Paused())

	require.Equal(t, "OK", c.do("client pause 1000 all"))
	require.Equal(t, "OK", shown(r.run(r.program, "client pause 10 write")), "a weaker pause changes nothing")
	require.NotNil(t, a.block("get k"))
	r.ResumePostponed()
	require.True(t, r.Paused())
	r.Store.SetNow(r.Store.NowMicros() + 1_000_000)
	r.ResumePostponed()
	require.False(t, r.Paused())
	require.Nil(t, b.block("get k"))
}

func TestOutputBeyondTheLimitEndsAClient(t *testing.T) {
	for limit, want := range map[string]string{
		"pubsub 100 0 0": "99 100!", "pubsub 0 50 2": "99 100 +2s +1s!", "pubsub 0 0 0": "99 100 +2s +1s", "normal 10 0 0": "99 100 +2s +1s",
	} {
		r := newRig()
		r.Execute(r.program, 0, []string{"CONFIG", "SET", "client-output-buffer-limit", limit})
		slow, other, waiting := r.connect(), r.connect(), int64(99)
		slow.do("subscribe c")
		slow.Session.Receive = func(reply.Value, int, int64) int64 { return waiting }
		var got []string
		for _, step := range []struct {
			name    string
			waiting int64
			micros  int64
		}{{"99", 99, 0}, {"100", 100, 0}, {"+2s", 100, 2_000_000}, {"+1s", 100, 1_000_000}} {
			waiting = step.waiting
			r.Store.SetNow(r.Store.NowMicros() + step.micros)
			other.do("publish c m")
			r.EndRequest(other.Session)
			got = append(got, step.name)
			if slow.ended {
				got[len(got)-1] += "!"
				break
			}
		}
		require.Equal(t, want, strings.Join(got, " "), limit)
	}
}

func TestReadKeysAreInvalidatedOnce(t *testing.T) {
	r := newRig()
	reader, writer := r.connect(), r.connect()
	reader.do("hello 3")
	require.Equal(t, "OK", reader.do("client tracking on"))
	reader.do("get a")
	reader.do("mget a b")
	writer.do("set c 1")
	writer.do("set a 1")
	writer.do("set a 2")
	require.Equal(t, []string{"[invalidate [a]]"}, reader.got)
	writer.do("del b")
	require.Len(t, reader.got, 1, "nothing was removed")
	writer.do("flushall")
	require.Equal(t, "[invalidate (nil)]", reader.got[1])
}

func TestFollowersOfAPrefixHearOfEveryChange(t *testing.T) {
	r := newRig()
	follower, writer := r.connect(), r.connect()
	follower.do("hello 3")
	require.Equal(t, "OK", follower.do("client tracking on bcast prefix a: prefix b: noloop"))
	for _, line := range []string{"set a:1 x", "set a:1 y", "set c:1 x", "set a x", "set b:1 x"} {
		writer.do(line)
	}
	follower.do("set a:2 x") // its own
	require.True(t, r.HasInvalidations())
	r.Broadcast()
	require.Equal(t, []string{"[invalidate [a:1]]", "[invalidate [b:1]]"}, follower.got)
	require.False(t, r.HasInvalidations())
	require.Equal(t, "ERR Prefix 'a:b' overlaps with an existing prefix 'a:'. Prefixes for a single client must not overlap.",
		follower.do("client tracking on bcast prefix a:b"))
	require.Equal(t, "ERR PREFIX option requires BCAST mode to be enabled", writer.do("client tracking on prefix a"))
}
