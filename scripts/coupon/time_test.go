package coupon_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
)

// at returns an engine whose clock stands at t.
func at(t *testing.T, now time.Time) *redmoontest.Engine {
	t.Helper()
	return redmoontest.New(t, redmoontest.WithStart(now))
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func TestADayIsAsLongAsItsZoneMakesIt(t *testing.T) {
	for _, c := range []struct {
		zone  string
		begin string // the first instant of the day
		hours float64
	}{
		{"UTC", "2026-03-29T00:00:00Z", 24},
		{"Europe/Berlin", "2026-03-29T00:00:00+01:00", 23},
		{"Europe/Berlin", "2026-10-25T00:00:00+02:00", 25},
		{"America/New_York", "2026-03-08T00:00:00-05:00", 23},
		{"Australia/Lord_Howe", "2026-04-05T00:00:00+11:00", 24.5},
		{"Asia/Shanghai", "2026-02-17T00:00:00+08:00", 24},
		{"Asia/Kathmandu", "2026-02-17T00:00:00+05:45", 24},
		{"America/Sao_Paulo", "2018-11-04T01:00:00-02:00", 23}, // its clocks skipped midnight
		{"America/Sao_Paulo", "2018-02-17T00:00:00-02:00", 25}, // its clocks went back at midnight
		{"America/Havana", "2026-11-01T00:00:00-04:00", 25},    // it shows midnight twice
		{"Pacific/Apia", "2011-12-31T00:00:00+14:00", 24},      // it had no 30th
	} {
		t.Run(c.zone+" "+c.begin, func(t *testing.T) {
			begin, err := time.Parse(time.RFC3339, c.begin)
			require.NoError(t, err)
			begin = begin.UTC()
			end := begin.Add(time.Duration(c.hours * float64(time.Hour)))
			e := at(t, begin.Add(-time.Microsecond))
			cp := newCoupon(t, e, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1)}, Zone: zone(t, c.zone)})
			claim(t, cp, "1", user("ann"))
			require.True(t, begin.Equal(refused(t, cp, "2", user("ann"), map[string]int64{"user-day": 1}).ResetAt()))
			e.Advance(time.Microsecond)
			claim(t, cp, "2", user("ann"))
			require.True(t, end.Equal(refused(t, cp, "3", user("ann"), map[string]int64{"user-day": 1}).ResetAt()))
			for _, d := range []time.Duration{time.Hour, time.Hour, time.Hour, end.Sub(begin) - 3*time.Hour - time.Microsecond} {
				e.Advance(d)
				refused(t, cp, "3", user("ann"), map[string]int64{"user-day": 1})
			}
			e.Advance(time.Microsecond)
			claim(t, cp, "3", user("ann"))
		})
	}
}

// TestADayThatComesTwice: in 2010 the clocks of St. John's went from 00:01 back to 23:01 of the day
// before.
func TestADayThatComesTwice(t *testing.T) {
	e := at(t, time.Date(2010, 11, 7, 2, 30, 0, 0, time.UTC)) // 00:00 of the 7th
	c := newCoupon(t, e, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1)}, Zone: zone(t, "America/St_Johns")})
	e.SetTime(e.Now().Add(-time.Second))
	claim(t, c, "sixth", user("ann"))
	e.Advance(time.Second)
	claim(t, c, "seventh", user("ann"))
	e.Advance(time.Minute)
	refused(t, c, "sixth again", user("ann"), map[string]int64{"user-day": 1})
	e.Advance(59 * time.Minute)
	refused(t, c, "seventh again", user("ann"), map[string]int64{"user-day": 1})
	e.Advance(24 * time.Hour)
	claim(t, c, "eighth", user("ann"))
}

