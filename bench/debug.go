package main

import (
	"context"
	"fmt"
	"os"

	"github.com/redmoon-lua/redmoon/engine"
)

// debugWay is how a script is run in runDebug.
type debugWay struct {
	name string
	run  func(e *engine.Engine, s *engine.Script, keys, args []string) error
	ns   []float64
}

// onlooker is a debugger that lets everything go on.
type onlooker struct{}

func (onlooker) Line(*engine.Stack, int) {}

func (onlooker) Call(*engine.Stack, []string) {}

func (onlooker) Reply(*engine.Stack, []string, engine.Value) {}

func (onlooker) Raise(*engine.Stack, engine.LuaValue, bool) {}

func (onlooker) Complain(*engine.Stack, string) {}

func (onlooker) Breakpoint(*engine.Stack) bool { return false }

func (onlooker) Print(*engine.Stack, []engine.LuaValue) {}

func (onlooker) Log(*engine.Stack, int, string) {}

// debugSteps is how many runs of the script one round measures.
const debugSteps = 20_000

// runDebug measures the red packet script as it is run for everybody and under a debugger that only looks on.
func runDebug(opt options) error {
	ways := []*debugWay{
		{name: "not debugged", run: func(e *engine.Engine, s *engine.Script, keys, args []string) error {
			_, err := e.RunScript(context.Background(), s, keys, args)
			return err
		}},
		{name: "debugged", run: func(e *engine.Engine, s *engine.Script, keys, args []string) error {
			_, err := e.DebugScript(context.Background(), s, keys, args, func(*engine.DebugRun) engine.Debugger { return onlooker{} })
			return err
		}},
	}
	w := redpacketWorkload()
	for round := range opt.rounds + 1 { // the first warms up
		for k := range ways {
			way := ways[k]
			if round%2 == 1 {
				way = ways[len(ways)-1-k]
			}
			ns, err := way.round(w, opt)
			if err != nil {
				return err
			}
			if round > 0 {
				way.ns = append(way.ns, ns)
			}
		}
	}
	fmt.Printf("the red packet script, one caller, medians of %d rounds of %d runs\n\n", opt.rounds, debugSteps)
	tw := newTable(os.Stdout)
	fmt.Fprintln(tw, "\tns a run\t÷ not debugged\t")
	for _, way := range ways {
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\t\n", way.name, median(way.ns), median(way.ns)/median(ways[0].ns))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

// round is what one run took, in nanoseconds, of debugSteps on an engine of their own.
func (d *debugWay) round(w workload, opt options) (float64, error) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		return 0, err
	}
	defer e.Close()
	if err := (engineStore{e}).Run(w.setup(debugSteps)); err != nil {
		return 0, err
	}
	var args []string
	start := opt.watch()
	for i := range debugSteps {
		args = w.op(args[:0], i)
		if err := d.run(e, w.script, args[:w.nkeys], args[w.nkeys:]); err != nil {
			return 0, err
		}
	}
	return float64((opt.watch() - start).Nanoseconds()) / debugSteps, nil
}
