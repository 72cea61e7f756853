package stock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// open returns an open sale with a quota of 2 phones, 10 of which are supplied, and the seats a1,
// a2 and a3.
func open(t *testing.T, c engine.Client, o stock.Options) *stock.Sale {
	t.Helper()
	ctx := context.Background()
	s, err := stock.New(c, "sale", o)
	require.NoError(t, err)
	require.NoError(t, s.Define(ctx, stock.Item{Name: "phone", Quota: 2}, stock.Item{Name: "seat", Strategy: stock.Units}))
	require.NoError(t, s.Supply(ctx, "delivery", "phone", 10))
	n, err := s.SupplyUnits(ctx, "seat", "a1", "a2", "a3")
	require.NoError(t, err)
	require.Equal(t, int64(3), n)
	require.NoError(t, s.Open(ctx))
	t.Cleanup(func() { require.NoError(t, s.Audit(ctx)) })
	return s
}

// left requires how many phones and seats are left, reserved and sold.
func requireBooks(t *testing.T, s *stock.Sale, phones, seats [3]int64) {
	t.Helper()
	r, err := s.Status(context.Background())
	require.NoError(t, err)
	require.Len(t, r.Items, 2)
	for i, want := range [][3]int64{phones, seats} {
		it := r.Items[i]
		require.Equal(t, want, [3]int64{it.Left, it.Reserved, it.Sold}, it.Name)
	}
	require.NoError(t, s.Audit(context.Background()))
}

func phones(n int64) stock.Line { return stock.Line{Item: "phone", Quantity: n} }
func seats(n int64) stock.Line  { return stock.Line{Item: "seat", Quantity: n} }

func TestAnOrderIsReservedAndConfirmed(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := open(t, p, stock.Options{Hold: time.Hour})
		began := p.Now(t, "{sale}")
		o, err := s.Reserve(ctx, "o1", "ann", seats(2), phones(1))
		require.NoError(t, err)
		require.WithinRange(t, o.At, began.Add(time.Hour), p.Now(t, "{sale}").Add(time.Hour))
		want := stock.Order{Token: "o1", User: "ann", State: stock.Reserved, At: o.At, Lines: []stock.Line{
			phones(1), {Item: "seat", Quantity: 2, Serials: []string{"a1", "a2"}},
		}}
		require.Equal(t, want, o)
		requireBooks(t, s, [3]int64{9, 1, 0}, [3]int64{1, 2, 0})
		again, err := s.Reserve(ctx, "o1", "ann", phones(1), seats(2))
		require.NoError(t, err)
		require.Equal(t, want, again)
		requireBooks(t, s, [3]int64{9, 1, 0}, [3]int64{1, 2, 0})

		began = p.Now(t, "{sale}")
		o, err = s.Confirm(ctx, "o1")
		require.NoError(t, err)
		require.WithinRange(t, o.At, began, p.Now(t, "{sale}"))
		want.State, want.At = stock.Confirmed, o.At
		require.Equal(t, want, o)
		for _, f := range []func() (stock.Order, error){
			func() (stock.Order, error) { return s.Confirm(ctx, "o1") },
			func() (stock.Order, error) { return s.Find(ctx, "o1") },
			func() (stock.Order, error) { return s.Reserve(ctx, "o1", "ann", phones(1), seats(2)) },
		} {
			o, err := f()
			require.NoError(t, err)
			require.Equal(t, want, o)
		}
		o, err = s.Release(ctx, "o1")
		require.ErrorIs(t, err, stock.ErrConfirmed)
		require.Equal(t, want, o)
		requireBooks(t, s, [3]int64{9, 0, 1}, [3]int64{1, 0, 2})
	})
}

func TestAReleasedOrderReturns(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := open(t, p, stock.Options{})
		_, err := s.Reserve(ctx, "o1", "ann", phones(2), seats(1))
		require.NoError(t, err)
		_, err = s.Reserve(ctx, "o2", "ann", phones(1))
		require.ErrorIs(t, err, stock.ErrQuota)
		holder, err := s.Holder(ctx, "seat", "a1")
		require.NoError(t, err)
		require.Equal(t, "o1", holder)
		want, err := s.Release(ctx, "o1")
		require.NoError(t, err)
		require.Equal(t, stock.Released, want.State)
		o, err := s.Release(ctx, "o1")
		require.NoError(t, err)
		require.Equal(t, want, o)
		requireBooks(t, s, [3]int64{10, 0, 0}, [3]int64{3, 0, 0})
		for _, f := range []func() (stock.Order, error){
			func() (stock.Order, error) { return s.Confirm(ctx, "o1") },
			func() (stock.Order, error) { return s.Reserve(ctx, "o1", "ann", phones(2), seats(1)) },
		} {
			o, err := f()
			require.ErrorIs(t, err, stock.ErrReleased)
			require.Equal(t, want, o)
		}
		holder, err = s.Holder(ctx, "seat", "a1")
		require.NoError(t, err)
		require.Empty(t, holder)
		o, err = s.Reserve(ctx, "o2", "ann", phones(2), seats(3))
		require.NoError(t, err)
		require.Equal(t, []string{"a2", "a3", "a1"}, o.Lines[1].Serials)
		require.Zero(t, p.Do(t, "HLEN", s.Keys()[4]).MustInt())
	})
}

func TestRefusalsChangeNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := open(t, p, stock.Options{})
		_, err := s.Reserve(ctx, "o1", "ann", seats(1))
		require.NoError(t, err)
		check := func() { t.Helper(); requireBooks(t, s, [3]int64{10, 0, 0}, [3]int64{2, 1, 0}) }
		for _, c := range []struct {
			token, user string
			lines       []stock.Line
			err         error
			item        string
		}{
			{"o2", "bob", []stock.Line{phones(1), seats(3)}, stock.ErrSoldOut, "seat"},
			{"o2", "bob", []stock.Line{phones(3)}, stock.ErrQuota, "phone"},
			{"o2", "bob", []stock.Line{seats(3), phones(3)}, stock.ErrQuota, "phone"},
			{"o2", "bob", []stock.Line{seats(3), {Item: "tv", Quantity: 1}}, stock.ErrSoldOut, "seat"},
			{"o2", "bob", []stock.Line{seats(2), {Item: "tv", Quantity: 1}}, stock.ErrUnknownItem, "tv"},
			{"o2", "bob", nil, stock.ErrOrder, ""},
			{"o2", "bob", make([]stock.Line, stock.MaxLines+1), stock.ErrOrder, ""},
			{"o2", "bob", []stock.Line{seats(0)}, stock.ErrOrder, ""},
			{"o2", "bob", []stock.Line{seats(-1)}, stock.ErrOrder, ""},
			{"o2", "bob", []stock.Line{seats(stock.MaxQuantity + 1)}, stock.ErrOrder, ""},
			{"o2", "bob", []stock.Line{seats(1), phones(1), seats(1)}, stock.ErrOrder, ""},
			{"", "bob", []stock.Line{seats(1)}, stock.ErrName, ""},
			{"o2", "", []stock.Line{seats(1)}, stock.ErrName, ""},
			{"o2", "b\xffb", []stock.Line{seats(1)}, stock.ErrName, ""},
			{"o2", "bob", []stock.Line{{Quantity: 1}}, stock.ErrName, ""},
			{strings.Repeat("o", 513), "bob", []stock.Line{seats(1)}, stock.ErrName, ""},
			{"o1", "bob", []stock.Line{seats(1)}, stock.ErrTokenReused, ""},
			{"o1", "ann", []stock.Line{seats(2)}, stock.ErrTokenReused, ""},
			{"o1", "ann", []stock.Line{phones(1)}, stock.ErrTokenReused, ""},
			{"o1", "ann", []stock.Line{seats(1), phones(1)}, stock.ErrTokenReused, ""},
			{"delivery", "ann", []stock.Line{phones(10)}, stock.ErrTokenReused, ""},
		} {
			o, err := s.Reserve(ctx, c.token, c.user, c.lines...)
			require.ErrorIs(t, err, c.err, "%v", c)
			require.Empty(t, o)
			var of *stock.ItemError
			if c.item != "" {
				require.ErrorAs(t, err, &of)
				require.Equal(t, c.item, of.Item)
			} else {
				require.NotErrorAs(t, err, &of)
			}
			check()
		}
		for _, token := range []string{"o2", "delivery"} {
			for _, f := range []func(context.Context, string) (stock.Order, error){s.Confirm, s.Release, s.Find} {
				_, err := f(ctx, token)
				require.ErrorIs(t, err, stock.ErrUnknownOrder)
			}
		}
		require.NoError(t, s.Supply(ctx, "delivery", "phone", 10))
		require.ErrorIs(t, s.Supply(ctx, "delivery", "phone", 9), stock.ErrTokenReused)
		require.ErrorIs(t, s.Supply(ctx, "delivery", "seat", 10), stock.ErrTokenReused)
		require.ErrorIs(t, s.Supply(ctx, "o1", "phone", 10), stock.ErrTokenReused)
		require.ErrorIs(t, s.Supply(ctx, "d2", "seat", 10), stock.ErrStrategy)
		require.ErrorIs(t, s.Supply(ctx, "d2", "tv", 10), stock.ErrUnknownItem)
		require.ErrorIs(t, s.Supply(ctx, "d2", "phone", 0), stock.ErrSupply)
		require.ErrorIs(t, s.Supply(ctx, "d2", "phone", stock.MaxSupply-9), stock.ErrSupply)
		require.ErrorIs(t, s.Supply(ctx, "", "phone", 1), stock.ErrName)
		_, err = s.SupplyUnits(ctx, "phone", "x")
		require.ErrorIs(t, err, stock.ErrStrategy)
		_, err = s.SupplyUnits(ctx, "tv", "x")
		require.ErrorIs(t, err, stock.ErrUnknownItem)
		_, err = s.SupplyUnits(ctx, "seat", "b1", "")
		require.ErrorIs(t, err, stock.ErrName)
		n, err := s.SupplyUnits(ctx, "seat", "a3", "a1")
		require.NoError(t, err)
		require.Zero(t, n)
		require.ErrorIs(t, s.Define(ctx, stock.Item{Name: "new"}, stock.Item{Name: "phone", Strategy: stock.Units}), stock.ErrStrategy)
		require.ErrorIs(t, s.Define(ctx, stock.Item{Name: "new", Quota: -1}), stock.ErrItem)
		require.ErrorIs(t, s.Define(ctx, stock.Item{Name: "new", Strategy: 3}), stock.ErrItem)
		require.ErrorIs(t, s.Define(ctx, stock.Item{}), stock.ErrName)
		_, err = s.Holder(ctx, "seat", "b1")
		require.ErrorIs(t, err, stock.ErrUnknownUnit)
		check()
	})
}

