package debugger_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// library has code that runs when it is loaded, and a local that lives as long as the library.
const library = `#!lua name=shop
local calls = 0
local function left(key)
  return tonumber(redis.call('GET', key) or 0)
end
redis.register_function('claim', function(keys, args)
  calls = calls + 1
  local n = left(keys[1])
  redis.call('SET', keys[1], n + args[1])
  return calls
end)
redis.register_function{function_name = 'look', flags = {'no-writes'}, callback = function(keys)
  return left(keys[1])
end}`

func startFunction(t testing.TB, e *engine.Engine, target debugger.Target, o debugger.Options) *player {
	s, err := debugger.Start(context.Background(), e, target, o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return &player{t: t, s: s}
}

func claim() debugger.Target {
	return debugger.Target{Script: engine.NewScript(library), Function: "claim", Keys: []string{"k"}, Args: []string{"3"}}
}

// orders gives orders at a stop and returns the stops that follow.
func (p *player) orders(orders ...string) (stops []string) {
	for _, o := range orders {
		stops = append(stops, p.order(o))
	}
	return stops
}

func TestAFunctionStopsBeforeItsFirstLine(t *testing.T) {
	e := newEngine(t)
	p := startFunction(t, e, claim(), debugger.Options{StopOnEntry: true})
	require.Equal(t, "7 entry", p.next())
	require.NoError(t, p.s.At(func(st *engine.Stack) {
		frames := st.Frames()
		require.Len(t, frames, 1)
		require.Equal(t, "claim", frames[0].Name)
	}))
	require.Equal(t, []string{"8 step", "4 step", "9 step", "4 back", "9 step"}, p.orders("over", "in", "out", "back", "out"))
}

func TestGoingBackLoadsTheLibraryAgain(t *testing.T) {
	e := newEngine(t)
	p := startFunction(t, e, claim(), debugger.Options{StopOnEntry: true})
	require.Equal(t, "7 entry", p.next())
	require.Equal(t, []string{"8 step", "9 step", "10 step", "9 back", "4 back", "8 back", "7 back"},
		p.orders("over", "over", "over", "back", "back", "back", "back"))
	require.Equal(t, "0", p.order("is calls"))
	require.Equal(t, []string{"14 back", "12 back", "14 step", "7 entry", "end 1"}, p.orders("back", "back", "over", "over", "go"))
	require.NoError(t, p.s.Diverged())
}

func TestBreakpointsInTheTextOfALibrary(t *testing.T) {
	e := newEngine(t)
	p := startFunction(t, e, claim(), debugger.Options{Breakpoints: []debugger.Breakpoint{{Line: 2}, {Line: 10}}})
	require.Equal(t, "2 breakpoint", p.next())
	v, err := p.s.Do("GET", "k")
	require.NoError(t, err)
	require.Equal(t, "ERR Redis commands cannot be called while a library is loaded", v.Text())
	require.Equal(t, []string{"10 breakpoint", "2 back", "10 breakpoint", "2 breakpoint", "10 breakpoint", "end 1"},
		p.orders("go", "goback", "go", "restart", "go", "go"))
}

// Without an earlier stop, going back to the last stop ends at the first line of the function.
func TestContinueBackStaysInTheFunction(t *testing.T) {
	e := newEngine(t)
	p := startFunction(t, e, claim(), debugger.Options{Breakpoints: []debugger.Breakpoint{{Line: 10}}})
	require.Equal(t, "10 breakpoint", p.next())
	require.Equal(t, []string{"7 back", "2 back"}, p.orders("goback", "goback"))
	require.Equal(t, "the script is at its first line", p.order("goback"))
}

func TestAFunctionOfTheEngine(t *testing.T) {
	e := newEngine(t)
	ctx := context.Background()
	_, err := e.Do(ctx, "FUNCTION", "LOAD", library)
	require.NoError(t, err)
	_, err = e.FCall(ctx, "claim", []string{"k"}, 3)
	require.NoError(t, err)
	target := claim()
	target.Script = nil

	p := startFunction(t, e, target, debugger.Options{StopOnEntry: true})
	require.Equal(t, "7 entry", p.next())
	require.Equal(t, "the script is at its first line", p.order("back"))
	require.Equal(t, []string{"8 step", "7 back", "end 1"}, p.orders("over", "back", "go"), "a copy loads its libraries")

	p = startFunction(t, e, target, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "7 entry", p.next())
	require.Equal(t, "end 2", p.orders("go")[0])
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.Equal(t, "6", v.Text())

	// Going back loads the library again: its locals lose what earlier calls have left.
	p = startFunction(t, e, target, debugger.Options{Sync: true, StopOnEntry: true})
	require.Equal(t, "7 entry", p.next())
	require.Equal(t, "2", p.order("is calls"))
	require.Equal(t, []string{"8 step", "7 back"}, p.orders("over", "back"))
	require.Equal(t, "0", p.order("is calls"))
	require.Equal(t, "end 1", p.order("go"))

	target.ReadOnly = true
	p = startFunction(t, e, target, debugger.Options{StopOnEntry: true})
	require.Equal(t, "end ERR Can not execute a script with write flag using *_ro command.", p.next())

	target.Function = "other"
	_, err = debugger.Start(ctx, e, target, debugger.Options{})
	require.ErrorIs(t, err, debugger.ErrNoFunction)
}

func TestALibraryThatCannotBeLoaded(t *testing.T) {
	e := newEngine(t)
	for text, want := range map[string]string{
		"#!lua name=l\nlocal x = 1": "ERR No functions registered",
		"#!lua name=l\nlocal x = ":  "ERR Error compiling function: user_function:2: unexpected symbol near '<eof>'",
		"#!lua name=l\nlocal x = y.z": "ERR Error registering functions: ERR user_function:2: " +
			"Script attempted to access nonexistent global variable 'y'",
		"#!lua nam=l": "ERR Invalid library metadata",
	} {
		p := startFunction(t, e, debugger.Target{Script: engine.NewScript(text), Function: "f"}, debugger.Options{})
		require.Equal(t, "end "+want, p.next(), text)
	}
	p := startFunction(t, e, debugger.Target{Script: engine.NewScript(library), Function: "f"}, debugger.Options{})
	require.Equal(t, "end ERR Function not found", p.next())

	text := "#!lua name=l\nlocal x = 1\nlocal y = x.z.z"
	p = startFunction(t, e, debugger.Target{Script: engine.NewScript(text), Function: "f"},
		debugger.Options{Stops: debugger.Stops{Errors: debugger.ErrorsUncaught}})
	require.Equal(t, "3 error user_function:3: attempt to index local 'x' (a number value)", p.next())
	require.Equal(t, []string{"3 back", "2 back", "3 step"}, p.orders("back", "back", "over"))
	p.s.Abort()
	require.NotEmpty(t, p.next())
	require.True(t, p.ended.Aborted)
}

// A debugger may hold the text of a library for longer than FUNCTION LOAD allows it to run.
func TestAFunctionIsAbortedWhileItsLibraryIsLoaded(t *testing.T) {
	e := newEngine(t)
	p := startFunction(t, e, claim(), debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 2}}})
	require.Equal(t, "2 breakpoint", p.next())
	p.s.Abort()
	require.NotEmpty(t, p.next())
	require.True(t, p.ended.Aborted)
	_, err := e.FCall(context.Background(), "claim", []string{"k"}, 3)
	require.ErrorContains(t, err, "ERR Function not found", "the library is not there")
}

