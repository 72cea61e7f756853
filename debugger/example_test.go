package debugger_test

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

var stock = engine.NewScript(`local left = tonumber(redis.call('GET', KEYS[1]))
local want = tonumber(ARGV[1])
if left < want then
  return redis.error_reply('SOLDOUT ' .. left .. ' left')
end
return redis.call('DECRBY', KEYS[1], want)`)

// A script is stopped at a line, inspected, changed and resumed. It runs on a fork of the engine,
// so that its changes are discarded.
func ExampleStart() {
	ctx := context.Background()
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	_, _ = e.Do(ctx, "SET", "stock", 5)

	target := debugger.Target{Script: stock, Keys: []string{"stock"}, Args: []string{"7"}}
	s, err := debugger.Start(ctx, e, target, debugger.Options{
		Breakpoints: []debugger.Breakpoint{{Line: 3, Condition: "left < want"}},
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	for ev := range s.Events() {
		switch ev := ev.(type) {
		case debugger.Stopped:
			_ = s.At(func(st *engine.Stack) {
				for _, v := range st.Frames()[0].Locals() {
					fmt.Println(v.Name, "=", debugger.Format(v.Value, 100))
				}
			})
			_ = s.Change(func(st *engine.Stack) { _, _ = st.Eval(0, "@change", "want = 2") })
			_ = s.Continue()
		case debugger.Ended:
			fmt.Println("reply:", ev.Reply.MustInt())
		}
	}
	v, _ := e.Do(ctx, "GET", "stock")
	fmt.Println("still in stock:", v.Text())
	// Output:
	// left = 5
	// want = 7
	// reply: 3
	// still in stock: 5
}

// The script goes back from an error to the beginning of its line.
func ExampleSession_StepBack() {
	ctx := context.Background()
	e, _ := engine.New(engine.Options{})
	defer e.Close()

	target := debugger.Target{Script: stock, Keys: []string{"stock"}, Args: []string{"7"}}
	s, err := debugger.Start(ctx, e, target, debugger.Options{
		Stops: debugger.Stops{Errors: debugger.ErrorsUncaught},
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	stop := (<-s.Events()).(debugger.Stopped)
	fmt.Println(stop.Line, stop.Reason, stop.Text)
	_ = s.StepBack()
	stop = (<-s.Events()).(debugger.Stopped)
	fmt.Println(stop.Line, stop.Reason)
	calls, _ := s.Calls()
	for _, c := range calls {
		fmt.Println(c.Args, "answered nil:", c.Reply.IsNil())
	}
	// Output:
	// 3 error user_script:3: attempt to compare nil with number
	// 3 back
	// [GET stock] answered nil: true
}

// Scripts that callers of the engine run are debugged.
func ExampleAttach() {
	ctx := context.Background()
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	_, _ = e.Do(ctx, "SET", "stock", 5)

	detach, err := debugger.Attach(e, func(c engine.ScriptCall) (debugger.Options, bool) {
		return debugger.Options{Stops: debugger.Stops{Keys: []string{"sto*"}}}, c.Script.SHA() == stock.SHA()
	}, func(s *debugger.Session, c engine.ScriptCall) {
		defer s.Close()
		for ev := range s.Events() {
			if stop, ok := ev.(debugger.Stopped); ok {
				fmt.Println("line", stop.Line, "has changed", stop.Text, "for", c.Args)
				_ = s.Continue()
			}
		}
	})
	if err != nil {
		panic(err)
	}
	v, _ := stock.Run(ctx, e, []string{"stock"}, 2)
	fmt.Println(v.MustInt())
	detach()
	// Output:
	// line 6 has changed stock for [2]
	// 3
}

// Watch expressions are evaluated at each stop.
func ExampleSession_Watches() {
	ctx := context.Background()
	e, _ := engine.New(engine.Options{})
	defer e.Close()
	script := engine.NewScript("local sum = 0\nfor i = 1, 3 do\n  sum = sum + i\nend\nreturn sum")
	s, err := debugger.Start(ctx, e, debugger.Target{Script: script}, debugger.Options{
		Breakpoints: []debugger.Breakpoint{{Line: 3, Condition: "i > 1"}},
	})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	s.Watch("sum * 10")
	for ev := range s.Events() {
		if _, ok := ev.(debugger.Stopped); ok {
			list, _ := s.Watches(0)
			fmt.Println(list[0].Expression, "=", list[0].Text)
			_ = s.Continue()
		}
	}
	// Output:
	// sum * 10 = 10
	// sum * 10 = 30
}

// A breakpoint on a line without code moves to the next line that has code.
func ExampleResolveBreakpoints() {
	source := "local n = 1\n\n-- a comment\nreturn n"
	for _, b := range debugger.ResolveBreakpoints(source, []debugger.Breakpoint{{Line: 2}, {Line: 9}}) {
		fmt.Printf("line %d: %q\n", b.Line, b.Problem)
	}
	// Output:
	// line 4: ""
	// line 9: "no code on this line or behind it"
}
