package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

func TestGrabGivesEachUserOnePacketInOrder(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain")
		list := []redpacket.Packet{{ID: "p 1/é", Amount: 100}, {ID: "p2", Amount: redpacket.MaxAmount}}
		require.NoError(t, a.Open(ctx, list))
		v, err := a.Peek(ctx, "ann")
		require.NoError(t, err)
		require.Equal(t, redpacket.View{State: redpacket.Open, Left: 2}, v)
		g, err := a.Grab(ctx, "ann")
		require.NoError(t, err)
		require.Equal(t, redpacket.Grab{Packet: list[0], Outcome: redpacket.Grabbed}, g)
		g, err = a.Grab(ctx, "ann")
		require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
		require.Equal(t, redpacket.Grab{Packet: list[0], Outcome: redpacket.AlreadyGrabbed}, g)
		g, err = a.Grab(ctx, "b\"o\x00b<é")
		require.NoError(t, err)
		require.Equal(t, list[1], g.Packet)
		g, err = a.Grab(ctx, "cy")
		require.ErrorIs(t, err, redpacket.ErrEmpty)
		require.Equal(t, redpacket.Grab{Outcome: redpacket.Empty}, g)
		s, err := a.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, redpacket.Status{State: redpacket.Open, Packets: 2, Users: 2, Records: 2,
			Total: 100 + redpacket.MaxAmount, Given: 100 + redpacket.MaxAmount}, s)
		require.Zero(t, s.Rest())
		v, err = a.Peek(ctx, "ann")
		require.NoError(t, err)
		require.Equal(t, redpacket.View{State: redpacket.Open, Has: true, Packet: list[0]}, v)

		records, err := a.Records(ctx, 0, 10)
		require.NoError(t, err)
		require.Equal(t, []redpacket.Record{{Packet: list[0], User: "ann"}, {Packet: list[1], User: "b\"o\x00b<é"}}, records)
		tail, err := a.Records(ctx, 1, 10)
		require.NoError(t, err)
		require.Equal(t, records[1:], tail)
		head, err := a.Records(ctx, 0, 1)
		require.NoError(t, err)
		require.Equal(t, records[:1], head)
		none, err := a.Records(ctx, 2, 10)
		require.NoError(t, err)
		require.Empty(t, none)
		_, err = p.DoStrings(ctx, "RPUSH", a.Keys()[2], "{", "{}")
		require.NoError(t, err)
		_, err = a.Records(ctx, 1, 10)
		require.ErrorContains(t, err, "redpacket: record 2: ")
		_, err = p.DoStrings(ctx, "LTRIM", a.Keys()[2], "0", "1")
		require.NoError(t, err)
		_, err = a.Records(ctx, -1, 10)
		require.Error(t, err)
		checkMoney(t, p, a, list, "")
	})
}

func TestWhatIsNotThere(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain")
		g, err := a.Grab(ctx, "ann")
		require.ErrorIs(t, err, redpacket.ErrNotOpen)
		require.Equal(t, redpacket.NotOpen, g.Outcome)
		_, err = a.Expire(ctx)
		require.ErrorIs(t, err, redpacket.ErrNotOpen)
		s, err := a.Status(ctx)
		require.NoError(t, err)
		require.Zero(t, s)
		v, err := a.Peek(ctx, "ann")
		require.NoError(t, err)
		require.Zero(t, v)
		for _, key := range a.Keys() {
			require.Zero(t, p.Do(t, "EXISTS", key).MustInt())
		}
	})
}

func TestBadArgumentsAreRefusedAndChangeNothing(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	for _, name := range []string{"", "a{b", "a}b", "\xff", strings.Repeat("a", 513)} {
		_, err := redpacket.New(e, name, redpacket.Options{})
		require.ErrorIs(t, err, redpacket.ErrName)
	}
	a := activity(t, e, "rain")
	good := redpacket.Packet{ID: "ok", Amount: 1}
	for _, amount := range []int64{0, -1, redpacket.MaxAmount + 1} {
		require.ErrorIs(t, a.Open(ctx, []redpacket.Packet{good, {ID: "x", Amount: amount}}), redpacket.ErrAmount)
	}
	var many []redpacket.Packet
	for i := range redpacket.MaxTotal/redpacket.MaxAmount + 1 {
		many = append(many, redpacket.Packet{ID: fmt.Sprint(i), Amount: redpacket.MaxAmount})
	}
	require.ErrorIs(t, a.Open(ctx, many), redpacket.ErrAmount)
	for id, rule := range map[string]string{
		"": "is empty", "\xff": "is not UTF-8", "a\"": "has a quote", "\\": `id "\\" has a backslash`, "a\n": "has a control character",
		a.RefundID(): "is kept for the refund", "ok": "is there twice",
	} {
		err := a.Open(ctx, []redpacket.Packet{good, {ID: id, Amount: 1}})
		require.ErrorIs(t, err, redpacket.ErrPackets)
		require.ErrorContains(t, err, rule)
	}
	require.ErrorIs(t, a.Open(ctx, nil), redpacket.ErrPackets)
	for _, o := range []redpacket.Options{{Sender: "\xff"}, {TTL: -1}, {Retention: -1}} {
		_, err := redpacket.New(e, "rain", o)
		require.ErrorIs(t, err, redpacket.ErrOptions)
	}
	for _, user := range []string{"", "\xff"} {
		_, err := a.Grab(ctx, user)
		require.ErrorIs(t, err, redpacket.ErrUser)
		_, err = a.Peek(ctx, user)
		require.ErrorIs(t, err, redpacket.ErrUser)
	}
	require.Empty(t, e.Keyspace())
}

