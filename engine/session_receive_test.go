package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// newSession opens a session that is closed with the test.
func newSession(t *testing.T, e *engine.Engine) *engine.Session {
	t.Helper()
	s, err := e.NewSession()
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func mustDo(t *testing.T, d interface {
	Do(context.Context, ...any) (engine.Value, error)
}, args ...any) engine.Value {
	t.Helper()
	v, err := d.Do(context.Background(), args...)
	require.NoError(t, err)
	return v
}

// nextMessage returns the next message without its Value.
func nextMessage(t *testing.T, s *engine.Session) engine.Message {
	t.Helper()
	m, ok := <-s.Messages()
	require.True(t, ok, "%v", s.Err())
	require.False(t, m.Value.IsNil())
	m.Value = engine.Value{}
	return m
}

func TestASessionReceivesWhatItHasSubscribedTo(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	require.NoError(t, s.Subscribe(ctx, "news", "other"))
	require.NoError(t, s.PSubscribe(ctx, "n*s"))
	require.NoError(t, s.SSubscribe(ctx, "shard"))
	require.EqualValues(t, 2, mustDo(t, e, "PUBLISH", "news", "one").MustInt())
	require.EqualValues(t, 1, mustDo(t, e, "SPUBLISH", "shard", "two").MustInt())
	require.EqualValues(t, 1, mustDo(t, s, "PUBLISH", "other", "of its own").MustInt())
	require.Equal(t, engine.Message{Kind: "message", Channel: "news", Payload: "one"}, nextMessage(t, s))
	require.Equal(t, engine.Message{Kind: "pmessage", Pattern: "n*s", Channel: "news", Payload: "one"}, nextMessage(t, s))
	require.Equal(t, engine.Message{Kind: "smessage", Channel: "shard", Payload: "two"}, nextMessage(t, s))
	require.Equal(t, engine.Message{Kind: "message", Channel: "other", Payload: "of its own"}, nextMessage(t, s))

	require.Equal(t, "PONG", mustDo(t, s, "PING").Text(), "all commands may be run")
	require.NoError(t, s.Unsubscribe(ctx, "news"))
	require.NoError(t, s.PUnsubscribe(ctx))
	require.NoError(t, s.SUnsubscribe(ctx))
	require.Zero(t, mustDo(t, e, "PUBLISH", "news", "x").MustInt())
	require.Zero(t, mustDo(t, e, "SPUBLISH", "shard", "x").MustInt())
	require.EqualValues(t, 1, mustDo(t, e, "PUBLISH", "other", "last").MustInt())
	require.Equal(t, "last", nextMessage(t, s).Payload)
	require.EqualError(t, s.Subscribe(ctx), "ERR wrong number of arguments for 'subscribe' command")
}

func TestSubscribingByCommandAnswersItsConfirmations(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	require.Equal(t, []string{"subscribe", "a", "1"}, mustDo(t, s, "SUBSCRIBE", "a").Strings())
	v := mustDo(t, s, "UNSUBSCRIBE", "a", "b")
	require.Equal(t, engine.KindPushed, v.Kind())
	require.Equal(t, []string{"unsubscribe", "a", "0"}, v.Slice()[0].Strings())
	require.Equal(t, []string{"unsubscribe", "b", "0"}, v.Slice()[1].Strings())
	require.Equal(t, engine.KindPush, mustDo(t, s, "SUBSCRIBE", "c").Kind())
	replies, err := s.Pipeline().Do("PUBLISH", "c", "m").Do("ECHO", "x").Exec(context.Background())
	require.NoError(t, err)
	require.Len(t, replies, 2)
	require.EqualValues(t, 1, replies[0].MustInt())
	require.Equal(t, "m", nextMessage(t, s).Payload)
}

func TestASessionReceivesKeyspaceEventsOfItsOwnCommands(t *testing.T) {
	e := newEngine(t, engine.Options{Config: map[string]string{"notify-keyspace-events": "KEA"}})
	s := newSession(t, e)
	require.NoError(t, s.PSubscribe(context.Background(), "__key*"))
	require.Equal(t, "OK", mustDo(t, s, "SET", "k", 1).Text())
	require.Equal(t, engine.Message{Kind: "pmessage", Pattern: "__key*", Channel: "__keyspace@0__:k", Payload: "set"}, nextMessage(t, s))
	require.Equal(t, "__keyevent@0__:set", nextMessage(t, s).Channel)
}

func TestASessionMayMonitor(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	require.Equal(t, "OK", mustDo(t, s, "MONITOR").Text())
	mustDo(t, e, "SET", "k", "v")
	mustDo(t, s, "ECHO", "me")
	m := nextMessage(t, s)
	require.Equal(t, "monitor", m.Kind)
	require.Regexp(t, `^\d+\.\d{6} \[0 \?:0\] "SET" "k" "v"$`, m.Payload)
	require.Regexp(t, ` "ECHO" "me"$`, nextMessage(t, s).Payload)
	_, err := e.Do(context.Background(), "MONITOR")
	require.EqualError(t, err, "ERR MONITOR keeps state between calls and needs a session of its own")
}

func TestASlowReceiverIsEndedAndNobodyWaitsForIt(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx := context.Background()
	e, err := engine.New(engine.Options{Config: map[string]string{"client-output-buffer-limit": "pubsub 1mb 0 0"}})
	require.NoError(t, err)
	defer e.Close()
	for _, reads := range []bool{false, true} { // a channel that was never requested, and one that is not read
		s, err := e.NewSession()
		require.NoError(t, err)
		require.NoError(t, s.Subscribe(ctx, "c"))
		if reads {
			s.Messages()
		}
		waits := begin(t, e, func() (engine.Value, error) { return s.Do(ctx, "BLPOP", "k", 0) })
		message := strings.Repeat("x", 1000)
		sent := 0
		for mustDo(t, e, "PUBLISH", "c", message).MustInt() == 1 {
			sent++
		}
		require.InDelta(t, 1<<20, sent*1000, 100_000)
		r := <-waits
		require.ErrorIs(t, r.err, engine.ErrSlowReceiver)
		_, err = s.Do(ctx, "PING")
		require.ErrorIs(t, err, engine.ErrSlowReceiver)
		require.ErrorIs(t, err, engine.ErrSessionClosed)
		for range s.Messages() {
			t.Log("a message that was on its way")
		}
		require.ErrorIs(t, s.Err(), engine.ErrSlowReceiver)
		require.NoError(t, s.Close())
		require.ErrorIs(t, s.Err(), engine.ErrSlowReceiver)
	}
	require.Zero(t, blocked(t, e))
	require.NotContains(t, mustDo(t, e, "CLIENT", "LIST").Text(), "sub=1")
}

func TestTheEndOfASessionEndsItsMessages(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	open := func() *engine.Session {
		s, err := e.NewSession()
		require.NoError(t, err)
		require.NoError(t, s.Subscribe(ctx, "c"))
		return s
	}
	closed, quit, killed, unread, last := open(), open(), open(), open(), open()
	for _, s := range []*engine.Session{closed, quit, killed, unread, last} {
		s.Messages()
	}
	require.EqualValues(t, 5, mustDo(t, e, "PUBLISH", "c", "m").MustInt())
	for _, s := range []*engine.Session{closed, quit, killed} {
		require.Equal(t, "m", nextMessage(t, s).Payload)
	}
	ended := func(s *engine.Session, why error) {
		t.Helper()
		for range s.Messages() {
			t.Log("a message that was on its way")
		}
		require.Equal(t, why, s.Err())
		_, err := s.Do(ctx, "PING")
		require.Equal(t, why, err)
		require.Equal(t, why, s.Subscribe(ctx, "c"))
	}
	require.NoError(t, closed.Err())
	require.NoError(t, closed.Close())
	ended(closed, engine.ErrSessionClosed)
	mustDo(t, quit, "QUIT")
	ended(quit, engine.ErrSessionClosed)
	mustDo(t, e, "ACL", "SETUSER", "ann", "on", "nopass", "allchannels", "allcommands")
	mustDo(t, killed, "AUTH", "ann", "x")
	mustDo(t, e, "ACL", "DELUSER", "ann")
	ended(killed, engine.ErrSessionKilled)
	require.NoError(t, unread.Close())
	require.EqualValues(t, 1, mustDo(t, e, "PUBLISH", "c", "m").MustInt())
	require.NoError(t, e.Close())
	ended(last, engine.ErrClosed)
	require.ErrorIs(t, last.Close(), engine.ErrClosed)
}

func TestASessionThatIsClosedTwiceStaysClosed(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err := s.Do(context.Background(), "BLPOP", "k", 0)
	require.Equal(t, engine.ErrSessionClosed, err)
	_, err = s.Pipeline().Do("WATCH", "k").Exec(context.Background())
	require.ErrorIs(t, err, engine.ErrSessionClosed)
	require.Zero(t, blocked(t, e))
}

func TestTheSoftLimitOfAReceiverIsTheClocks(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock, Config: map[string]string{"client-output-buffer-limit": "pubsub 0 1kb 10"}})
	s := newSession(t, e)
	require.NoError(t, s.Subscribe(context.Background(), "c"))
	mustDo(t, e, "PUBLISH", "c", strings.Repeat("x", 2000))
	clock.Advance(10 * time.Second)
	require.EqualValues(t, 1, mustDo(t, e, "PUBLISH", "c", "m").MustInt())
	require.NoError(t, s.Err())
	clock.Advance(time.Second)
	require.ErrorIs(t, s.Err(), engine.ErrSlowReceiver)
	require.Zero(t, mustDo(t, e, "PUBLISH", "c", "m").MustInt())
}

