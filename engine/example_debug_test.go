package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/engine"
)

// tracer is a debugger that prints what a script does.
type tracer struct{ lines }

func (tracer) Call(_ *engine.Stack, args []string) { fmt.Println("  calls", args) }

// A debugger sees each line and each command. Package debugger has one that stops, steps and goes
// back.
func ExampleEngine_DebugScript() {
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	script := engine.NewScript(`local n = redis.call('incr', KEYS[1])
if n > 1 then
  redis.call('del', KEYS[1])
end
return n`)
	v, err := e.DebugScript(context.Background(), script, []string{"hits"}, nil, func(r *engine.DebugRun) engine.Debugger {
		r.OnEnd(func(engine.Value) { fmt.Println("changed", r.Touched()) })
		return tracer{lines{func(_ *engine.Stack, line int) { fmt.Println("line", line) }}}
	})
	fmt.Println(v.MustInt(), err)
	// Output:
	// line 1
	//   calls [incr hits]
	// line 2
	// line 5
	// changed [{0 hits incrby}]
	// 1 <nil>
}

// A run can be undone and repeated, with the same random choices.
func ExampleDebugRun_Rewind() {
	e, err := engine.New(engine.Options{Rand: rand.NewPCG(1, 2)})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	e.Do(context.Background(), "SADD", "names", "ann", "bob", "cat")
	script := engine.NewScript("return redis.call('spop', 'names')")
	runs := 0
	first, err := e.DebugScript(context.Background(), script, nil, nil, func(r *engine.DebugRun) engine.Debugger {
		if runs++; runs < 3 {
			r.Rewind()
		}
		return nil
	})
	left, _ := e.Do(context.Background(), "SCARD", "names")
	fmt.Println(runs, first.Text() != "", left.MustInt(), err)
	// Output: 3 true 2 <nil>
}

// Changes on a fork do not affect the engine.
func ExampleEngine_Fork() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	e.Do(ctx, "SET", "stock", 3)

	fork, err := e.Fork()
	if err != nil {
		panic(err)
	}
	defer fork.Close()
	fork.Do(ctx, "DECR", "stock")
	here, _ := e.Do(ctx, "GET", "stock")
	there, _ := fork.Do(ctx, "GET", "stock")
	fmt.Println(here.Text(), there.Text())
	// Output: 3 2
}

// A snapshot shows what has changed since, and can be restored.
func ExampleEngine_Changes() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	e.Do(ctx, "HSET", "user:1", "name", "ann", "age", 30)
	snapshot, err := e.Snapshot()
	if err != nil {
		panic(err)
	}
	e.Do(ctx, "HINCRBY", "user:1", "age", 1)
	changes, err := e.Changes(snapshot)
	if err != nil {
		panic(err)
	}
	for _, c := range changes {
		fmt.Printf("%s\nbefore: %s\nafter: %s\n", c.Key, c.Before, c.After)
	}
	fmt.Println(e.Restore(snapshot))
	// Output:
	// user:1
	// before: hash, 2 fields
	// "age" = "30"
	// after: hash, 2 fields
	// "age" = "31"
	// <nil>
}

// Scripts of other callers can be debugged too; here, each script that uses a key of the stock.
func ExampleEngine_InterceptScripts() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	stop, err := e.InterceptScripts(func(c engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
		if len(c.Keys) == 0 || c.Keys[0] != "stock" {
			return nil
		}
		return func(*engine.DebugRun) engine.Debugger { return tracer{} }
	})
	if err != nil {
		panic(err)
	}
	e.Eval(ctx, "return redis.call('decr', KEYS[1])", []string{"stock"})
	stop()
	e.Eval(ctx, "return redis.call('decr', KEYS[1])", []string{"stock"})
	// Output:
	//   calls [decr stock]
}