func TestWeeksAndMonths(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	e := at(t, time.Date(2026, 3, 27, 12, 0, 0, 0, berlin)) // a Friday; clocks change on Sunday
	c := newCoupon(t, e, "c", coupon.Options{Zone: berlin, Limits: []coupon.Limit{
		{Name: "w", Window: coupon.Week, Max: 1}, {Name: "m", Window: coupon.Month, Max: 2},
	}})
	claim(t, c, "1", nil)
	monday, april := time.Date(2026, 3, 30, 0, 0, 0, 0, berlin), time.Date(2026, 4, 1, 0, 0, 0, 0, berlin)
	require.True(t, monday.Equal(refused(t, c, "2", nil, map[string]int64{"w": 1}).ResetAt()))
	e.Advance(monday.Sub(e.Now()) - time.Microsecond)
	refused(t, c, "2", nil, map[string]int64{"w": 1})
	e.Advance(time.Microsecond)
	claim(t, c, "2", nil)
	require.True(t, april.AddDate(0, 0, 5).Equal(refused(t, c, "3", nil, map[string]int64{"w": 1, "m": 2}).ResetAt()), "when both allow it")
	e.Advance(april.Sub(e.Now()))
	refused(t, c, "3", nil, map[string]int64{"w": 1})
	require.Equal(t, []string{
		"coupon:{c}:claims:2934", "coupon:{c}:month:2026-03", "coupon:{c}:week:2026-W14", // W13 has expired
	}, e.Keyspace().Keys())
}

func TestUndoOfYesterdayGivesNothingOfToday(t *testing.T) {
	ctx := context.Background()
	e := at(t, time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC))
	c := newCoupon(t, e, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1), coupon.PerUser(3)}})
	claim(t, c, "yesterday", user("ann"))
	e.Advance(2 * time.Hour)
	claim(t, c, "today", user("ann"))
	_, err := c.Undo(ctx, "yesterday")
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"user-day": 1, "user": 1}, used(t, c, user("ann")))
	require.NotContains(t, e.Keyspace(), "coupon:{c}:day:2026-01-31")
	e.Advance(3 * 24 * time.Hour)
	_, err = c.Undo(ctx, "today") // its day's counts have expired
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"user-day": 0, "user": 0}, used(t, c, user("ann")))
	require.Equal(t, []string{"coupon:{c}:claims:2926"}, e.Keyspace().Keys())
}

func TestKeysExpireByThemselves(t *testing.T) {
	e := redmoontest.New(t)
	o := coupon.Options{
		Limits: []coupon.Limit{coupon.PerUserAndDay(9), coupon.InTotal(9)}, Until: e.Now().Add(36 * time.Hour), Retention: 24 * time.Hour,
	}
	c := newCoupon(t, e, "c", o)
	claim(t, c, "1", user("ann"))
	require.Len(t, e.TTLs(), len(e.Keyspace()))
	o.Until = o.Until.AddDate(0, 0, 30)
	longer := newCoupon(t, e, "c", o)
	claim(t, longer, "2", user("ann"))
	e.Advance(25 * 24 * time.Hour)
	require.Equal(t, map[string]int64{"total": 2}, used(t, longer, nil), "a coupon that lasts longer keeps its counts longer")
	claim(t, longer, "3", user("ann"))
	o.Until = time.Time{}
	forever := newCoupon(t, e, "c", o)
	claim(t, forever, "4", user("ann"))
	require.NotContains(t, e.TTLs(), "coupon:{c}:ever")
	claim(t, longer, "5", user("ann"))
	e.Advance(20 * 24 * time.Hour)
	require.Empty(t, e.Keyspace())
}

func TestAClockThatGoesBack(t *testing.T) {
	ctx := context.Background()
	e := at(t, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	c := newCoupon(t, e, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1), coupon.InTotal(9)}, Retention: 24 * time.Hour})
	claim(t, c, "first", user("ann"))
	e.SetTime(e.Now().Add(-time.Hour))
	r, err := c.Claim(ctx, "first", user("ann"))
	require.NoError(t, err)
	require.Equal(t, coupon.Repeated, r.Outcome, "a claim is known although its stretch has not begun")
	claim(t, c, "january", user("ann"))
	e.Advance(time.Hour)
	refused(t, c, "x", user("ann"), map[string]int64{"user-day": 1})
	e.SetTime(e.Now().Add(-time.Second))
	refused(t, c, "x", user("ann"), map[string]int64{"user-day": 1})
	for _, token := range []string{"first", "january"} {
		_, err := c.Undo(ctx, token)
		require.NoError(t, err)
	}
	require.Equal(t, map[string]int64{"total": 0, "user-day": 0}, used(t, c, user("ann")))
}

// jumpy is a server whose clock jumps with each call.
type jumpy struct {
	engine.Client
	now int64
}

func (j *jumpy) RunScript(context.Context, *engine.Script, []string, []string) (engine.Value, error) {
	j.now += int64(365 * 24 * time.Hour / time.Microsecond)
	e, err := engine.New(engine.Options{})
	if err != nil {
		return engine.Value{}, err
	}
	defer e.Close()
	return e.Do(context.Background(), "EVAL", fmt.Sprintf("return {'wrong time', %d}", j.now), 0)
}

func TestAClockThatNeverStands(t *testing.T) {
	c := newCoupon(t, &jumpy{}, "c", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(1)}})
	_, err := c.Claim(context.Background(), "t", nil)
	require.ErrorIs(t, err, coupon.ErrClock)
}

// TestRandomClaims plays random claims, repeated claims and undos while time passes, on the scripts
// and on a model.
func TestRandomClaims(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { playClaims(t, rand.New(rand.NewPCG(seed, 42))) })
	}
}

// modelClaim is a claim that stands.
type modelClaim struct {
	fields coupon.Fields
	at     time.Time
	undone bool
}

func playClaims(t *testing.T, r *rand.Rand) {
	ctx := context.Background()
	z := zone(t, "America/New_York")
	limits := []coupon.Limit{
		coupon.InTotal(60), coupon.PerUser(20), coupon.PerUserAndDay(3),
		{Name: "shop-week", Scope: []string{"shop"}, Window: coupon.Week, Max: 7},
		{Name: "pair-month", Scope: []string{"user", "shop"}, Window: coupon.Month, Max: 6},
	}
	e := at(t, time.Date(2026, 10, 25, 0, 0, 0, 0, z)) // clocks change a week later
	c := newCoupon(t, e, "c", coupon.Options{Limits: limits, Zone: z, Retention: 90 * 24 * time.Hour})
	claims := map[string]*modelClaim{}
	// counted reports whether two claims count together under a limit.
	counted := func(l coupon.Limit, a, b *modelClaim) bool {
		for _, s := range l.Scope {
			if a.fields[s] != b.fields[s] {
				return false
			}
		}
		x, y := a.at.In(z), b.at.In(z)
		xy, xw := x.ISOWeek()
		yy, yw := y.ISOWeek()
		switch l.Window {
		case coupon.Day:
			return x.Format(time.DateOnly) == y.Format(time.DateOnly)
		case coupon.Week:
			return xy == yy && xw == yw
		case coupon.Month:
			return x.Year() == y.Year() && x.Month() == y.Month()
		}
		return true
	}
	count := func(l coupon.Limit, m *modelClaim) (n int64) {
		for _, other := range claims {
			if !other.undone && counted(l, m, other) {
				n++
			}
		}
		return n
	}
	outcomes := map[string]int{}
	for range 600 {
		e.Advance(time.Duration(r.Int64N(int64(2 * time.Hour))))
		m := &modelClaim{at: e.Now(), fields: coupon.Fields{"user": fmt.Sprint("u", r.IntN(4)), "shop": fmt.Sprint("s", r.IntN(2))}}
		token := fmt.Sprint("t", r.IntN(250))
		known := claims[token]
		if r.IntN(4) == 0 {
			got, err := c.Undo(ctx, token)
			switch {
			case known == nil:
				require.ErrorIs(t, err, coupon.ErrUnknownClaim)
			case known.undone:
				require.Equal(t, coupon.AlreadyUndone, got.Outcome)
			default:
				require.Equal(t, coupon.Undone, got.Outcome)
				known.undone = true
			}
			outcomes[fmt.Sprint("undo ", got.Outcome)]++
			continue
		}
		reached := map[string]int64{}
		for _, l := range limits {
			if n := count(l, m); n >= l.Max {
				reached[l.Name] = n
			}
		}
		switch {
		case known == nil && len(reached) > 0:
			refused(t, c, token, m.fields, reached)
			outcomes["refused"]++
		case known == nil:
			claim(t, c, token, m.fields)
			claims[token] = m
			outcomes["claimed"]++
		default:
			got, err := c.Claim(ctx, token, known.fields)
			if known.undone {
				require.ErrorIs(t, err, coupon.ErrUndone)
			} else {
				require.NoError(t, err)
				require.Equal(t, coupon.Repeated, got.Outcome)
			}
			outcomes[got.Outcome.String()]++
		}
		for name, n := range used(t, c, m.fields) {
			for _, l := range limits {
				if l.Name == name {
					require.Equal(t, count(l, m), n, name)
				}
			}
		}
	}
	for _, o := range []string{"refused", "claimed", "repeated", "undone", "undo undone", "undo already undone", "undo no claim"} {
		require.NotZero(t, outcomes[o], o)
	}
}