func TestReceiversGetEveryMessageInOrder(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const receivers, publishers, each = 8, 4, 500
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	var got, sent sync.WaitGroup
	for range receivers {
		s, err := e.NewSession()
		require.NoError(t, err)
		require.NoError(t, s.PSubscribe(ctx, "c*"))
		got.Go(func() {
			defer s.Close()
			next := map[string]int{}
			for n := 0; n < publishers*each; n++ {
				m := <-s.Messages()
				if m.Payload != fmt.Sprint(next[m.Channel]) {
					t.Errorf("%s: got %q, not %d", m.Channel, m.Payload, next[m.Channel])
					return
				}
				next[m.Channel]++
			}
		})
	}
	for p := range publishers {
		sent.Go(func() {
			for i := range each {
				v, err := e.Do(ctx, "PUBLISH", fmt.Sprint("c", p), i)
				if err != nil || v.MustInt() == 0 && i < each-1 {
					t.Errorf("PUBLISH: %v %v", v, err)
				}
			}
		})
	}
	sent.Wait()
	got.Wait()
	require.NoError(t, e.Close())
}

func TestASessionReceivesStaleKeys(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	mustDo(t, s, "CLIENT", "TRACKING", "ON")
	mustDo(t, s, "MGET", "a", "b")
	mustDo(t, e, "MSET", "a", 1, "other", 1)
	require.Equal(t, engine.Message{Kind: "invalidate", Keys: []string{"a"}}, nextMessage(t, s))
	mustDo(t, s, "SET", "b", 1)
	require.Equal(t, []string{"b"}, nextMessage(t, s).Keys, "also by its own commands")
	mustDo(t, e, "FLUSHALL")
	require.Equal(t, engine.Message{Kind: "invalidate"}, nextMessage(t, s))

	mustDo(t, s, "CLIENT", "TRACKING", "OFF")
	mustDo(t, s, "CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "k")
	_, err := e.Pipeline().Do("SET", "k2", 1).Do("SET", "x", 1).Do("SET", "k1", 1).Exec(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"k1", "k2"}, nextMessage(t, s).Keys)
	_, err = e.Do(context.Background(), "CLIENT", "TRACKING", "ON")
	require.ErrorContains(t, err, "needs a session of its own")
}

func TestASessionReceivesTheKeysToInvalidate(t *testing.T) {
	e := newEngine(t, engine.Options{})
	s := newSession(t, e)
	mustDo(t, s, "HELLO", 3)
	require.Equal(t, "OK", mustDo(t, s, "CLIENT", "TRACKING", "ON").Text())
	mustDo(t, s, "MGET", "a", "b")
	mustDo(t, e, "SET", "b", 1)
	require.Equal(t, engine.Message{Kind: "invalidate", Keys: []string{"b"}}, nextMessage(t, s))
	mustDo(t, e, "FLUSHALL")
	require.Equal(t, engine.Message{Kind: "invalidate"}, nextMessage(t, s))
	require.Equal(t, "PONG", mustDo(t, s, "PING").Text())
}