func TestNothingCanBeReservedBeforeAndAfter(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s, err := stock.New(p, "sale", stock.Options{})
		require.NoError(t, err)
		r, err := s.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, stock.Status{Phase: stock.Preparing}, r)
		require.NoError(t, s.Define(ctx))
		_, err = s.Reserve(ctx, "o1", "ann", phones(1))
		require.ErrorIs(t, err, stock.ErrNotOpen)
		s = open(t, p, stock.Options{})
		_, err = s.Reserve(ctx, "o1", "ann", phones(1))
		require.NoError(t, err)
		_, err = s.Reserve(ctx, "o2", "bob", phones(1))
		require.NoError(t, err)
		require.NoError(t, s.Close(ctx))
		_, err = s.Reserve(ctx, "o3", "ann", phones(1))
		require.ErrorIs(t, err, stock.ErrClosed)
		_, err = s.Reserve(ctx, "o1", "ann", phones(1))
		require.NoError(t, err, "it is reserved already")
		_, err = s.Confirm(ctx, "o1")
		require.NoError(t, err)
		_, err = s.Release(ctx, "o2")
		require.NoError(t, err)
		require.NoError(t, s.Define(ctx, stock.Item{Name: "phone", Quota: 1}))
		require.NoError(t, s.Open(ctx))
		_, err = s.Reserve(ctx, "o3", "ann", phones(1))
		require.ErrorIs(t, err, stock.ErrQuota)
		r, err = s.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, stock.Status{Phase: stock.Open, Items: []stock.ItemStatus{
			{Item: stock.Item{Name: "phone", Strategy: stock.Counter, Quota: 1}, Left: 9, Sold: 1, Supplied: 10},
			{Item: stock.Item{Name: "seat", Strategy: stock.Units}, Left: 3, Supplied: 3},
		}}, r)
	})
}

func TestAConfirmedOrderIsHandedOnOnce(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		const ready = "delayqueue:{sale}:ready"
		s := open(t, p, stock.Options{Ready: ready})
		_, err := s.Reserve(ctx, "o1", `a"n/é`, seats(2), phones(1))
		require.NoError(t, err)
		p.Do(t, "SET", ready, "no stream")
		_, err = s.Confirm(ctx, "o1")
		require.ErrorIs(t, err, engine.ErrWrongType)
		requireBooks(t, s, [3]int64{9, 1, 0}, [3]int64{1, 2, 0})
		p.Do(t, "DEL", ready)
		o, err := s.Confirm(ctx, "o1")
		require.NoError(t, err)
		_, err = s.Confirm(ctx, "o1")
		require.NoError(t, err)
		_, err = s.Reserve(ctx, "o2", "bob", phones(1))
		require.NoError(t, err)
		_, err = s.Release(ctx, "o2")
		require.NoError(t, err)
		_, err = s.Confirm(ctx, "o2")
		require.ErrorIs(t, err, stock.ErrReleased)
		entries := p.Do(t, "XRANGE", ready, "-", "+").Slice()
		require.Len(t, entries, 1)
		fields := entries[0].Slice()[1].Strings()
		require.Len(t, fields, 4)
		require.Equal(t, []string{"id", "o1", "payload"}, fields[:3])
		require.JSONEq(t, fmt.Sprintf(`{"id": "o1", "user": "a\"n/é", "confirmed": %d,
			"lines": [{"item": "phone", "quantity": 1}, {"item": "seat", "quantity": 2, "serials": ["a1", "a2"]}]}`, o.At.UnixMilli()), fields[3])
		require.True(t, json.Valid([]byte(fields[3])))
	})
}

