package explore_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// instruction is a step of a toy program. What it does may depend on what the actor has read.
type instruction struct {
	op   string // read, write, add, copy, skip, wait, all, sum
	x, y int    // registers
	when int    // the step does nothing unless when is 0 or the accumulator is odd (1) or even (2)
}

// toy is a system of actors that share registers. Each has an accumulator.
type toy struct {
	programs [][]instruction
	ticker   int  // an actor whose steps are free, or -1
	lazy     bool // the ticker takes a step only when no other actor can, and wakes all that wait
	check    func(registers []int) error

	registers []int
	pc, acc   []int
	waiting   []int // the register that the actor waits for, as BLPOP does, or -1
	out       explore.Actors
	ends      map[string]bool // the ends of all whole runs
	orders    int
}

func (s *toy) Begin(out explore.Actors) error {
	s.registers, s.out = make([]int, 6), out
	s.pc, s.acc = make([]int, len(s.programs)), make([]int, len(s.programs))
	s.waiting = slices.Repeat([]int{-1}, len(s.programs))
	return nil
}

func (s *toy) Free(actor int) bool { return actor == s.ticker }

func (s *toy) Enabled() (list []int) {
	for a, p := range s.programs {
		if !s.out.Has(a) && s.pc[a] < len(p) && s.waiting[a] < 0 {
			list = append(list, a)
		}
	}
	if s.lazy && len(list) > 1 {
		list = slices.DeleteFunc(list, s.Free)
	}
	return list
}

func (s *toy) Step(a int) (explore.Event, error) {
	in := s.programs[a][s.pc[a]]
	s.pc[a]++
	e := explore.Event{Actor: a, Text: fmt.Sprint(in)}
	use := func(r int, m explore.Mode) { e.Uses.Key(fmt.Sprint(r), m) }
	if in.when == 0 || s.acc[a]%2 == in.when%2 {
		switch in.op {
		case "read":
			s.acc[a] += s.registers[in.x]
			use(in.x, explore.Read)
		case "wait":
			use(in.x, explore.Read)
			if s.registers[in.x] == 0 {
				s.waiting[a] = in.x
			}
		case "write":
			s.registers[in.x] = s.acc[a] + in.y + 10*a + 1
			use(in.x, explore.Write)
		case "add":
			s.registers[in.x] += in.y
			use(in.x, explore.Add)
		case "copy":
			s.registers[in.y] = s.registers[in.x]
			use(in.x, explore.Read)
			use(in.y, explore.Write)
		case "all":
			for r := range s.registers {
				s.registers[r] = s.registers[r]*3 + in.y
			}
			e.Uses.Everything = true
		case "sum":
			for _, r := range s.registers {
				s.acc[a] += r
			}
			e.Uses.All(explore.Read)
		}
	}
	for other, r := range s.waiting {
		if r >= 0 && (s.registers[r] != 0 || s.lazy && a == s.ticker) {
			s.waiting[other] = -1
			e.Wakes = append(e.Wakes, other)
		}
	}
	return e, nil
}

func (s *toy) End(whole bool) error {
	if !whole {
		return nil
	}
	s.orders++
	if s.ends != nil {
		s.ends[fmt.Sprint(s.registers, s.acc, s.pc, s.waiting)] = true
	}
	if s.check == nil {
		return nil
	}
	if err := s.check(s.registers); err != nil {
		return &explore.Broken{Kind: "check", Err: err}
	}
	return nil
}

var _ explore.System = (*toy)(nil)

func randomToy(r *rand.Rand) *toy {
	s := &toy{ticker: -1}
	ops := strings.Fields("read read read write write write add add copy skip wait all sum")
	actors := 2 + r.IntN(2)
	for range actors {
		var p []instruction
		for range 1 + r.IntN(6-actors) {
			p = append(p, instruction{op: ops[r.IntN(len(ops))], x: r.IntN(4), y: r.IntN(4), when: max(0, r.IntN(6)-3)})
		}
		s.programs = append(s.programs, p)
	}
	if r.IntN(4) == 0 && actors == 2 {
		s.ticker, s.lazy = len(s.programs), r.IntN(2) == 0
		s.programs = append(s.programs, []instruction{{op: "all", y: 1}, {op: "all", y: 2}}[:1+r.IntN(2)])
	}
	return s
}

