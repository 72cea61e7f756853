package debugger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// lineCounter is an Observer that records the lines that are reached.
type lineCounter struct{ lines []int }

func (c *lineCounter) Line(_ *engine.Stack, line int)                  { c.lines = append(c.lines, line) }
func (c *lineCounter) Call(*engine.Stack, []string)                    {}
func (c *lineCounter) Reply(*engine.Stack, []string, engine.Value)     {}
func (c *lineCounter) Raise(*engine.Stack, engine.LuaValue, bool)      {}
func (c *lineCounter) Breakpoint(*engine.Stack) bool                   { return false }
func (c *lineCounter) Print(_ *engine.Stack, values []engine.LuaValue) {}
func (c *lineCounter) Complain(*engine.Stack, string)                  {}
func (c *lineCounter) Log(_ *engine.Stack, level int, text string)     {}

// TestRandomWalks steps forwards and backwards in random programs. The lines, the reply and the
// data at the end must be those of a run without stops. REDMOON_SEED selects other programs,
// REDMOON_PROGRAMS their number.
func TestRandomWalks(t *testing.T) {
	seed, programs := luagen.Settings(15, 40)
	for i := range programs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		source := luagen.Program(rng, 1+rng.IntN(4))
		if !t.Run(fmt.Sprint(seed, ".", i), func(t *testing.T) { walk(t, rng, source) }) {
			t.Log(source)
		}
	}
}

// longest is the maximum number of lines that a program reaches.
const longest = 5000

// walkKeys are the keys and arguments of the programs.
var walkKeys, walkArgs = []string{"k1", "k2"}, []string{"a1", "7", "x"}

func digest(t *testing.T, e *engine.Engine) string {
	v, err := e.Do(context.Background(), "DEBUG", "DIGEST")
	require.NoError(t, err)
	return v.Text()
}

func walk(t *testing.T, rng *rand.Rand, source string) {
	ctx := context.Background()
	open := func(sync bool, observer engine.Debugger) (*engine.Engine, *player) {
		e, err := engine.New(engine.Options{Rand: rand.NewPCG(1, 2), ScriptSteps: 100_000})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		s, err := debugger.Start(ctx, e, debugger.Target{Script: engine.NewScript(source), Keys: walkKeys,
			Args: walkArgs}, debugger.Options{Sync: sync, StopOnEntry: true, Observer: observer})
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return e, &player{t: t, s: s}
	}

	plain := &lineCounter{}
	e, p := open(true, plain)
	p.next()
	p.s.Detach()
	want := p.next()
	wantDigest := digest(t, e)
	lines := plain.lines
	if len(lines) == 0 || len(lines) > longest || strings.Contains(want, "it takes more than") {
		return
	}

	w := &walker{t: t, rng: rng, lines: lines, seen: &lineCounter{}, stops: []spot{{}}}
	e, w.p = open(true, w.seen)
	w.p.next()
	for range 30 {
		w.step()
	}
	w.p.s.Detach()
	require.Equal(t, want, w.p.next())
	v, err := e.Do(context.Background(), "GET", "walk")
	require.NoError(t, err)
	if len(w.changes) == 0 {
		require.True(t, v.IsNil())
	} else {
		require.Equal(t, int64(len(w.changes)), v.MustInt())
	}
	_, err = e.Do(context.Background(), "DEL", "walk")
	require.NoError(t, err)
	require.Equal(t, wantDigest, digest(t, e))
}

// spot is a position in a run: an index of the lines, and 0 or the number of a stop within that
// line.
type spot struct{ line, within int }

func (s spot) before(o spot) bool { return s.line < o.line || s.line == o.line && s.within < o.within }

// walker gives random orders and knows where each of them must stop.
type walker struct {
	t       *testing.T
	rng     *rand.Rand
	p       *player
	lines   []int
	seen    *lineCounter
	at      spot
	stops   []spot // the present one last
	changes []spot // where the key walk was incremented
}

func (w *walker) line() int { return w.lines[w.rng.IntN(len(w.lines))] }