func TestAttachStopsFunctions(t *testing.T) {
	e := newEngine(t)
	ctx := context.Background()
	sha := engine.NewScript(library).SHA()
	sessions := make(chan *debugger.Session, 1)
	var calls []engine.ScriptCall
	detach, err := debugger.Attach(e, func(c engine.ScriptCall) (debugger.Options, bool) {
		calls = append(calls, engine.ScriptCall{Script: c.Script, Function: c.Function, Loading: c.Loading})
		return debugger.Options{Breakpoints: []debugger.Breakpoint{{Line: 2}, {Line: 8}, {Line: 13}}}, c.Script.SHA() == sha
	}, func(s *debugger.Session, _ engine.ScriptCall) { sessions <- s })
	require.NoError(t, err)
	t.Cleanup(detach)

	replies := make(chan engine.Value, 1)
	run := func(args ...string) *player {
		go func() {
			v, _ := e.DoStrings(ctx, args...)
			replies <- v
		}()
		p := &player{t: t, s: <-sessions}
		t.Cleanup(p.s.Close) // before detach, which waits for the script
		return p
	}
	p := run("FUNCTION", "LOAD", library)
	require.Equal(t, "2 breakpoint", p.next())
	require.Equal(t, "5 step", p.orders("over")[0])
	require.Equal(t, "2 back", p.orders("back")[0])
	require.Equal(t, "end shop", p.order("go"))
	require.Equal(t, "shop", (<-replies).Text())

	p = run("FCALL", "claim", "1", "k", "5")
	require.Equal(t, "8 breakpoint", p.next())
	require.Equal(t, []string{"9 step", "10 step", "8 back", "end 1"}, p.orders("over", "over", "goback", "go"))
	require.Equal(t, "1", (<-replies).Text())

	p = run("FCALL_RO", "look", "1", "k")
	require.Equal(t, "13 breakpoint", p.next())
	p.orders("go")
	require.Equal(t, "5", (<-replies).Text())
	require.Equal(t, []string{"", "claim", "look"}, []string{calls[0].Function, calls[1].Function, calls[2].Function})
	require.True(t, calls[0].Loading)
	require.False(t, calls[1].Loading)
}
