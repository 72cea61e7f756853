package redmoontest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// claimInGo looks at the stock, then takes one: two clients can see the same last coupon.
func claimInGo(c *redmoontest.StepClient) {
	if c.MustDo("GET", "stock").MustInt() > 0 {
		c.MustDo("DECR", "stock")
		c.MustDo("HSET", "claims", c.Name(), 1)
	}
}

var claimScript = engine.NewScript(`
if tonumber(redis.call('GET', KEYS[1])) <= 0 then
  return 0
end
redis.call('DECR', KEYS[1])
redis.call('HSET', KEYS[2], ARGV[1], 1)
return 1`)

func claimByScript(c *redmoontest.StepClient) {
	c.MustRun(claimScript, []string{"stock", "claims"}, c.Name())
}

func oneCoupon() redmoontest.Play {
	return redmoontest.Play{
		Setup: func(e *redmoontest.Engine) { e.MustDo("SET", "stock", 1) },
		Check: func(s *redmoontest.State) error {
			if claims := len(s.Hash("claims")); claims > 1 {
				return fmt.Errorf("%d claims of one coupon", claims)
			}
			return nil
		},
	}
}

func TestExploreFindsCheckThenAct(t *testing.T) {
	f := &failing{TB: t}
	r := redmoontest.Explore(f, oneCoupon(),
		redmoontest.Client{Name: "ann", Run: claimInGo}, redmoontest.Client{Name: "bob", Run: claimInGo}, redmoontest.Client{Run: claimInGo})
	require.NotNil(t, r.Violation)
	require.ErrorContains(t, r.Violation.Err, "2 claims of one coupon")
	require.Len(t, f.messages, 1)
	message := f.messages[0]
	require.Contains(t, message, "GET stock -> \"1\"")
	require.NotContains(t, message, "client 3", "the third client is not needed")
	require.Contains(t, message, `Play{Order: "1 2 2 2 1 1"}`)
	require.Contains(t, message, `REDMOON_ORDER="1 2 2 2 1 1" go test -run '^TestExploreFindsCheckThenAct$'`)

	p := oneCoupon()
	p.Order = r.Violation.Order
	again := redmoontest.Explore(f, p, redmoontest.Client{Name: "ann", Run: claimInGo}, redmoontest.Client{Name: "bob", Run: claimInGo})
	require.Equal(t, r.Violation, again.Violation)
	t.Setenv("REDMOON_ORDER", "1 1 1 2")
	r = redmoontest.Explore(t, oneCoupon(), redmoontest.Client{Name: "ann", Run: claimInGo}, redmoontest.Client{Name: "bob", Run: claimInGo})
	require.Equal(t, 1, r.Orders)
}

func TestExploreScript(t *testing.T) {
	r := redmoontest.Explore(t, oneCoupon(),
		redmoontest.Client{Name: "ann", Run: claimByScript}, redmoontest.Client{Name: "bob", Run: claimByScript},
		redmoontest.Client{Name: "cid", Run: claimByScript})
	require.True(t, r.Complete)
	require.Equal(t, 3, r.Orders)
}

// failing records what a test that must fail reports.
type failing struct {
	testing.TB
	messages []string
	fatal    bool
}

func (f *failing) Errorf(format string, args ...any) {
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	f.fatal = true
	panic(f)
}

// fatal returns the message with which f ends the test.
func fatal(t *testing.T, f func(tb testing.TB)) (message string) {
	t.Helper()
	tb := &failing{TB: t}
	defer func() {
		require.Equal(t, any(tb), recover())
		message = tb.messages[len(tb.messages)-1]
	}()
	f(tb)
	return ""
}

