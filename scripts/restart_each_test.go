package scripts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// interrupted is an engine that keeps its data and restarts before one of the calls that it gets.
// Its clock stands still except when a play moves it.
type interrupted struct {
	t       *testing.T
	e       *engine.Engine
	options persist.Options
	clock   *engine.VirtualClock
	calls   int
	before  int // the number of the call before which it restarts, from 1; 0: none
}

func newInterrupted(t *testing.T, before int, o persist.Options) *interrupted {
	o.Dir = t.TempDir()
	r := &interrupted{t: t, options: o, before: before,
		clock: engine.NewVirtualClock(time.Date(2026, 2, 17, 8, 0, 0, 0, time.UTC))}
	r.open()
	return r
}

func (r *interrupted) open() {
	var err error
	r.e, err = engine.New(engine.Options{Clock: r.clock, Persistence: persist.New(r.options),
		Config: map[string]string{"save": "3600 1"}}) // so that Close writes a dump
	require.NoError(r.t, err)
}

func (r *interrupted) step() {
	r.calls++
	if r.calls == r.before {
		require.NoError(r.t, r.e.Close())
		r.open()
	}
}

func (r *interrupted) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	r.step()
	return r.e.RunScript(ctx, s, keys, args)
}

func (r *interrupted) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	r.step()
	return r.e.DoStrings(ctx, args...)
}

// restartPlays use the ready scripts. Each of them notes what its calls return.
var restartPlays = map[string]func(r *interrupted, note func(...any)){
	"red packet": func(r *interrupted, note func(...any)) {
		a, err := redpacket.New(r, "a", redpacket.Options{Sender: "s", TTL: time.Hour})
		note(err)
		note(a.Open(ctx, []redpacket.Packet{{ID: "1", Amount: 100}, {ID: "2", Amount: 50}, {ID: "3", Amount: 7}}))
		for _, user := range []string{"ann", "bob", "ann"} {
			note(a.Grab(ctx, user))
		}
		note(a.Peek(ctx, "ann"))
		note(a.Records(ctx, 0, 10))
		r.clock.Advance(2 * time.Hour)
		note(a.Grab(ctx, "cleo"))
		note(a.Expire(ctx))
		note(a.Expire(ctx))
		note(a.Status(ctx))
	},
	"coupon": func(r *interrupted, note func(...any)) {
		c, err := coupon.New(r, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUser(2), coupon.InTotal(3)}})
		note(err)
		for _, claim := range [][2]string{{"1", "ann"}, {"1", "ann"}, {"2", "ann"}, {"3", "ann"}, {"4", "bob"}, {"5", "bob"}} {
			note(c.Claim(ctx, claim[0], coupon.Fields{"user": claim[1]}))
		}
		note(c.Undo(ctx, "1"))
		note(c.Undo(ctx, "1"))
		note(c.Claim(ctx, "5", coupon.Fields{"user": "bob"}))
		note(c.Find(ctx, "5"))
		note(c.Usage(ctx, coupon.Fields{"user": "bob"}))
	},
	"stock": func(r *interrupted, note func(...any)) {
		s, err := stock.New(r, "s", stock.Options{Hold: time.Minute})
		note(err)
		note(s.Define(ctx, stock.Item{Name: "i"}))
		note(s.Supply(ctx, "t1", "i", 5))
		note(s.Open(ctx))
		for _, token := range []string{"o1", "o2", "o1", "o3"} {
			note(s.Reserve(ctx, token, "u", stock.Line{Item: "i", Quantity: 2}))
		}
		note(s.Confirm(ctx, "o1"))
		note(s.Release(ctx, "o2"))
		note(s.Supply(ctx, "t1", "i", 5))
		note(s.Reserve(ctx, "o4", "v", stock.Line{Item: "i", Quantity: 1}))
		r.clock.Advance(2 * time.Minute)
		note(s.Sweep(ctx, 10))
		note(s.Status(ctx))
		note(s.Audit(ctx))
	},
	"rate limit": func(r *interrupted, note func(...any)) {
		for _, algorithm := range []ratelimit.Algorithm{ratelimit.FixedWindow, ratelimit.SlidingLog,
			ratelimit.SlidingCounter, ratelimit.TokenBucket, ratelimit.GCRA} {
			l, err := ratelimit.New(r, algorithm.String(), ratelimit.Options{Algorithm: algorithm, Limit: 2, Period: time.Hour})
			note(err)
			for range 3 {
				note(l.Allow(ctx, "k", 1))
			}
			r.clock.Advance(40 * time.Minute)
			note(l.Allow(ctx, "k", 1))
			note(l.Peek(ctx, "k", 1))
		}
	},
	"lock": func(r *interrupted, note func(...any)) {
		l, err := lock.New(r, "l", lock.Options{TTL: time.Minute})
		note(err)
		lease, err := l.As("ann").TryAcquire(ctx, 0)
		note(lease.Token(), err)
		_, err = l.As("bob").TryAcquire(ctx, 0)
		note(err)
		note(lease.Renew(ctx))
		note(lease.Release(ctx))
		lease, err = l.As("bob").TryAcquire(ctx, 0)
		note(lease.Token(), err)
		note(lease.Release(ctx))
		reg, err := lock.NewRegister(r, "r")
		note(err)
		note(reg.Write(ctx, 5, "new"))
		note(reg.Write(ctx, 4, "late"))
		note(reg.Read(ctx))
	},
	"queue": func(r *interrupted, note func(...any)) {
		q, err := delayqueue.New(r, "q", delayqueue.Options{})
		note(err)
		for _, id := range []string{"1", "2", "1"} {
			note(q.Enqueue(ctx, delayqueue.Message{ID: id, Payload: []byte("x")}))
		}
		note(q.EnqueueAfter(ctx, delayqueue.Message{ID: "3", Payload: []byte("y")}, time.Hour))
		note(q.Status(ctx))
		r.clock.Advance(2 * time.Hour)
		note(q.Status(ctx))
		note(q.Enqueue(ctx, delayqueue.Message{ID: "3"}))
	},
}

// TestRestartBetweenAnyTwoCalls restarts the engine before each call of each play, from the
// append-only file and from a dump: calls answer what they answer without a restart, and the
// keyspace is the same in the end.
func TestRestartBetweenAnyTwoCalls(t *testing.T) {
	files := map[string]persist.Options{
		"append-only file": {AppendOnly: true, AppendFsync: "always"},
		"dump":             {},
	}
	for name, play := range restartPlays {
		for kind, o := range files {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				run := func(before int) (answers []string, digest string, calls int) {
					r := newInterrupted(t, before, o)
					play(r, func(values ...any) { answers = append(answers, fmt.Sprintf("%+v", values)) })
					v, err := r.e.DoStrings(ctx, "DEBUG", "DIGEST")
					require.NoError(t, err)
					require.NoError(t, r.e.Close())
					return answers, v.Text(), r.calls
				}
				want, digest, calls := run(0)
				require.Greater(t, calls, 5)
				for before := 1; before <= calls; before++ {
					got, d, _ := run(before)
					require.Equal(t, want, got, "a restart before call %d of %d", before, calls)
					if name != "lock" { // which keeps random ids
						require.Equal(t, digest, d, "a restart before call %d of %d", before, calls)
					}
				}
			})
		}
	}
}