func (w *walker) step() {
	w.p.s.SetStops(debugger.Stops{})
	switch order := []string{"in", "in", "over", "out", "go", "go", "back", "goback", "to", "restart", "change",
		"do"}[w.rng.IntN(12)]; order {
	case "in", "over", "out", "go":
		w.forward(order)
	case "back":
		to := spot{line: w.at.line - 1}
		if w.at.within > 0 {
			to.line++
		}
		w.back(order, to)
	case "goback":
		line := w.line()
		w.p.s.SetBreakpoints([]debugger.Breakpoint{{Line: line}})
		to := spot{line: w.at.line}
		if w.at.within == 0 {
			to.line--
		}
		for to.line > 0 && w.lines[to.line] != line {
			to.line--
		}
		w.back(order, to)
	case "to":
		n := 1 + w.rng.IntN(len(w.stops))
		if n == len(w.stops) {
			require.Equal(w.t, "there was no such stop", w.p.order("to "+strconv.Itoa(n)))
			return
		}
		w.back("to "+strconv.Itoa(n), w.stops[n-1])
	case "restart":
		got := w.p.order(order)
		w.at, w.stops, w.changes = spot{}, []spot{{}}, nil
		w.check(order, got)
	case "change", "do":
		if order == "do" {
			w.p.order("do INCR walk")
		} else if !w.change("redis.call('INCR', 'walk')") {
			return
		}
		w.changes = append(w.changes, w.at)
	}
}

// change reports whether code could be evaluated. At the maximum depth of calls it cannot.
func (w *walker) change(code string) bool {
	var failed error
	require.NoError(w.t, w.p.s.Change(func(st *engine.Stack) { _, failed = st.Eval(0, "@test", code) }))
	if failed != nil {
		require.Regexp(w.t, "too many syntax levels|stack overflow", failed.Error())
	}
	return failed == nil
}

// forward resumes the script until a later stop, but not to its end.
func (w *walker) forward(order string) {
	if w.at.line+1 == len(w.lines) {
		return
	}
	stops := []debugger.Breakpoint{{Line: w.lines[len(w.lines)-1]}}
	if order == "go" {
		stops = append(stops, debugger.Breakpoint{Line: w.line()})
		w.p.s.SetStops(debugger.Stops{Errors: debugger.ErrorFilter(w.rng.IntN(3)),
			Commands: []string{[]string{"del", "hset", "nosuch"}[w.rng.IntN(3)]}, Keys: []string{[]string{"*", "[hl]"}[w.rng.IntN(2)]}})
	}
	w.p.s.SetBreakpoints(stops)
	before := len(w.seen.lines)
	got := w.p.order(order)
	where, err := w.p.s.Where()
	require.NoError(w.t, err, "%s: %s", order, got)
	if reached := len(w.seen.lines) - before; reached > 0 {
		w.at = spot{line: w.at.line + reached}
	}
	if where.Reason == debugger.ReasonError || where.Reason == debugger.ReasonCommand || where.Reason == debugger.ReasonKeyWrite {
		w.at.within++
	}
	w.stops = append(w.stops, w.at)
	w.check(order, got)
}

func (w *walker) back(order string, to spot) {
	before := len(w.seen.lines)
	got := w.p.order(order)
	if to.line < 0 {
		require.Equal(w.t, "the script is at its first line", got)
		return
	}
	require.Equal(w.t, before, len(w.seen.lines), "the observer is not called")
	earlier := func(all []spot) []spot { return slices.DeleteFunc(all, func(s spot) bool { return !s.before(to) }) }
	w.at, w.stops, w.changes = to, append(earlier(w.stops), to), earlier(w.changes)
	w.check(order, got)
}

func (w *walker) check(order, got string) {
	where, err := w.p.s.Where()
	require.NoError(w.t, err, "%s: %s", order, got)
	require.Equal(w.t, len(w.stops), where.Index, order)
	require.NoError(w.t, w.p.s.Diverged())
	if w.at.within == 0 {
		require.Equal(w.t, w.lines[w.at.line], where.Line, "%s: %s", order, got)
	}
}