// A call that fails half-way must have changed nothing.
func TestAKeyOfAWrongTypeChangesNothing(t *testing.T) {
	ctx := context.Background()
	for i := range 5 {
		e := redmoontest.New(t)
		s := open(t, e, stock.Options{Hold: time.Minute})
		_, err := s.SupplyUnits(ctx, "seat", "a4", "a5")
		require.NoError(t, err)
		for k, token := range []string{"o1", "o2", "o3"} {
			if k == 2 {
				e.Advance(30 * time.Second)
			}
			_, err := s.Reserve(ctx, token, "ann"+token, seats(1), phones(1))
			require.NoError(t, err)
		}
		e.Advance(30 * time.Second) // o1 and o2 are over
		key := s.Keys()[i]
		e.MustDo("RENAME", key, key+":kept")
		e.MustDo("SET", key, "x")
		before := e.Keyspace()
		wrong := 0
		for k, f := range []func() error{
			func() error { _, err := s.Reserve(ctx, "o4", "bob", seats(1), phones(1)); return err },
			func() error { _, err := s.Confirm(ctx, "o1"); return err }, // too late
			func() error { _, err := s.Sweep(ctx, 10); return err },
			func() error { return s.Supply(ctx, "d2", "phone", 1) },
			func() error { _, err := s.SupplyUnits(ctx, "seat", "b1"); return err },
			func() error { _, err := s.Release(ctx, "o3"); return err },
			func() error { _, err := s.Confirm(ctx, "o3"); return err },
		} {
			err := f()
			if errors.Is(err, engine.ErrWrongType) {
				wrong++
				require.Equal(t, before, e.Keyspace(), "%s, %d", key, k)
			}
			before = e.Keyspace()
		}
		require.GreaterOrEqual(t, wrong, 3, key)
		e.MustDo("RENAME", key+":kept", key)
	}
}

func TestAKeyOfAWrongTypeChangesNothingOfOneLine(t *testing.T) {
	ctx := context.Background()
	wrong := 0
	for i := range 5 {
		for _, line := range []stock.Line{phones(1), seats(1), seats(2)} {
			e := redmoontest.New(t)
			s := open(t, e, stock.Options{})
			_, err := s.Reserve(ctx, "o1", "ann", phones(1), seats(1))
			require.NoError(t, err)
			key := s.Keys()[i]
			e.MustDo("RENAME", key, key+":kept")
			e.MustDo("SET", key, "x")
			before := e.Keyspace()
			if _, err = s.Reserve(ctx, "o2", "bob", line); err != nil {
				wrong++
				require.ErrorIs(t, err, engine.ErrWrongType)
				require.Equal(t, before, e.Keyspace(), "%s, %v", key, line)
			}
			e.MustDo("RENAME", key+":kept", key)
		}
	}
	require.Equal(t, 5*3-1, wrong, "phones have no units")
}

func TestNewRefuses(t *testing.T) {
	for _, name := range []string{"", "a{", "}", "\xff", strings.Repeat("x", 513)} {
		_, err := stock.New(nil, name, stock.Options{})
		require.ErrorIs(t, err, stock.ErrName)
	}
	for _, o := range []stock.Options{{Hold: -1}, {Hold: time.Nanosecond}, {Ready: "delayqueue:{other}:ready"}} {
		_, err := stock.New(nil, "sale", o)
		require.ErrorIs(t, err, stock.ErrOptions)
	}
}

func TestNamesOfEnums(t *testing.T) {
	require.Equal(t, "[reserved confirmed released expired State(5)]",
		fmt.Sprint([]stock.State{stock.Reserved, stock.Confirmed, stock.Released, stock.Expired, 5}))
	require.Equal(t, "[counter units Strategy(0)]", fmt.Sprint([]stock.Strategy{stock.Counter, stock.Units, 0}))
	require.Equal(t, "[preparing open closed]", fmt.Sprint([]stock.Phase{stock.Preparing, stock.Open, stock.Closed}))
}
