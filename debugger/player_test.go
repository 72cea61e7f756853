package debugger_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// TestMain fails if sessions or engines leave goroutines behind.
func TestMain(m *testing.M) {
	code := m.Run()
	var left bytes.Buffer
	if patience.True(func() bool {
		left.Reset()
		_ = pprof.Lookup("goroutine").WriteTo(&left, 2)
		return !strings.Contains(left.String(), "debugger.(*") && !strings.Contains(left.String(), "engine.(*Engine).loop")
	}) {
		os.Exit(code)
	}
	fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", left.String())
	os.Exit(1)
}

func newEngine(t testing.TB) *engine.Engine {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// player gives orders to a session and records what happens.
type player struct {
	t      testing.TB
	s      *debugger.Session
	output []string
	ended  *debugger.Ended
}

func start(t testing.TB, e *engine.Engine, script string, o debugger.Options, keys ...string) *player {
	s, err := debugger.Start(context.Background(), e, debugger.Target{Script: engine.NewScript(script), Keys: keys}, o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return &player{t: t, s: s}
}

// next returns the next stop, for example "3 step", or "end" with the reply.
func (p *player) next() string {
	for ev := range p.s.Events() {
		switch ev := ev.(type) {
		case debugger.Stopped:
			text := fmt.Sprintf("%d %s", ev.Line, ev.Reason)
			if ev.Text != "" {
				text += " " + ev.Text
			}
			return text
		case debugger.Output:
			p.output = append(p.output, fmt.Sprintf("%d: %s", ev.Line, ev.Text))
		case debugger.Called:
			state := "?"
			if ev.Call.Done {
				state = show(ev.Call.Reply)
			}
			p.output = append(p.output, fmt.Sprintf("%d: %s = %s", ev.Call.Line, strings.Join(ev.Call.Args, " "), state))
		case debugger.Ended:
			p.ended = &ev
			if ev.Err != nil {
				return "end by " + ev.Err.Error()
			}
			return "end " + show(ev.Reply)
		}
	}
	return "closed"
}

// order gives an order and returns its result.
func (p *player) order(order string) string {
	name, rest, _ := strings.Cut(order, " ")
	var err error
	switch name {
	case "in":
		err = p.s.StepIn()
	case "over":
		err = p.s.StepOver()
	case "out":
		err = p.s.StepOut()
	case "go":
		err = p.s.Continue()
	case "back":
		err = p.s.StepBack()
	case "goback":
		err = p.s.ContinueBack()
	case "restart":
		err = p.s.Restart()
	case "abort":
		p.s.Abort()
	case "raise":
		err = p.s.Raise(rest)
	case "to":
		var n int
		if n, err = strconv.Atoi(rest); err == nil {
			err = p.s.BackTo(n)
		}
	case "is":
		return p.eval(rest)
	case "up": // in the function that has called the innermost one
		return p.evalIn(1, rest)
	case "let":
		p.change(rest)
		return "done"
	case "do":
		v, err := p.s.Do(strings.Fields(rest)...)
		require.NoError(p.t, err)
		return show(v)
	case "break":
		var list []debugger.Breakpoint
		for _, f := range strings.Fields(rest) {
			line, err := strconv.Atoi(f)
			require.NoError(p.t, err)
			list = append(list, debugger.Breakpoint{Line: line})
		}
		p.s.SetBreakpoints(list)
		return "set"
	default:
		p.t.Fatalf("unknown order %q", order)
	}
	if err != nil {
		return strings.TrimPrefix(err.Error(), "debugger: ")
	}
	return p.next()
}

// eval evaluates code in the innermost frame.
func (p *player) eval(code string) string { return p.evalIn(0, code) }

// evalIn evaluates code in a frame; 0 is the innermost one.
func (p *player) evalIn(level int, code string) (text string) {
	require.NoError(p.t, p.s.At(func(st *engine.Stack) {
		values, err := st.Eval(level, "@test", code)
		if text = debugger.FormatAll(values, 0); err != nil {
			text = err.Error()
		}
	}))
	return text
}

// change runs code in the innermost frame; replays run it again.
func (p *player) change(code string) {
	var failed error
	require.NoError(p.t, p.s.Change(func(st *engine.Stack) { _, failed = st.Eval(0, "@test", code) }))
	require.NoError(p.t, failed)
}

// play waits for the first stop, gives orders, and returns all results.
func (p *player) play(orders string) []string {
	seen := []string{p.next()}
	for _, order := range strings.Split(orders, ";") {
		if order = strings.TrimSpace(order); order != "" {
			seen = append(seen, p.order(order))
		}
	}
	return seen
}

func show(v engine.Value) string {
	if list := v.Slice(); list != nil {
		texts := make([]string, len(list))
		for i, e := range list {
			texts[i] = show(e)
		}
		return "[" + strings.Join(texts, " ") + "]"
	}
	if v.IsNil() {
		return "nil"
	}
	return v.Text()
}

func joined(seen []string) string { return strings.Join(seen, ", ") }