// endsOf runs a search and returns the ends of the whole runs.
func endsOf(t *testing.T, s *toy, o explore.Options) (map[string]bool, explore.Result) {
	t.Helper()
	s.ends, s.orders = map[string]bool{}, 0
	r, err := explore.Search(s, o)
	require.NoError(t, err)
	require.True(t, r.Whole)
	require.Equal(t, s.orders, r.Orders)
	return s.ends, r
}

// The reduced search reaches the same ends as the one that runs every order.
func TestReductionKeepsAllEnds(t *testing.T) {
	plays := tier.Amount(800, 4000)
	every, run := 0, 0
	for seed := range plays {
		s := randomToy(rand.New(rand.NewPCG(uint64(seed), 1)))
		all, r := endsOf(t, s, explore.Options{Unreduced: true})
		few, reduced := endsOf(t, s, explore.Options{})
		require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(few)), "seed %d: %v", seed, s.programs)
		every, run = every+r.Orders, run+reduced.Orders+reduced.Cut
	}
	t.Logf("%d plays: %d orders in place of %d", plays, run, every)
	require.Less(t, run, every/4)
}

// The same within every bound of preemptions.
func TestBoundedReductionKeepsAllEnds(t *testing.T) {
	plays := tier.Amount(300, 1500)
	every, run := 0, 0
	for seed := range plays {
		s := randomToy(rand.New(rand.NewPCG(uint64(seed), 2)))
		for bound := range 4 {
			all, r := endsOf(t, s, explore.Options{Unreduced: true, Bounded: true, MaxPreemptions: bound})
			few, reduced := endsOf(t, s, explore.Options{Bounded: true, MaxPreemptions: bound})
			require.Equal(t, slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(few)), "seed %d, bound %d: %v, ticker %d",
				seed, bound, s.programs, s.ticker)
			every, run = every+r.Orders, run+reduced.Orders
		}
	}
	t.Logf("%d plays: %d orders in place of %d", plays, run, every)
	require.Less(t, run, every)
}

// Without a bound, bounds that no order reaches change nothing.
func TestUnboundedIsALargeBound(t *testing.T) {
	for seed := range 300 {
		s := randomToy(rand.New(rand.NewPCG(uint64(seed), 3)))
		all, _ := endsOf(t, s, explore.Options{})
		bounded, _ := endsOf(t, s, explore.Options{Bounded: true, MaxPreemptions: 100})
		require.Equal(t, all, bounded)
	}
}

// Independent steps need one order; n actors of one conflicting step each need n! orders.
func TestNumberOfOrders(t *testing.T) {
	private, shared := &toy{ticker: -1}, &toy{ticker: -1}
	for a := range 3 {
		private.programs = append(private.programs, []instruction{{op: "read", x: a}, {op: "write", x: a}, {op: "read", x: 4}})
		shared.programs = append(shared.programs, []instruction{{op: "write", x: 0}})
	}
	_, r := endsOf(t, private, explore.Options{})
	require.Equal(t, 1, r.Orders)
	require.Equal(t, 0, r.Cut)
	_, r = endsOf(t, private, explore.Options{Unreduced: true})
	require.Equal(t, 1680, r.Orders) // 9! / 3!^3
	_, r = endsOf(t, shared, explore.Options{})
	require.Equal(t, 6, r.Orders)
}

