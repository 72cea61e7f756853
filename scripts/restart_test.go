package scripts_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/persist"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/redlock"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

var ctx = context.Background()

// restarting is an engine that keeps its data and can be started again. The Go side of the ready
// scripts calls through it, and so survives the restart as it would survive that of a server.
type restarting struct {
	*engine.Engine
	t   *testing.T
	dir string
}

func newRestarting(t *testing.T) *restarting {
	r := &restarting{t: t, dir: t.TempDir()}
	r.open()
	t.Cleanup(func() { require.NoError(t, r.Engine.Close()) })
	return r
}

func (r *restarting) open() {
	var err error
	r.Engine, err = engine.New(engine.Options{
		Persistence: persist.New(persist.Options{Dir: r.dir, AppendOnly: true, AppendFsync: "always"})})
	require.NoError(r.t, err)
}

// restart ends the engine and starts one on the same files. Scripts are not in its cache.
func (r *restarting) restart() {
	require.NoError(r.t, r.Engine.Close())
	r.open()
}

func TestLockOverARestart(t *testing.T) {
	r := newRestarting(t)
	l, err := lock.New(r, "l", lock.Options{TTL: time.Minute})
	require.NoError(t, err)
	first, err := l.Acquire(ctx)
	require.NoError(t, err)
	r.restart()
	_, err = l.As("other").TryAcquire(ctx, 0)
	require.Error(t, err, "the lease is still held")
	_, err = first.Release(ctx)
	require.NoError(t, err)
	r.restart()
	second, err := l.Acquire(ctx)
	require.NoError(t, err)
	require.Greater(t, second.Token(), first.Token(), "fencing tokens grow")
	_, err = second.Release(ctx)
	require.NoError(t, err)
}

func TestRedPacketsOverARestart(t *testing.T) {
	r := newRestarting(t)
	a, err := redpacket.New(r, "a", redpacket.Options{Sender: "s"})
	require.NoError(t, err)
	require.NoError(t, a.Open(ctx, []redpacket.Packet{{ID: "1", Amount: 100}, {ID: "2", Amount: 50}}))
	first, err := a.Grab(ctx, "u")
	require.NoError(t, err)
	r.restart()
	again, err := a.Grab(ctx, "u")
	require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
	require.Equal(t, first.Packet, again.Packet)
	other, err := a.Grab(ctx, "v")
	require.NoError(t, err)
	require.EqualValues(t, 150, first.Amount+other.Amount)
	r.restart()
	_, err = a.Grab(ctx, "w")
	require.ErrorIs(t, err, redpacket.ErrEmpty)
}

func TestStockOverARestart(t *testing.T) {
	r := newRestarting(t)
	s, err := stock.New(r, "s", stock.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Define(ctx, stock.Item{Name: "i"}))
	require.NoError(t, s.Supply(ctx, "t1", "i", 3))
	require.NoError(t, s.Open(ctx))
	_, err = s.Reserve(ctx, "o1", "u", stock.Line{Item: "i", Quantity: 2})
	require.NoError(t, err)
	r.restart()
	_, err = s.Reserve(ctx, "o2", "v", stock.Line{Item: "i", Quantity: 2})
	require.Error(t, err, "one is left")
	_, err = s.Confirm(ctx, "o1")
	require.NoError(t, err)
	require.NoError(t, s.Supply(ctx, "t1", "i", 3), "a repeated delivery changes nothing")
	r.restart()
	_, err = s.Reserve(ctx, "o3", "w", stock.Line{Item: "i", Quantity: 2})
	require.Error(t, err)
	require.NoError(t, s.Audit(ctx))
}

func TestRateLimitOverARestart(t *testing.T) {
	r := newRestarting(t)
	l, err := ratelimit.New(r, "l", ratelimit.Options{Algorithm: ratelimit.FixedWindow, Limit: 2, Period: 24 * time.Hour})
	require.NoError(t, err)
	for range 2 {
		d, err := l.Allow(ctx, "k", 1)
		require.NoError(t, err)
		require.Equal(t, ratelimit.Allowed, d.Outcome)
		r.restart()
	}
	d, _ := l.Allow(ctx, "k", 1)
	require.Equal(t, ratelimit.Limited, d.Outcome)
}

func TestCouponOverARestart(t *testing.T) {
	r := newRestarting(t)
	c, err := coupon.New(r, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUser(2), coupon.InTotal(3)}})
	require.NoError(t, err)
	claim := func(token, user string) (coupon.Outcome, error) {
		receipt, err := c.Claim(ctx, token, coupon.Fields{"user": user})
		return receipt.Outcome, err
	}
	out, err := claim("1", "ann")
	require.NoError(t, err)
	require.Equal(t, coupon.Claimed, out)
	r.restart()
	out, err = claim("1", "ann")
	require.NoError(t, err)
	require.Equal(t, coupon.Repeated, out, "a repeated call changes nothing")
	_, err = claim("2", "ann")
	require.NoError(t, err)
	r.restart()
	_, err = claim("3", "ann")
	var limit *coupon.LimitError
	require.ErrorAs(t, err, &limit)
	undone, err := c.Undo(ctx, "1")
	require.NoError(t, err)
	require.Equal(t, coupon.Undone, undone.Outcome)
	r.restart()
	_, err = claim("3", "ann")
	require.NoError(t, err)
	used, err := c.Usage(ctx, coupon.Fields{"user": "ann"})
	require.NoError(t, err)
	for _, u := range used {
		require.EqualValues(t, 2, u.Used, u.Limit.Name)
	}
}

// A node that keeps its data does not give a lock away again after it was down.
func TestRedlockOverARestart(t *testing.T) {
	var all []*restarting
	var nodes []engine.Client
	for range 3 {
		r := newRestarting(t)
		all, nodes = append(all, r), append(nodes, r)
	}
	l, err := redlock.New(nodes, "l", redlock.Options{TTL: time.Minute, NodeTimeout: 10 * time.Second})
	require.NoError(t, err)
	lease, err := l.TryAcquire(ctx, 0)
	require.NoError(t, err)
	for _, r := range all {
		r.restart()
		_, err = l.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
	}
	require.NoError(t, lease.Renew(ctx))
	out, err := lease.Release(ctx)
	require.NoError(t, err)
	require.Equal(t, lock.Released, out)
	for _, r := range all {
		r.restart()
	}
	lease, err = l.TryAcquire(ctx, 0)
	require.NoError(t, err)
	_, err = lease.Release(ctx)
	require.NoError(t, err)
}

func TestQueueOverARestart(t *testing.T) {
	r := newRestarting(t)
	q, err := delayqueue.New(r, "q", delayqueue.Options{})
	require.NoError(t, err)
	_, err = q.Enqueue(ctx, delayqueue.Message{ID: "1", Payload: []byte("a")})
	require.NoError(t, err)
	_, err = q.EnqueueAfter(ctx, delayqueue.Message{ID: "2", Payload: []byte("b")}, time.Hour)
	require.NoError(t, err)
	before, err := q.Status(ctx)
	require.NoError(t, err)
	r.restart()
	after, err := q.Status(ctx)
	require.NoError(t, err)
	before.Lag, after.Lag = 0, 0 // time passes
	require.Equal(t, before, after)
	out, err := q.Enqueue(ctx, delayqueue.Message{ID: "1", Payload: []byte("a")})
	require.NoError(t, err)
	require.Equal(t, delayqueue.Duplicate, out)
}