func TestNames(t *testing.T) {
	require.Equal(t, "already grabbed", redpacket.AlreadyGrabbed.String())
	require.Equal(t, "Outcome(-1)", redpacket.Outcome(-1).String())
	require.Equal(t, "expired", redpacket.Expired.String())
	require.Equal(t, "Outcome(6)", redpacket.Outcome(6).String())
	require.Equal(t, "closed", redpacket.Closed.String())
	require.Equal(t, "State(5)", redpacket.State(5).String())
	require.Equal(t, "double mean", redpacket.DoubleMean.String())
	require.Equal(t, "equal", redpacket.Equal.String())
	require.Equal(t, "Strategy(2)", redpacket.Strategy(2).String())
}

func TestExpireReturnsTheRestOnce(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain", redpacket.Options{Sender: "z\"oe"})
		list := packets(t, "p", 10_000, 20, redpacket.DoubleMean)
		require.NoError(t, a.Open(ctx, list))
		g, err := a.Grab(ctx, "ann")
		require.NoError(t, err)
		want := redpacket.Refund{ID: "refund:rain", User: "z\"oe", Packets: 19, Amount: 10_000 - g.Amount}
		for range 3 {
			r, err := a.Expire(ctx)
			require.NoError(t, err)
			require.Equal(t, want, r)
			l := checkMoney(t, p, a, list, "z\"oe")
			require.Equal(t, want.Amount, l.settled[a.RefundID()].Amount)
		}
		_, err = a.Grab(ctx, "bob")
		require.ErrorIs(t, err, redpacket.ErrExpired)
		again, err := a.Grab(ctx, "ann")
		require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
		require.Equal(t, g.Packet, again.Packet)
		require.ErrorIs(t, a.Open(ctx, list), redpacket.ErrExpired)
		require.ErrorIs(t, activity(t, p, "rain").Open(ctx, list), redpacket.ErrExists)
		s, err := a.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, redpacket.Status{State: redpacket.Closed, Packets: 20, Returned: 19, Users: 1, Records: 1,
			Total: 10_000, Given: g.Amount, Refunded: want.Amount}, s)
	})
}

func TestExpireWithNothingLeftRefundsNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain", fromZoe)
		list := []redpacket.Packet{{ID: "p", Amount: redpacket.MaxAmount}}
		require.NoError(t, a.Open(ctx, list))
		_, err := a.Grab(ctx, "ann")
		require.NoError(t, err)
		for range 2 {
			r, err := a.Expire(ctx)
			require.NoError(t, err)
			require.Equal(t, redpacket.Refund{ID: "refund:rain", User: "zoe"}, r)
		}
		require.Len(t, checkMoney(t, p, a, list, "zoe").settled, 1)
	})
}

func TestLargeTotalsAreExact(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		a := activity(t, p, "rain")
		var list []redpacket.Packet
		for i := range redpacket.MaxTotal / redpacket.MaxAmount {
			list = append(list, redpacket.Packet{ID: fmt.Sprint(i), Amount: redpacket.MaxAmount})
		}
		list = append(list, redpacket.Packet{ID: "rest", Amount: redpacket.MaxTotal % redpacket.MaxAmount})
		require.NoError(t, a.Open(ctx, list))
		_, err := a.Grab(ctx, "ann")
		require.NoError(t, err)
		r, err := a.Expire(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(redpacket.MaxTotal-redpacket.MaxAmount), r.Amount)
		checkMoney(t, p, a, list, "")
	})
}