func TestLimits(t *testing.T) {
	s := &toy{ticker: -1, programs: [][]instruction{
		{{op: "write"}, {op: "write"}, {op: "write"}}, {{op: "write"}, {op: "write"}, {op: "write"}}}}
	r, err := explore.Search(s, explore.Options{MaxOrders: 7})
	require.NoError(t, err)
	require.False(t, r.Whole)
	require.Equal(t, 7, r.Orders)

	r, err = explore.Search(s, explore.Options{MaxSteps: 5})
	require.NoError(t, err)
	require.False(t, r.Whole)
	require.Positive(t, r.Long)
	require.Zero(t, r.Orders)

	asked := 0
	r, err = explore.Search(s, explore.Options{Late: func() bool { asked++; return asked > 4 }})
	require.NoError(t, err)
	require.False(t, r.Whole)
	require.Equal(t, 4, r.Orders)
}

// fickle behaves differently in its third run.
type fickle struct {
	toy
	runs int
}

func (f *fickle) Begin(out explore.Actors) error {
	if f.runs++; f.runs == 3 {
		f.programs = slices.Clone(f.programs)
		f.programs[0] = []instruction{{op: "read", x: 3}, {op: "write"}}
	}
	return f.toy.Begin(out)
}

func TestReplayErrorNamesTheStep(t *testing.T) {
	f := &fickle{toy: toy{ticker: -1, programs: [][]instruction{{{op: "write"}, {op: "write"}}, {{op: "write"}, {op: "write"}}}}}
	_, err := explore.Search(f, explore.Options{Unreduced: true})
	var replay *explore.ReplayError
	require.ErrorAs(t, err, &replay)
	require.Equal(t, 0, replay.Step)
	require.Equal(t, 0, replay.Actor)
	require.Contains(t, replay.Is, "read")
}

// failing fails in its first step, or cannot begin.
type failing struct {
	toy
	begin, step error
	begun       int
}

func (f *failing) Begin(out explore.Actors) error {
	f.begun++
	_ = f.toy.Begin(out)
	return f.begin
}

func (f *failing) Step(a int) (explore.Event, error) {
	e, _ := f.toy.Step(a)
	return e, f.step
}

func (f *failing) End(whole bool) error { f.begun--; return f.toy.End(whole) }

func TestErrorsEndTheSearch(t *testing.T) {
	odd := errors.New("odd")
	for _, f := range []*failing{{begin: odd}, {step: odd}} {
		f.ticker, f.programs = -1, [][]instruction{{{op: "read"}}}
		_, err := explore.Search(f, explore.Options{})
		require.ErrorIs(t, err, odd)
		require.Zero(t, f.begun, "each run that began was ended")
		_, err = explore.Replay(f, 0, []int{0}, nil)
		require.ErrorIs(t, err, odd)
		require.Zero(t, f.begun)
	}
	f := &failing{step: &explore.Broken{Kind: "step", Err: odd}, toy: toy{ticker: -1, programs: [][]instruction{{{op: "read"}}}}}
	r, err := explore.Search(f, explore.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, r.Broken, odd)
	require.Equal(t, []int{0}, r.Order)
	require.Zero(t, f.begun)
}

func TestReplay(t *testing.T) {
	s := &toy{ticker: -1, ends: map[string]bool{},
		programs: [][]instruction{{{op: "write"}, {op: "write"}}, {{op: "read"}, {op: "write", x: 1}}}}
	var seen []int
	r, err := explore.Replay(s, 0, []int{0, 1}, func(_, actor int) { seen = append(seen, actor) })
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 1, 0}, r.Order, "the rest follows one actor after the other")
	require.Equal(t, r.Order, seen)
	require.Len(t, s.ends, 1)

	r, err = explore.Replay(s, explore.Set(0), []int{1}, nil)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, r.Order)

	_, err = explore.Replay(s, 0, []int{0, 0, 0}, nil)
	var cannot *explore.CannotStepError
	require.ErrorAs(t, err, &cannot)
	require.Equal(t, 2, cannot.Step)
}

func TestSerial(t *testing.T) {
	s := &toy{ticker: -1, programs: [][]instruction{{{op: "wait", x: 1}, {op: "read"}}, {{op: "add", x: 1, y: 1}, {op: "read"}}}}
	r, err := explore.Serial(s, 0, []int{0, 1})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 0, 1}, r.Order, "the first actor waits for the second")
}
