package play_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

var start = time.Unix(1704067200, 0)

// world makes the engines of a play.
type world struct {
	play.Config
	setup  [][]string
	engine *engine.Engine // of the running order
	clock  *engine.VirtualClock
	opened int
}

func newWorld(setup ...[]string) *world {
	w := &world{setup: setup}
	w.Open = func(p *engine.Probe) (play.Host, error) {
		w.opened++
		clock := engine.NewVirtualClock(start)
		e, err := engine.New(engine.Options{Clock: clock, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			return play.Host{}, err
		}
		w.engine, w.clock = e, clock
		return play.Host{Engine: e, Clock: clock, Close: e.Close}, e.SetProbe(ctx, p)
	}
	w.Setup = func() error {
		for _, args := range w.setup {
			if _, err := w.engine.DoStrings(ctx, args...); err != nil {
				return err
			}
		}
		return nil
	}
	return w
}

func (w *world) client(name string, run func(c *play.Client)) *world {
	w.Clients = append(w.Clients, play.Actor{Name: name, Run: run})
	return w
}

func (w *world) get(key string) string {
	text := ""
	_ = w.engine.View(ctx, func(ks engine.Keyspace) error {
		if k, ok := ks.Key(0, key); ok {
			text = k.Value().Text()
		}
		return nil
	})
	return text
}

// do runs a command of a client.
func do(c *play.Client, args ...string) engine.Value {
	v, _ := c.DoStrings(ctx, args...)
	return v
}

// commands is a client that runs commands.
func commands(list ...[]string) func(*play.Client) {
	return func(c *play.Client) {
		for _, args := range list {
			do(c, args...)
		}
	}
}

// clientOf is a client that runs the commands of a text and notes their replies. They are cut at
// semicolons, and at spaces; _ stands for a space within an argument.
func clientOf(text string) func(*play.Client) {
	return func(c *play.Client) {
		for _, line := range strings.Split(text, ";") {
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			args[0] = strings.ReplaceAll(args[0], " ", "_")
			noteReply(c, args)
		}
	}
}

// noteReply runs a command and notes its reply.
func noteReply(c *play.Client, args []string) {
	v := do(c, args...)
	if slices.Contains([]string{"KEYS", "HGETALL", "SCAN"}, args[0]) && !v.IsError() { // they have no order
		if args[0] == "SCAN" {
			v = v.Slice()[1]
		}
		words := v.Strings()
		slices.Sort(words)
		c.Note("reply", fmt.Sprint(words))
		return
	}
	c.Note("reply", v.String())
}

// withEnds makes ends receive the ends of the orders: keyspaces and notes.
func withEnds(w *world, ends map[string]bool) *world {
	w.Check = func(s *play.State) error {
		var found []string
		_ = w.engine.View(ctx, func(ks engine.Keyspace) error {
			for db := range 2 {
				for k := range ks.Keys(db) {
					found = append(found, fmt.Sprint(db, " ", k.Name(), " ", k.ExpireAt().UnixMilli(), " ", sorted(k)))
				}
			}
			return nil
		})
		slices.Sort(found)
		for i := range w.Clients {
			found = append(found, fmt.Sprint(s.Crashed(i), s.Ended(i), s.ClientNotes(i)))
		}
		ends[strings.Join(found, "\n")] = true
		return nil
	}
	return w
}

func sorted(k engine.Key) string {
	words := []string{}
	for _, v := range k.Value().Slice() {
		words = append(words, v.String())
	}
	if k.Type() == "set" || k.Type() == "hash" {
		slices.Sort(words)
	}
	return fmt.Sprint(k.Type(), k.Value().Text(), words)
}

func command(args ...string) []string { return args }

func explore(t *testing.T, w *world) play.Report {
	t.Helper()
	r, err := play.Explore(w.Config)
	require.NoError(t, err)
	return r
}

// claim is the bug: it looks at the stock, then takes one.
func claim(c *play.Client) {
	if stock, _ := do(c, "GET", "stock").Int(); stock > 0 {
		do(c, "DECR", "stock")
		do(c, "HSET", "claims", "user", "1")
	}
}

func noNegativeStock(w *world) func(*play.State) error {
	return func(*play.State) error {
		if stock := w.get("stock"); stock < "0" {
			return fmt.Errorf("the stock is %s", stock)
		}
		return nil
	}
}

func TestCheckThenAct(t *testing.T) {
	w := newWorld(command("SET", "stock", "1")).client("ann", claim).client("bob", claim)
	w.Check = noNegativeStock(w)
	r := explore(t, w)
	require.False(t, r.Complete)
	require.NotNil(t, r.Violation)
	require.Equal(t, "1 2 2 2 1 1", r.Violation.Order)
	require.Equal(t, `check: the stock is -1

step  ann                      bob
   1  GET stock -> "1"
   2                           GET stock -> "1"
   3                           DECR stock -> 0
   4                           HSET claims user 1 -> 1
   5  DECR stock -> -1
   6  HSET claims user 1 -> 0

the keyspace before step 6:
  "claims" = hash ["user": "1"]
  "stock" = "-1"
step 6 changes nothing
`, r.Violation.String())

	w.Always = w.Check
	r = explore(t, w)
	require.Equal(t, "1 2 2 2 1", r.Violation.Order, "the order ends at the step that breaks it")

	w.Order = "1 2 2 2 1"
	one := explore(t, w)
	require.Equal(t, r.Violation.String(), one.Violation.String())
	w.Order = "1 1 1 2"
	one = explore(t, w)
	require.Nil(t, one.Violation)
}

const claimScript = `if tonumber(redis.call('GET', KEYS[1])) > 0 then
  redis.call('DECR', KEYS[1])
  redis.call('HSET', KEYS[2], ARGV[1], 1)
end`

func TestScriptsAreAtomic(t *testing.T) {
	script := engine.NewScript(claimScript)
	run := func(c *play.Client) { _, _ = c.RunScript(ctx, script, []string{"stock", "claims"}, []string{"user"}) }
	w := newWorld(command("SET", "stock", "1")).client("ann", run).client("bob", run).client("cid", run)
	w.Check = noNegativeStock(w)
	r := explore(t, w)
	require.Nil(t, r.Violation)
	require.True(t, r.Complete)
	require.Equal(t, 3, r.Orders, "one for each client that may come first: the others only read")
}

func TestTransactions(t *testing.T) {
	optimistic := func(c *play.Client) {
		for range 3 {
			do(c, "WATCH", "stock")
			stock, _ := do(c, "GET", "stock").Int()
			if stock <= 0 {
				do(c, "UNWATCH")
				return
			}
			do(c, "MULTI")
			do(c, "DECR", "stock")
			do(c, "HSET", "claims", "user", "1")
			if !do(c, "EXEC").IsNil() {
				return
			}
		}
		c.Fail(errors.New("no luck in three attempts"))
	}
	w := newWorld(command("SET", "stock", "1")).client("ann", optimistic).client("bob", optimistic)
	w.Always = noNegativeStock(w)
	r := explore(t, w)
	require.Nil(t, r.Violation)
	require.True(t, r.Complete)

	w.Clients[0].Run = func(c *play.Client) {
		do(c, "SET", "stock", "7")
		do(c, "SET", "stock", "8")
		do(c, "SET", "stock", "9")
	}
	r = explore(t, w)
	require.NotNil(t, r.Violation, "three changes of the watched key let three attempts fail")
	require.ErrorContains(t, r.Violation.Err, "no luck")
	require.Contains(t, r.Violation.Table, "EXEC -> (nil)")
}

// Steps that commute are not put into more than one order.
func TestIndependentClientsHaveOneOrder(t *testing.T) {
	own := func(key string) func(*play.Client) {
		return commands(command("SET", key, "1"), command("GET", "shared"), command("INCR", key))
	}
	w := newWorld(command("SET", "shared", "x")).client("ann", own("a")).client("bob", own("b")).client("cid", own("c"))
	r := explore(t, w)
	require.True(t, r.Complete)
	require.Equal(t, 1, r.Orders)
	w.Unreduced = true
	r = explore(t, w)
	require.True(t, r.Complete)
	require.Equal(t, 1680, r.Orders)
}

func TestBlockedClients(t *testing.T) {
	w := newWorld()
	w.client("worker", func(c *play.Client) { c.Note("job", do(c, "BLPOP", "jobs", "0").String()) })
	w.client("boss", commands(command("RPUSH", "jobs", "x"), command("SET", "done", "1")))
	var jobs []any
	w.Check = func(s *play.State) error {
		jobs = append(jobs, s.Notes("job")...)
		return nil
	}
	r := explore(t, w)
	require.True(t, r.Complete)
	require.Equal(t, 2, r.Orders, "the worker comes before the job or after it")
	for _, job := range jobs {
		require.Equal(t, "1) \"jobs\"\n2) \"x\"", job)
	}

	w.Clients[1].Run = commands(command("RPUSH", "other", "x"))
	r = explore(t, w)
	require.NotNil(t, r.Violation)
	require.ErrorContains(t, r.Violation.Err, "waits for ever: worker in BLPOP jobs 0 waits")

	w.Clients[0].Waits = true
	require.Nil(t, explore(t, w).Violation)
}

// When all clients wait, the clock goes on to the first that waits for a limited time.
func TestTimeOutsAndSleep(t *testing.T) {
	w := newWorld()
	w.client("worker", func(c *play.Client) { c.Note("job", do(c, "BLPOP", "jobs", "5").IsNil()) })
	w.client("sleeper", func(c *play.Client) {
		_ = c.Sleep(3 * time.Second)
		c.Note("slept until", c.Clock().Now().Sub(start))
	})
	w.Check = func(s *play.State) error {
		late, _ := s.Note(0, "job")
		until, _ := s.Note(1, "slept until")
		if late != true || until != 3*time.Second {
			return fmt.Errorf("%v, %v", late, until)
		}
		return nil
	}
	r := explore(t, w)
	require.Nil(t, r.Violation)
	require.True(t, r.Complete)
}

func TestTicksRaceWithExpiry(t *testing.T) {
	w := newWorld(command("SET", "lease", "ann", "PX", "1000"))
	w.Ticks = []time.Duration{1001 * time.Millisecond}
	w.client("ann", func(c *play.Client) {
		if do(c, "GET", "lease").Text() == "ann" {
			do(c, "SET", "written", "by a holder")
			c.Note("written", c.Clock().Now().Sub(start))
		}
	})
	w.Check = func(s *play.State) error {
		if at, ok := s.Note(0, "written"); ok && at.(time.Duration) > time.Second {
			return errors.New("written without the lease")
		}
		return nil
	}
	r := explore(t, w)
	require.NotNil(t, r.Violation)
	require.Equal(t, "1 clock 1", r.Violation.Order)
	require.Contains(t, r.Violation.Table, "+1.001s")
}

func TestCrashes(t *testing.T) {
	w := newWorld().client("ann", func(c *play.Client) {
		if !do(c, "SET", "lock", "ann", "NX").IsNil() {
			do(c, "SET", "x", "1")
			do(c, "DEL", "lock")
		}
	})
	w.Check = func(*play.State) error {
		if w.get("lock") != "" {
			return errors.New("the lock stays")
		}
		return nil
	}
	require.Nil(t, explore(t, w).Violation)
	w.Clients[0].Crashes = true
	r := explore(t, w)
	require.NotNil(t, r.Violation)
	require.Equal(t, "1 1!", r.Violation.Order)
	w.Order = r.Violation.Order
	require.Equal(t, r.Violation.String(), explore(t, w).Violation.String())
}

// A client crashes while it waits: what comes later is not for it.
func TestCrashWhileBlocked(t *testing.T) {
	w := newWorld().client("worker", commands(command("BLPOP", "jobs", "0"))).client("boss", commands(command("RPUSH", "jobs", "x")))
	w.Clients[0].Crashes = true
	left := map[bool]int{}
	w.Check = func(s *play.State) error {
		exists, _ := w.engine.DoStrings(ctx, "EXISTS", "jobs")
		left[exists.MustInt() == 1]++
		return nil
	}
	r := explore(t, w)
	require.Nil(t, r.Violation)
	require.True(t, r.Complete)
	require.Positive(t, left[true])
	require.Positive(t, left[false])
}

func TestClientsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(*play.Client)
		text string
	}{
		"panic":   {func(c *play.Client) { do(c, "PING"); panic("oops") }, "bad panicked: oops"},
		"Fail":    {func(c *play.Client) { do(c, "PING"); c.Fail(errors.New("not as expected")) }, "not as expected"},
		"FailNow": {func(c *play.Client) { (&testing.T{}).FailNow() }, "bad ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().client("good", commands(command("SET", "a", "1"))).client("bad", c.run)
			r := explore(t, w)
			require.NotNil(t, r.Violation)
			require.ErrorContains(t, r.Violation.Err, c.text)
		})
	}
}

