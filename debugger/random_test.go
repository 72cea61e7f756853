package debugger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/difftest/luagen"
)

// lineCounter is an Observer that writes down the lines that are reached.
type lineCounter struct{ lines []int }

func (c *lineCounter) Line(_ *engine.Stack, line int)                  { c.lines = append(c.lines, line) }
func (c *lineCounter) Call(*engine.Stack, []string)                    {}
func (c *lineCounter) Reply(*engine.Stack, []string, engine.Value)     {}
func (c *lineCounter) Raise(*engine.Stack, engine.LuaValue, bool)      {}
func (c *lineCounter) Breakpoint(*engine.Stack) bool                   { return false }
func (c *lineCounter) Print(_ *engine.Stack, values []engine.LuaValue) {}
func (c *lineCounter) Complain(*engine.Stack, string)                  {}
func (c *lineCounter) Log(_ *engine.Stack, level int, text string)     {}

// TestRandomWalks steps to and fro in random programs. The lines are those of a run without a stop, and so are the reply and what the keyspace holds in the end. REDMOON_SEED and
// REDMOON_PROGRAMS choose others.
func TestRandomWalks(t *testing.T) {
	seed, programs := uint64(1), 40
	if n, err := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64); err == nil {
		seed = n
	}
	if n, err := strconv.Atoi(os.Getenv("REDMOON_PROGRAMS")); err == nil {
		programs = n
	}
	for i := range programs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		source := luagen.Program(rng, 1+rng.IntN(4))
		if !t.Run(fmt.Sprint(seed, ".", i), func(t *testing.T) { walk(t, rng, source) }) {
			t.Log(source)
		}
	}
}

// longest is how many lines a program may reach that is walked in.
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
		e, err := engine.New(engine.Options{Rand: rand.NewPCG(1, 2)})
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Close() })
		s, err := debugger.Start(ctx, e, debugger.Target{Script: engine.NewScript(source), Keys: walkKeys, Args: walkArgs}, debugger.Options{Sync: sync, StopOnEntry: true, Observer: observer})
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
	if len(lines) == 0 || len(lines) > longest {
		return
	}

	seen := &lineCounter{}
	e, p = open(true, seen)
	p.next()
	at, stops := 0, []int{0} // where the script is, as an index of lines, and its stops
	check := func(order, got string) {
		where, err := p.s.Where()
		require.NoError(t, err, "%s: %s", order, got)
		require.Equal(t, lines[at], where.Line, "%s: %s", order, got)
		require.Equal(t, len(stops), where.Index, order)
		require.NoError(t, p.s.Diverged())
	}
	for range 30 {
		before := len(seen.lines)
		switch order := []string{"in", "in", "over", "out", "go", "back", "goback", "to", "restart"}[rng.IntN(9)]; order {
		case "in", "over", "out", "go":
			if order == "go" {
				p.s.SetBreakpoints([]debugger.Breakpoint{{Line: lines[rng.IntN(len(lines))]}})
			}
			if order != "go" && at+1 == len(lines) {
				continue // that would end it
			}
			if order != "in" {
				p.s.SetBreakpoints([]debugger.Breakpoint{{Line: lines[len(lines)-1]}}) // before the end
			}
			if order == "go" && at+1 == len(lines) {
				continue
			}
			got := p.order(order)
			at += len(seen.lines) - before
			stops = append(stops, at)
			check(order, got)
		case "back":
			got := p.order(order)
			if at == 0 {
				require.Equal(t, "the script is at its first line", got)
				continue
			}
			require.Equal(t, before, len(seen.lines), "nobody is told")
			at--
			stops = append(earlier(stops, at), at)
			check(order, got)
		case "goback":
			line := lines[rng.IntN(len(lines))]
			p.s.SetBreakpoints([]debugger.Breakpoint{{Line: line}})
			got := p.order(order)
			if at == 0 {
				require.Equal(t, "the script is at its first line", got)
				continue
			}
			for at--; at > 0 && lines[at] != line; at-- {
			}
			stops = append(earlier(stops, at), at)
			check(order, got)
		case "to":
			n := 1 + rng.IntN(len(stops))
			got := p.order("to " + strconv.Itoa(n))
			if n == len(stops) {
				require.Equal(t, "there was no such stop", got)
				continue
			}
			at = stops[n-1]
			stops = stops[:n]
			check(order, got)
		case "restart":
			got := p.order(order)
			at, stops = 0, []int{0}
			check(order, got)
		}
	}
	p.s.Detach()
	require.Equal(t, want, p.next())
	require.Equal(t, wantDigest, digest(t, e))
}

func earlier(stops []int, at int) []int {
	for len(stops) > 0 && stops[len(stops)-1] >= at {
		stops = stops[:len(stops)-1]
	}
	return stops
}
