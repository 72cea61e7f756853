package rapidtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// Property is what must hold whenever a script is called. Each run has a new engine.
type Property struct {
	Script *engine.Script
	// Calls generates the calls; see the function Calls. Default: without keys and arguments.
	Calls *rapid.Generator[Call]
	// Fill generates the keyspace before the first call; see [Keyspace]. Default: it is empty.
	Fill *rapid.Generator[Commands]
	// MaxCalls is the largest number of calls of a run. Default: 8.
	MaxCalls int
	// Options are those of the engines.
	Options []redmoontest.Option

	// Model returns a model of the script: a function that returns the reply to each call, as
	// [github.com/redmoon-lua/redmoon/reply.Value.Plain] does. An int counts as an int64, a []string
	// as a []any, a boolean as Redis returns it, and an error as an error reply of that text. e holds
	// the keyspace before the first call. Optional.
	Model func(e *redmoontest.Engine) func(c Call) any
	// Invariant returns an error if something is not as it must be. It is called after each call.
	// Optional.
	Invariant func(e *redmoontest.Engine) error
	// Against is a real server that must give the same replies, and hold the same keys in the end,
	// such as goredis.New of the client that goredis.Open("redis://localhost:6379/9") returns. Its
	// database must be empty; Check uses it alone, and empties it again. Times to live may differ by
	// 10 seconds. A script that depends on the time, on chance or on the order of a hash table has
	// other replies there. Optional.
	Against engine.Client
}

// Check looks for calls that break a property, by rapid.Check. An error reply of the script breaks
// nothing by itself.
func Check(t testing.TB, p Property) {
	t.Helper()
	if p.Script == nil {
		t.Fatalf("rapidtest: Check needs a script")
	}
	if p.Calls == nil {
		p.Calls = Calls(nil)
	}
	if p.Fill == nil {
		p.Fill = rapid.Just(Commands{})
	}
	if p.MaxCalls <= 0 {
		p.MaxCalls = 8
	}
	var s *server
	if p.Against != nil {
		s = &server{p.Against}
		if err := s.begin(); err != nil {
			t.Fatalf("rapidtest: %v", err)
		}
		defer s.flush()
	}
	rapid.Check(t, func(rt *rapid.T) { p.run(t, rt, s) })
}

// run is a run of a property.
func (p Property) run(t testing.TB, rt *rapid.T, s *server) {
	e := New(t, rt, p.Options...)
	ctx := context.Background()
	fill := p.Fill.Draw(rt, "keyspace")
	if s != nil {
		if err := s.flush(); err != nil {
			rt.Fatalf("the server: %v", err)
		}
	}
	for _, words := range fill {
		if _, err := e.DoStrings(ctx, words...); err != nil {
			rt.Fatalf("%s: %v", harness.Line(words), err)
		}
		if s != nil {
			if _, err := s.DoStrings(ctx, words...); err != nil {
				rt.Fatalf("the server: %s: %v", harness.Line(words), err)
			}
		}
	}
	var model func(Call) any
	if p.Model != nil {
		model = p.Model(e)
	}
	for i, c := range rapid.SliceOfN(p.Calls, 1, p.MaxCalls).Draw(rt, "calls") {
		fail := func(format string, args ...any) {
			rt.Fatalf("call %d, %s: %s\nthe keyspace:\n%s", i+1, c, fmt.Sprintf(format, args...), e.Keyspace())
		}
		found, err := plain(call(ctx, e, p.Script, c))
		if err != nil {
			rt.Fatalf("call %d, %s: %v", i+1, c, err)
		}
		if model != nil {
			if want := expected(model(c)); !reflect.DeepEqual(want, found) {
				fail("the reply is %s, by the model %s", show(found), show(want))
			}
		}
		if s != nil {
			there, err := plain(call(ctx, s, p.Script, c))
			if err != nil {
				rt.Fatalf("the server: call %d, %s: %v", i+1, c, err)
			}
			if !reflect.DeepEqual(there, found) {
				fail("the reply is %s, on the server %s", show(found), show(there))
			}
		}
		if p.Invariant != nil {
			if err := p.Invariant(e); err != nil {
				fail("%v", err)
			}
		}
	}
	if s != nil {
		if err := s.compare(t, rt, e); err != nil {
			rt.Fatalf("%v", err)
		}
	}
}

// failed is an error reply.
type failed string

// plain returns a reply to be compared. An error that is not a reply is returned.
func plain(v engine.Value, err error) (any, error) {
	var e *engine.Error
	switch {
	case errors.As(err, &e):
		return failed(e.Error()), nil
	case err != nil:
		return nil, err
	}
	return expected(v.Plain()), nil
}

// expected returns a reply of a model, or a part of a reply, as plain does.
func expected(want any) any {
	switch want := want.(type) {
	case bool:
		if want {
			return int64(1)
		}
		return nil
	case int:
		return int64(want)
	case error:
		return failed(want.Error())
	case []string:
		list := make([]any, len(want))
		for i, s := range want {
			list[i] = s
		}
		return list
	case []any:
		list := make([]any, len(want))
		for i, v := range want {
			list[i] = expected(v)
		}
		return list
	}
	return want
}

// show returns a reply for people.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "(nil)"
	case failed:
		return "(error) " + string(v)
	case int64:
		return fmt.Sprintf("(integer) %d", v)
	}
	return fmt.Sprintf("%#v", v)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func call(ctx context.Context, on engine.Client, s *engine.Script, c Call) (engine.Value, error) {
	return on.RunScript(ctx, s, c.Keys, c.Args)
}