func TestMisuse(t *testing.T) {
	runs := 0
	for name, c := range map[string]struct {
		run  func(*play.Client)
		text string
	}{
		"another goroutine": {func(c *play.Client) {
			done := make(chan struct{})
			go func() { defer close(done); do(c, "PING") }()
			<-done
		}, "a client of a play makes all calls on its own goroutine"},
		"outside of a step": {func(c *play.Client) { _, _ = c.Engine().DoStrings(ctx, "SET", "a", "1") }, "outside of a step"},
		"random":            {func(c *play.Client) { runs++; do(c, "SET", "a", fmt.Sprint(runs)) }, "bad is not deterministic"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld().client("good", commands(command("SET", "a", "1"))).client("bad", c.run)
			_, err := play.Explore(w.Config)
			require.ErrorContains(t, err, c.text)
		})
	}
	w := newWorld().client("ann", commands(command("SET", "a", "1")))
	w.Check = func(*play.State) error { _, _ = w.engine.DoStrings(ctx, "SET", "a", "2"); return nil }
	_, err := play.Explore(w.Config)
	require.ErrorContains(t, err, "an invariant must not write")

	_, err = play.Explore(newWorld(command("NOSUCH")).client("ann", func(*play.Client) {}).Config)
	require.ErrorContains(t, err, "unknown command")
	_, err = play.Explore(newWorld().Config)
	require.ErrorContains(t, err, "there is no client")
}