func TestDeadline(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		ttl := 300 * time.Millisecond // of a real clock
		if p.Advance != nil {
			ttl = time.Hour
		}
		list := packets(t, "p", 100, 10, redpacket.Equal)
		var a *redpacket.Activity
		var g redpacket.Grab
		for name := "rain"; ; name += "r" {
			a = activity(t, p, name, redpacket.Options{Sender: "zoe", TTL: ttl})
			require.NoError(t, a.Open(ctx, list))
			s, err := a.Status(ctx)
			require.NoError(t, err)
			require.LessOrEqual(t, s.Deadline.Sub(p.Now(t, a.StreamKey())), ttl)
			if p.Advance != nil {
				require.Equal(t, redpacket.Open, s.State)
				_, err = a.Expire(ctx)
				require.ErrorIs(t, err, redpacket.ErrNotDue)
				p.Advance(ttl - time.Millisecond)
			}
			g, err = a.Grab(ctx, "ann")
			if p.Advance == nil && errors.Is(err, redpacket.ErrExpired) { // the machine is busy
				ttl *= 2
				require.Less(t, ttl, patience.Limit, "%v", err)
				continue
			}
			require.NoError(t, err)
			break
		}
		if p.Advance != nil {
			p.Advance(time.Millisecond)
		}
		require.NoError(t, patience.Try(func() error {
			v, err := a.Peek(ctx, "ann")
			if err == nil && v.State != redpacket.Due {
				err = fmt.Errorf("the activity is %v", v.State)
			}
			return err
		}))
		require.NoError(t, a.Open(ctx, list)) // it was opened before
		g2, err := a.Grab(ctx, "bob")
		require.ErrorIs(t, err, redpacket.ErrExpired)
		require.Equal(t, redpacket.Expired, g2.Outcome)
		g2, err = a.Grab(ctx, "ann")
		require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
		require.Equal(t, g.Packet, g2.Packet)
		checkMoney(t, p, a, list, "zoe")
		r, err := a.Expire(ctx)
		require.NoError(t, err)
		require.Equal(t, redpacket.Refund{ID: a.RefundID(), User: "zoe", Packets: 9, Amount: 90}, r)
		checkMoney(t, p, a, list, "zoe")
	})
}

func TestAnExpiredActivityIsRememberedForItsRetention(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	a := activity(t, e, "rain", redpacket.Options{Retention: time.Hour})
	require.NoError(t, a.Open(ctx, packets(t, "p", 100, 10, redpacket.Equal)))
	_, err := a.Grab(ctx, "ann")
	require.NoError(t, err)
	e.Advance(2 * time.Hour)
	require.Empty(t, e.TTLs())
	_, err = a.Expire(ctx)
	require.NoError(t, err)
	e.Advance(time.Hour)
	_, err = a.Grab(ctx, "ann")
	require.ErrorIs(t, err, redpacket.ErrAlreadyGrabbed)
	e.Advance(time.Millisecond) // a key lives through the millisecond in which it expires
	require.Equal(t, []string{a.StreamKey()}, e.Keyspace().Keys())
}

// A key of a wrong type must not let a script end between its writes.
func TestAWrongTypeAnywhereChangesNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		list := packets(t, "p", 100, 10, redpacket.Equal)
		for i := range 5 {
			for _, what := range []string{"open", "grab", "expire"} {
				a := activity(t, p, fmt.Sprint(what, i))
				keys := a.Keys()
				if what != "open" {
					require.NoError(t, a.Open(ctx, list))
					_, err := a.Grab(ctx, "ann")
					require.NoError(t, err)
				}
				p.Do(t, "DEL", keys[i])
				p.Do(t, "SET", keys[i], "of a wrong type")
				before := dump(t, p, keys)
				var err error
				switch what {
				case "open":
					err = a.Open(ctx, list)
				case "grab":
					_, err = a.Grab(ctx, "bob")
				case "expire":
					_, err = a.Expire(ctx)
				}
				if what == "expire" && i == 2 { // the records are not of interest
					require.NoError(t, err)
					continue
				}
				require.Error(t, err, "%s, %s", what, keys[i])
				require.Equal(t, before, dump(t, p, keys), "%s, %s", what, keys[i])
			}
		}
	})
}

func TestWithoutMemoryNothingIsTaken(t *testing.T) {
	ctx := context.Background()
	for name, p := range map[string]everywhere.Place{"engine": {Client: redmoontest.New(t)}, "redis-server": everywhere.Server(t)} {
		t.Run(name, func(t *testing.T) {
			a := activity(t, p, "rain")
			list := packets(t, "p", 100, 10, redpacket.Equal)
			require.NoError(t, a.Open(ctx, list))
			before := dump(t, p, a.Keys())
			t.Cleanup(func() { p.Do(t, "CONFIG", "SET", "maxmemory", "0") })
			p.Do(t, "CONFIG", "SET", "maxmemory", "1")
			_, err := a.Grab(ctx, "ann")
			require.ErrorIs(t, err, &engine.Error{Code: "OOM"})
			_, err = a.Expire(ctx)
			require.ErrorIs(t, err, &engine.Error{Code: "OOM"})
			require.ErrorIs(t, activity(t, p, "other").Open(ctx, list), &engine.Error{Code: "OOM"})
			require.Equal(t, before, dump(t, p, a.Keys()))
			p.Do(t, "CONFIG", "SET", "maxmemory", "0")
			_, err = a.Grab(ctx, "ann")
			require.NoError(t, err)
			checkMoney(t, p, a, list, "")
		})
	}
}