func TestExploreEndsTheTest(t *testing.T) {
	check := func(f func(s *redmoontest.State)) redmoontest.Play {
		return redmoontest.Play{Check: func(s *redmoontest.State) error { f(s); return nil }}
	}
	for name, c := range map[string]struct {
		play redmoontest.Play
		text string
	}{
		"Setup fails": {redmoontest.Play{Setup: func(e *redmoontest.Engine) { e.MustDo("NOSUCH") }},
			"Setup: redmoontest: ERR unknown command"},
		"Setup panics": {redmoontest.Play{Setup: func(*redmoontest.Engine) { panic("oops") }}, "Setup: panic: oops"},
		"bad options":  {redmoontest.Play{Options: []redmoontest.Option{redmoontest.WithConfig("nosuch", "1")}}, "nosuch"},
		"Check writes": {check(func(s *redmoontest.State) { _, _ = s.Do(context.Background(), "SET", "a", 1) }),
			"an invariant must not write, but it has called SET a 1"},
		"Check ticks":   {check(func(s *redmoontest.State) { s.Advance(1) }), "an invariant has moved the clock"},
		"a wrong order": {redmoontest.Play{Order: "4"}, `"4" is not a client`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, fatal(t, func(tb testing.TB) {
				redmoontest.Explore(tb, c.play, redmoontest.Client{Run: func(c *redmoontest.StepClient) { c.MustDo("PING") }})
			}), c.text)
		})
	}
}

// What clients and invariants report to testify becomes the violation of their order.
func TestExploreReportsFailures(t *testing.T) {
	ok := func(c *redmoontest.StepClient) { c.MustDo("SET", "a", 1) }
	for name, c := range map[string]struct {
		check func(s *redmoontest.State)
		run   func(c *redmoontest.StepClient)
		text  string
	}{
		"require":        {run: func(c *redmoontest.StepClient) { require.Equal(c, "1", c.MustDo("GET", "a").Text()) }, text: "Not equal"},
		"Must":           {run: func(c *redmoontest.StepClient) { c.MustDo("LPUSH", "a", 1) }, text: "bad: WRONGTYPE"},
		"panic":          {run: func(c *redmoontest.StepClient) { panic("oops") }, text: "bad panicked: oops"},
		"a missing key":  {check: func(s *redmoontest.State) { s.Get("b") }, text: "there is no such key"},
		"a wrong name":   {check: func(s *redmoontest.State) { s.Ended("cid") }, text: `there is no client "cid"`},
		"waits for ever": {run: func(c *redmoontest.StepClient) { c.MustDo("BLPOP", "q", 0) }, text: "waits for ever: bad in BLPOP q 0"},
		"Check panics":   {check: func(*redmoontest.State) { panic("check") }, text: "panic: check"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.run == nil {
				c.run = ok
			}
			p := redmoontest.Play{}
			if c.check != nil {
				p.Check = func(s *redmoontest.State) error { c.check(s); return nil }
			}
			f := &failing{TB: t}
			r := redmoontest.Explore(f, p, redmoontest.Client{Name: "ann", Run: ok}, redmoontest.Client{Name: "bad", Run: c.run})
			require.NotNil(t, r.Violation)
			require.ErrorContains(t, r.Violation.Err, c.text)
			require.Len(t, f.messages, 1)
		})
	}
}

func TestExploreState(t *testing.T) {
	seen := map[string]bool{}
	r := redmoontest.Explore(t, redmoontest.Play{
		Ticks: []time.Duration{2 * time.Second},
		Check: func(s *redmoontest.State) error {
			seen[fmt.Sprint(s.Crashed("ann"), s.Ended("ann"), s.Ended("worker"), s.Note("ann", "step"), s.Notes("step"), s.Keyspace().Keys())] = true
			return nil
		},
	},
		redmoontest.Client{Name: "ann", Crashes: true, Run: func(c *redmoontest.StepClient) {
			c.MustDo("SET", "a", 1, "EX", 1)
			c.Note("step", 1)
		}},
		redmoontest.Client{Name: "worker", Waits: true, Run: func(c *redmoontest.StepClient) { c.MustDo("BLPOP", "q", 0) }})
	require.True(t, r.Complete)
	require.Equal(t, map[string]bool{
		"false true false 1 [1] []":    true, // the key has expired
		"false true false 1 [1] [a]":   true,
		"true false false <nil> [] []": true, // a crash before the first step
	}, seen)
}