func TestRandomTexts(t *testing.T) {
	runs := 0
	w := newWorld().client("ann", func(c *play.Client) {
		runs++
		token := fmt.Sprint("token", runs)
		if do(c, "SET", "lock", token, "NX").Text() == "OK" && do(c, "GET", "lock").Text() == token {
			do(c, "DEL", "lock")
		}
	}).client("bob", commands(command("GET", "lock")))
	_, err := play.Explore(w.Config)
	require.ErrorContains(t, err, "RandomTexts")
	w.RandomTexts = true
	r := explore(t, w)
	require.True(t, r.Complete)
	w.Clients[0].Run = func(c *play.Client) { runs++; do(c, "SET", fmt.Sprint("key", runs), "1") }
	_, err = play.Explore(w.Config)
	require.ErrorContains(t, err, "not deterministic", "keys must be the same")
}

func TestSerializable(t *testing.T) {
	add := func(c *play.Client) {
		n, _ := do(c, "GET", "n").Int()
		do(c, "SET", "n", fmt.Sprint(n+1))
	}
	w := newWorld().client("ann", add).client("bob", add)
	w.Serializable = true
	r := explore(t, w)
	require.NotNil(t, r.Violation)
	require.ErrorContains(t, r.Violation.Err, "no order in which the clients run one after the other ends like this")
	incr := commands(command("INCR", "n"), command("INCR", "n"))
	w.Clients[0].Run, w.Clients[1].Run = incr, incr
	r = explore(t, w)
	require.Nil(t, r.Violation)
	require.True(t, r.Complete)

	// What a client has noted counts, too.
	w.Clients[1].Run = func(c *play.Client) { c.Note("sum", do(c, "GET", "n").Text()) }
	r = explore(t, w)
	require.NotNil(t, r.Violation)
	require.Contains(t, r.Violation.Notes, "bob noted sum: 1")
}

// The copier has read before the writer wrote, and writes after the reader read: so the order must
// be reader, copier, writer, although the writer may have ended before the reader began.
func TestLinearizable(t *testing.T) {
	w := newWorld()
	w.client("writer", func(c *play.Client) { do(c, "SET", "log", "1") })
	w.client("reader", func(c *play.Client) { c.Note("read", do(c, "GET", "copy").Text()) })
	w.client("copier", func(c *play.Client) { do(c, "SET", "copy", "log "+do(c, "GET", "log").Text()) })
	w.Serializable = true
	require.Nil(t, explore(t, w).Violation)
	w.Serializable, w.Linearizable = false, true
	r := explore(t, w)
	require.NotNil(t, r.Violation)
	require.ErrorContains(t, r.Violation.Err, "reader, copier, writer, but one had ended before another began")
	require.Equal(t, "3 1 2 3", r.Violation.Order)

	w.Clients[2].Run = func(c *play.Client) { do(c, "COPY", "log", "copy") }
	require.Nil(t, explore(t, w).Violation, "one step does not overlap with others")
}

func TestLimits(t *testing.T) {
	add := commands(command("INCR", "n"), command("INCR", "n"), command("INCR", "n"))
	w := newWorld().client("ann", add).client("bob", add)
	w.MaxOrders = 3
	r := explore(t, w)
	require.False(t, r.Complete)
	require.Equal(t, "the limit of 3 orders was reached; others may break it", r.Why)
	w.MaxOrders, w.MaxPreemptions = 0, 1
	r = explore(t, w)
	require.False(t, r.Complete)
	require.Contains(t, r.Why, "at most 1 preemptions")
	w.MaxPreemptions, w.MaxSteps = 0, 4
	r = explore(t, w)
	require.Contains(t, r.Why, "more than 4 steps")
	w.MaxSteps = 0
	w.Late = func() bool { return w.opened > 30 }
	r = explore(t, w)
	require.Equal(t, "the time was up", r.Why)
}

func TestOrdersThatDoNotFit(t *testing.T) {
	w := newWorld().client("ann", commands(command("INCR", "n"))).client("bob", commands(command("INCR", "n")))
	for order, text := range map[string]string{
		"1 1":   "step 2 is one of ann, which cannot take a step there",
		"1 3":   `"3" is not a client from 1 to 2`,
		"x":     `"x" is not a client`,
		"1!":    "client 1 does not crash",
		"clock": "step 1 is one of clock",
		" ":     "there is no step",
	} {
		w.Order = order
		_, err := play.Explore(w.Config)
		require.ErrorContains(t, err, text, order)
	}
}

// An invariant for each step sees states between steps that commute otherwise.
func TestAlwaysSeesEveryState(t *testing.T) {
	w := newWorld().client("ann", commands(command("SET", "a", "1"))).client("bob", commands(command("SET", "b", "1")))
	w.Always = func(*play.State) error {
		if w.get("b") != "" && w.get("a") == "" {
			return errors.New("b without a")
		}
		return nil
	}
	r := explore(t, w)
	require.NotNil(t, r.Violation)
	require.Equal(t, "2", r.Violation.Order)
}
