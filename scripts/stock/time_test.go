package stock_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

func TestUnpaidReservationsReturn(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	s := open(t, e, stock.Options{Hold: time.Minute})
	_, err := s.Reserve(ctx, "o1", "ann", phones(1), seats(3))
	require.NoError(t, err)
	e.Advance(time.Minute - time.Millisecond)
	_, err = s.Reserve(ctx, "o2", "bob", seats(1))
	require.ErrorIs(t, err, stock.ErrSoldOut)
	e.Advance(time.Millisecond)
	o, err := s.Reserve(ctx, "o2", "bob", seats(1))
	require.NoError(t, err)
	require.Equal(t, []string{"a1"}, o.Lines[0].Serials)
	requireBooks(t, s, [3]int64{10, 0, 0}, [3]int64{2, 1, 0})

	deadline := e.Now()
	for _, f := range []func() (stock.Order, error){
		func() (stock.Order, error) { return s.Confirm(ctx, "o1") },
		func() (stock.Order, error) { return s.Release(ctx, "o1") },
		func() (stock.Order, error) { return s.Reserve(ctx, "o1", "ann", phones(1), seats(3)) },
	} {
		o, err := f()
		require.ErrorIs(t, err, stock.ErrExpired)
		require.Equal(t, stock.Expired, o.State)
		require.True(t, deadline.Equal(o.At))
	}
	o, err = s.Confirm(ctx, "o2")
	require.NoError(t, err)
	require.Equal(t, stock.Confirmed, o.State)
}

func TestWhoComesTooLateEndsTheOrder(t *testing.T) {
	ctx := context.Background()
	for name, f := range map[string]func(*stock.Sale) error{
		"confirm": func(s *stock.Sale) error { _, err := s.Confirm(ctx, "o1"); return err },
		"release": func(s *stock.Sale) error { _, err := s.Release(ctx, "o1"); return err },
		"reserve": func(s *stock.Sale) error { _, err := s.Reserve(ctx, "o1", "ann", seats(3)); return err },
		"holder": func(s *stock.Sale) error {
			token, err := s.Holder(ctx, "seat", "a2")
			require.Empty(t, token)
			return errors.Join(err, stock.ErrExpired)
		},
	} {
		e := redmoontest.New(t)
		s := open(t, e, stock.Options{Hold: time.Minute})
		_, err := s.Reserve(ctx, "o1", "ann", seats(3))
		require.NoError(t, err)
		e.Advance(time.Hour)
		require.ErrorIs(t, f(s), stock.ErrExpired, name)
		requireBooks(t, s, [3]int64{10, 0, 0}, [3]int64{3, 0, 0})
	}
}

func TestTokensAreForgotten(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	s := open(t, e, stock.Options{Hold: time.Minute, Retention: time.Hour})
	e.Advance(time.Minute)
	for i := range 3 {
		_, err := s.Reserve(ctx, fmt.Sprint("o", i), fmt.Sprint("u", i), phones(1))
		require.NoError(t, err)
	}
	_, err := s.Confirm(ctx, "o0")
	require.NoError(t, err)
	_, err = s.Release(ctx, "o1")
	require.NoError(t, err)
	e.Advance(time.Hour - time.Millisecond)
	for i, want := range []error{nil, stock.ErrReleased, stock.ErrExpired} {
		_, err := s.Confirm(ctx, fmt.Sprint("o", i))
		require.ErrorIs(t, err, want)
	}
	e.Advance(time.Millisecond)
	for i, want := range []error{stock.ErrUnknownOrder, stock.ErrUnknownOrder, stock.ErrExpired} {
		_, err := s.Find(ctx, fmt.Sprint("o", i))
		if i == 2 {
			require.NoError(t, err)
			_, err = s.Confirm(ctx, "o2")
		}
		require.ErrorIs(t, err, want)
	}
	e.Advance(time.Minute)
	swept, err := s.Sweep(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, stock.Swept{Forgotten: 2}, swept) // the expired order and the delivery
	require.Zero(t, e.MustDo("EXISTS", s.Keys()[2]).MustInt())
	require.Equal(t, int64(3), e.MustDo("HLEN", s.Keys()[1]).MustInt(), "the serials are not forgotten")
	requireBooks(t, s, [3]int64{9, 0, 1}, [3]int64{3, 0, 0})
	require.Equal(t, []string{"phone\xffu0", "1"}, e.MustDo("HGETALL", s.Keys()[3]).Strings())

	ever, err := stock.New(e, "sale", stock.Options{Hold: time.Minute, Retention: -1})
	require.NoError(t, err)
	_, err = ever.Reserve(ctx, "o9", "eve", phones(1))
	require.NoError(t, err)
	want, err := ever.Confirm(ctx, "o9")
	require.NoError(t, err)
	e.Advance(1000 * 24 * time.Hour)
	_, err = ever.Sweep(ctx, 10)
	require.NoError(t, err)
	o, err := ever.Confirm(ctx, "o9")
	require.NoError(t, err)
	require.Equal(t, want, o)
}

// However many reservations have to end first, who asks for what they hold gets it.
func TestManyReservationsReturnAtOnce(t *testing.T) {
	ctx := context.Background()
	for _, strategy := range []stock.Strategy{stock.Counter, stock.Units} {
		t.Run(strategy.String(), func(t *testing.T) {
			const n = 2500
			e := redmoontest.New(t)
			s := supplied(t, e, strategy, n, stock.Options{Hold: time.Minute, Retention: time.Minute})
			for i := range n {
				_, err := s.Reserve(ctx, fmt.Sprint("o", i), fmt.Sprint("u", i), stock.Line{Item: "item", Quantity: 1})
				require.NoError(t, err)
			}
			_, err := s.Reserve(ctx, "late", "zoe", stock.Line{Item: "item", Quantity: 1})
			require.ErrorIs(t, err, stock.ErrSoldOut)
			e.Advance(time.Minute)
			_, err = s.Reserve(ctx, "one", "zoe", stock.Line{Item: "item", Quantity: 1})
			require.NoError(t, err)
			r, err := s.Status(ctx)
			require.NoError(t, err)
			require.Equal(t, int64(n-16+1), r.Items[0].Reserved, "a few at each call")
			_, err = s.Reserve(ctx, "all", "zoe", stock.Line{Item: "item", Quantity: n - 1})
			require.NoError(t, err)
			require.NoError(t, s.Audit(ctx))
			r, err = s.Status(ctx)
			require.NoError(t, err)
			require.Equal(t, int64(n), r.Items[0].Reserved)
		})
	}
}

func TestSweepIsBounded(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	s := supplied(t, e, stock.Counter, 100, stock.Options{Hold: time.Minute})
	for i := range 50 {
		_, err := s.Reserve(ctx, fmt.Sprint("o", i), "ann", stock.Line{Item: "item", Quantity: 2})
		require.NoError(t, err)
	}
	e.Advance(time.Minute)
	for _, want := range []int64{30, 20, 0} {
		swept, err := s.Sweep(ctx, 30)
		require.NoError(t, err)
		require.Equal(t, stock.Swept{Expired: want}, swept)
		require.NoError(t, s.Audit(ctx))
	}
}

// On a real server time passes by itself.
func TestReservationsReturnOnAServer(t *testing.T) {
	ctx := context.Background()
	for name, place := range map[string]func(testing.TB) everywhere.Place{"redis-server": everywhere.Server,
		"redis cluster": everywhere.Cluster} {
		t.Run(name, func(t *testing.T) {
			s := open(t, place(t), stock.Options{Hold: 30 * time.Millisecond})
			_, err := s.Reserve(ctx, "o1", "ann", seats(3))
			require.NoError(t, err)
			require.NoError(t, patience.Try(func() error {
				_, err := s.Reserve(ctx, "o2", "bob", seats(2))
				return err
			}))
			_, err = s.Confirm(ctx, "o1")
			require.ErrorIs(t, err, stock.ErrExpired)
			require.NoError(t, patience.Try(func() error {
				swept, err := s.Sweep(ctx, 10)
				if err == nil && swept.Expired == 0 {
					err = errors.New("o2 is not over yet")
				}
				return err
			}))
			requireBooks(t, s, [3]int64{10, 0, 0}, [3]int64{3, 0, 0})
		})
	}
}