func TestExploreSleep(t *testing.T) {
	r := redmoontest.Explore(t, redmoontest.Play{Check: func(s *redmoontest.State) error {
		if got := s.Note("slow", "at"); got != redmoontest.Start+90 {
			return fmt.Errorf("%v", got)
		}
		return nil
	}},
		redmoontest.Client{Name: "slow", Run: func(c *redmoontest.StepClient) {
			c.Sleep(time.Minute)
			c.Sleep(30 * time.Second)
			c.Note("at", int(c.Now().Unix()))
		}},
		redmoontest.Client{Name: "late", Run: func(c *redmoontest.StepClient) {
			v, err := c.Do(context.Background(), "BLPOP", "q", 5)
			require.NoError(c, err)
			require.True(c, v.IsNil())
		}})
	require.True(t, r.Complete)
}

// Faults make a play depend on more than the keys: their count.
func TestExploreWithFaults(t *testing.T) {
	failed := map[string]bool{}
	r := redmoontest.Explore(t, redmoontest.Play{
		Setup: func(e *redmoontest.Engine) { e.FailNext("SET", "OOM no room") },
		Check: func(s *redmoontest.State) error { failed[strings.Join(s.Keyspace().Keys(), " ")] = true; return nil },
	},
		redmoontest.Client{Run: func(c *redmoontest.StepClient) { _, _ = c.Do(context.Background(), "SET", "a", 1) }},
		redmoontest.Client{Run: func(c *redmoontest.StepClient) { _, _ = c.Do(context.Background(), "SET", "b", 1) }})
	require.Equal(t, map[string]bool{"a": true, "b": true}, failed)
	require.Equal(t, 2, r.Orders)
}

// Setup may use whatever an engine offers, also a restart.
func TestExploreAfterRestart(t *testing.T) {
	r := redmoontest.Explore(t, redmoontest.Play{
		Setup:  func(e *redmoontest.Engine) { e.MustDo("SET", "a", 1); e.Restart() },
		Always: func(s *redmoontest.State) error { require.Equal(t, "1", s.Get("a")); return nil },
	}, redmoontest.Client{Run: func(c *redmoontest.StepClient) { require.Equal(c, "1", c.MustDo("GET", "a").Text()) }})
	require.True(t, r.Complete)
	require.Equal(t, 1, r.Orders)
}

// A play that is too large is reported as such. It does not fail.
func TestExploreStopsAtTheLimit(t *testing.T) {
	l := &logged{TB: t}
	p := redmoontest.Play{MaxOrders: 10}
	incr := func(c *redmoontest.StepClient) {
		for range 5 {
			c.MustDo("INCR", "n")
		}
	}
	r := redmoontest.Explore(l, p, redmoontest.Client{Run: incr}, redmoontest.Client{Run: incr})
	require.False(t, r.Complete)
	require.Equal(t, 10, r.Orders)
	require.Equal(t, "redmoontest: Explore is not complete: the limit of 10 orders was reached; others may break it "+
		"(Play.MaxOrders, MaxPreemptions and MaxSteps are the limits)", l.text)

	p.MaxPreemptions = 1
	r = redmoontest.Explore(l, p, redmoontest.Client{Run: incr}, redmoontest.Client{Run: incr})
	require.Contains(t, r.Why, "only orders with at most 1 preemptions were run")
}

// logged keeps what a test logs.
type logged struct {
	testing.TB
	text string
}

func (l *logged) Logf(format string, args ...any) { l.text = fmt.Sprintf(format, args...) }

func TestExploreStopsBeforeTheDeadline(t *testing.T) {
	r := redmoontest.Explore(overdue{t}, redmoontest.Play{}, redmoontest.Client{Run: func(c *redmoontest.StepClient) { c.MustDo("PING") }})
	require.False(t, r.Complete)
	require.Equal(t, "the time was up", r.Why)
}

// overdue is a test whose deadline has passed.
type overdue struct{ testing.TB }

func (overdue) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }
