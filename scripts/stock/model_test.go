package stock_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// model is a sale as it should be. In it everything that is due happens immediately.
type model struct {
	now            time.Duration // since the beginning
	hold, remember time.Duration
	phase          stock.Phase
	items          map[string]*stock.ItemStatus
	serials        map[string]bool // of the item "seat", ever supplied
	orders         map[string]*modelOrder
}

type modelOrder struct {
	stock.Order                // its State is 0 for a supply
	at          time.Duration  // of Order.At
	lines       []stock.Line   // without serials
	supply      map[string]int // of a supply
}

// tick lets happen what is due.
func (m *model) tick() {
	for token, o := range m.orders {
		if o.State == stock.Reserved && o.at <= m.now {
			m.back(o, stock.Expired)
		}
		if o.State != stock.Reserved && o.at+m.remember <= m.now {
			delete(m.orders, token)
		}
	}
}

func (m *model) back(o *modelOrder, state stock.State) {
	for _, l := range o.lines {
		it := m.items[l.Item]
		it.Left, it.Reserved = it.Left+l.Quantity, it.Reserved-l.Quantity
	}
	o.State = state
}

// owns is how many of an item a user has reserved or bought. Orders that were forgotten are in
// sold.
func (m *model) owns(user, item string, sold map[string]int64) int64 {
	n := sold[user+" "+item]
	for _, o := range m.orders {
		for _, l := range o.lines {
			if o.User == user && l.Item == item && o.State == stock.Reserved {
				n += l.Quantity
			}
		}
	}
	return n
}

var errOfState = map[stock.State]error{stock.Released: stock.ErrReleased, stock.Expired: stock.ErrExpired,
	stock.Confirmed: stock.ErrConfirmed}

// reserve is what Reserve should answer.
func (m *model) reserve(token, user string, lines []stock.Line, sold map[string]int64) error {
	lines = slices.SortedFunc(slices.Values(lines), func(a, b stock.Line) int { return cmp.Compare(a.Item, b.Item) })
	if o := m.orders[token]; o != nil {
		if o.State == 0 || o.User != user || !slices.EqualFunc(o.lines, lines, func(a, b stock.Line) bool {
			return a.Item == b.Item &&
				a.Quantity == b.Quantity
		}) {
			return stock.ErrTokenReused
		}
		if o.State == stock.Confirmed {
			return nil
		}
		return errOfState[o.State]
	}
	switch m.phase {
	case stock.Preparing:
		return stock.ErrNotOpen
	case stock.Closed:
		return stock.ErrClosed
	}
	for _, l := range lines {
		it := m.items[l.Item]
		switch {
		case it == nil:
			return stock.ErrUnknownItem
		case l.Quantity > it.Left:
			return stock.ErrSoldOut
		case it.Quota > 0 && m.owns(user, l.Item, sold)+l.Quantity > it.Quota:
			return stock.ErrQuota
		}
	}
	for _, l := range lines {
		m.items[l.Item].Left -= l.Quantity
		m.items[l.Item].Reserved += l.Quantity
	}
	m.orders[token] = &modelOrder{Order: stock.Order{Token: token, User: user, State: stock.Reserved}, at: m.now + m.hold, lines: lines}
	return nil
}

// player plays random steps on a sale and on the model.
type player struct {
	t     *testing.T
	r     *rand.Rand
	s     *stock.Sale
	p     everywhere.Place
	m     *model
	sold  map[string]int64 // "user item" to units
	count map[string]int   // of outcomes
}

// saw compares an order that the sale answered with the model's.
func (p *player) saw(what string, o stock.Order, err, want error) {
	p.t.Helper()
	p.count[what+": "+fmt.Sprint(want)]++
	require.ErrorIs(p.t, err, want)
	m := p.m.orders[o.Token]
	if o.Token == "" {
		return
	}
	require.Equal(p.t, m.State, o.State)
	require.Equal(p.t, m.User, o.User)
	require.Len(p.t, o.Lines, len(m.lines))
	for i, l := range o.Lines {
		require.Equal(p.t, m.lines[i].Item, l.Item)
		require.Equal(p.t, m.lines[i].Quantity, l.Quantity)
		if l.Item == "seat" {
			require.Len(p.t, l.Serials, int(l.Quantity))
		} else {
			require.Nil(p.t, l.Serials)
		}
	}
	if p.p.Advance != nil {
		if m.At.IsZero() {
			m.At = o.At
		}
		require.True(p.t, m.At.Equal(o.At))
	}
}

func (p *player) step() {
	ctx, t, r, m := context.Background(), p.t, p.r, p.m
	m.tick()
	token, user := fmt.Sprint("t", r.IntN(20)), fmt.Sprint("u", r.IntN(3))
	known := m.orders[token]
	if known != nil && known.State == 0 {
		known = nil
	}
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		lines := []stock.Line{{Item: "phone", Quantity: 1 + r.Int64N(3)}, {Item: "seat", Quantity: 1 + r.Int64N(12)}, {Item: "none", Quantity: 1}}
		lines = lines[r.IntN(2):][:1+r.IntN(2)]
		if known != nil && r.IntN(2) == 0 {
			user, lines = known.User, slices.Clone(known.lines)
			slices.Reverse(lines)
		}
		want := m.reserve(token, user, lines, p.sold)
		o, err := p.s.Reserve(ctx, token, user, lines...)
		p.saw("reserve", o, err, want)
	case 4, 5:
		want := stock.ErrUnknownOrder
		if known != nil {
			want = errOfState[known.State]
			if known.State == stock.Reserved {
				known.State, known.at, known.At = stock.Confirmed, m.now, time.Time{}
				for _, l := range known.lines {
					m.items[l.Item].Reserved -= l.Quantity
					m.items[l.Item].Sold += l.Quantity
					p.sold[known.User+" "+l.Item] += l.Quantity
				}
			}
			if known.State == stock.Confirmed {
				want = nil
			}
		}
		o, err := p.s.Confirm(ctx, token)
		p.saw("confirm", o, err, want)
	case 6, 7:
		want := stock.ErrUnknownOrder
		if known != nil {
			want = errOfState[known.State]
			if known.State == stock.Reserved {
				m.back(known, stock.Released)
				known.at, known.At = m.now, time.Time{}
			}
			if known.State == stock.Released {
				want = nil
			}
		}
		o, err := p.s.Release(ctx, token)
		p.saw("release", o, err, want)
	case 8:
		var want error
		if known == nil {
			want = stock.ErrUnknownOrder
		}
		o, err := p.s.Find(ctx, token)
		p.saw("order", o, err, want)
	case 9:
		item, n := []string{"phone", "seat"}[r.IntN(2)], 1+r.IntN(2)
		var want error
		switch o := m.orders[token]; {
		case o != nil && (o.State != 0 || o.supply[item] != n):
			want = stock.ErrTokenReused
		case o == nil && item == "seat":
			want = stock.ErrStrategy
		case o == nil:
			m.orders[token] = &modelOrder{at: m.now, supply: map[string]int{item: n}}
			m.items[item].Left += int64(n)
			m.items[item].Supplied += int64(n)
		}
		p.saw("supply", stock.Order{}, p.s.Supply(ctx, token, item, int64(n)), want)
	case 10:
		if r.IntN(3) > 0 {
			return
		}
		serials, fresh := []string{strconv.Itoa(r.IntN(200)), strconv.Itoa(r.IntN(200))}, int64(0)
		for _, serial := range serials {
			if !m.serials[serial] {
				m.serials[serial] = true
				fresh++
			}
		}
		m.items["seat"].Left += fresh
		m.items["seat"].Supplied += fresh
		n, err := p.s.SupplyUnits(ctx, "seat", serials...)
		require.NoError(t, err)
		require.Equal(t, fresh, n)
	case 11:
		if r.IntN(3) > 0 {
			return
		}
		if m.phase = stock.Open; r.IntN(5) == 0 {
			m.phase = stock.Closed
			require.NoError(t, p.s.Close(ctx))
			return
		}
		require.NoError(t, p.s.Open(ctx))
	case 12:
		if p.p.Advance != nil {
			d := time.Duration(r.Int64N(int64(30 * time.Second)))
			if r.IntN(2) == 0 {
				d = 0
				for _, o := range m.orders { // right to where something happens
					if o.State == stock.Reserved && (d == 0 || o.at-m.now < d) {
						d = o.at - m.now
					}
				}
			}
			d = d.Truncate(time.Microsecond)
			p.p.Advance(d)
			m.now += d
		}
	case 13:
		p.books()
	}
}

// books compares everything that is left, reserved and sold.
func (p *player) books() {
	ctx, t := context.Background(), p.t
	p.m.tick()
	_, err := p.s.Sweep(ctx, 1000)
	require.NoError(t, err)
	_, err = p.s.Sweep(ctx, 1000) // what has ended may be forgotten immediately
	require.NoError(t, err)
	r, err := p.s.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, stock.Status{Phase: p.m.phase, Items: []stock.ItemStatus{*p.m.items["phone"], *p.m.items["seat"]}}, r)
	require.NoError(t, p.s.Audit(ctx))
	seen := map[string]string{}
	for token, m := range p.m.orders {
		if m.State != stock.Reserved && m.State != stock.Confirmed {
			continue
		}
		o, err := p.s.Find(ctx, token)
		require.NoError(t, err)
		for _, l := range o.Lines {
			for _, serial := range l.Serials {
				require.Empty(t, seen[serial], "unit %s is in two orders", serial)
				seen[serial] = token
				holder, err := p.s.Holder(ctx, "seat", serial)
				require.NoError(t, err)
				require.Equal(t, token, holder)
			}
		}
	}
	var owned int64
	for _, it := range p.m.items {
		owned += it.Reserved + it.Sold
	}
	for i, text := range p.p.Do(t, "HVALS", p.s.Keys()[3]).Strings() {
		n, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		require.Positive(t, n, i)
		owned -= n
	}
	require.Zero(t, owned, "what users have")
}

// play plays steps from a seed and returns how often each outcome was seen.
func play(t *testing.T, place everywhere.Place, seed uint64, steps int, hold time.Duration) map[string]int {
	ctx := context.Background()
	remember := 2 * hold
	s, err := stock.New(place, "sale", stock.Options{Hold: hold, Retention: remember})
	require.NoError(t, err)
	p := &player{t: t, r: rand.New(rand.NewPCG(seed, 0)), s: s, p: place, sold: map[string]int64{}, count: map[string]int{}, m: &model{
		hold: hold, remember: remember, phase: stock.Preparing, serials: map[string]bool{}, orders: map[string]*modelOrder{},
		items: map[string]*stock.ItemStatus{
			"phone": {Item: stock.Item{Name: "phone", Strategy: stock.Counter, Quota: 3}},
			"seat":  {Item: stock.Item{Name: "seat", Strategy: stock.Units}},
		},
	}}
	require.NoError(t, s.Define(ctx, p.m.items["phone"].Item, p.m.items["seat"].Item))
	for i := range steps {
		if i%500 == 499 { // another limit, or all would have reached it
			p.m.items["phone"].Quota += 3
			require.NoError(t, s.Define(ctx, p.m.items["phone"].Item))
		}
		if p.step(); t.Failed() {
			t.Fatalf("seed %d, step %d", seed, i)
		}
	}
	p.books()
	return p.count
}

func seeds(t *testing.T) []uint64 {
	if text := os.Getenv("REDMOON_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		return []uint64{n}
	}
	return []uint64{1, 2, 3}
}

func TestRandomStepsFollowTheModel(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		for _, seed := range seeds(t) {
			p.Do(t, append([]string{"DEL"}, keys(t)...)...)
			hold, steps := time.Hour, 300
			if p.Advance != nil {
				hold, steps = time.Minute, 3000
			}
			count := play(t, p, seed, steps, hold)
			if p.Advance == nil {
				continue
			}
			for _, outcome := range []error{nil, stock.ErrSoldOut, stock.ErrQuota, stock.ErrTokenReused, stock.ErrReleased, stock.ErrExpired,
				stock.ErrClosed,
				stock.ErrUnknownItem} {
				require.Positive(t, count["reserve: "+fmt.Sprint(outcome)], "%v of %v", outcome, count)
			}
			for _, outcome := range []error{nil, stock.ErrReleased, stock.ErrExpired, stock.ErrUnknownOrder} {
				require.Positive(t, count["confirm: "+fmt.Sprint(outcome)], "%v of %v", outcome, count)
			}
		}
	})
}
