package main

import (
	"context"
	"fmt"
	"os"

	"github.com/redmoon-lua/redmoon/engine"
)

// debugWay is one way to run a script in runDebug.
type debugWay struct {
	name    string
	run     func(e *engine.Engine, s *engine.Script, keys, args []string) error
	options func() engine.Options // nil: none
	ns      []float64
}

// idleDebugger is a debugger that never stops a script.
type idleDebugger struct{}

func (idleDebugger) Line(*engine.Stack, int) {}

func (idleDebugger) Call(*engine.Stack, []string) {}

func (idleDebugger) Reply(*engine.Stack, []string, engine.Value) {}

func (idleDebugger) Raise(*engine.Stack, engine.LuaValue, bool) {}

func (idleDebugger) Complain(*engine.Stack, string) {}

func (idleDebugger) Breakpoint(*engine.Stack) bool { return false }

func (idleDebugger) Print(*engine.Stack, []engine.LuaValue) {}

func (idleDebugger) Log(*engine.Stack, int, string) {}

// debugSteps is the number of runs of the script in one round.
const debugSteps = 20_000

// runDebug measures the red packet script as it is, with coverage, with a profile, and with a
// debugger that never stops it.
func runDebug(opt options) error {
	plain := func(e *engine.Engine, s *engine.Script, keys, args []string) error {
		_, err := e.RunScript(context.Background(), s, keys, args)
		return err
	}
	ways := []*debugWay{
		{name: "as it is", run: plain},
		{name: "coverage", run: plain, options: func() engine.Options { return engine.Options{Coverage: engine.NewCoverage()} }},
		{name: "profile", run: plain, options: func() engine.Options { return engine.Options{Profile: engine.NewProfile()} }},
		{name: "debugged", run: func(e *engine.Engine, s *engine.Script, keys, args []string) error {
			_, err := e.DebugScript(context.Background(), s, keys, args, func(*engine.DebugRun) engine.Debugger { return idleDebugger{} })
			return err
		}},
	}
	w := redpacketWorkload()
	for round := range opt.rounds + 1 { // the first round warms up
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
	fmt.Fprintln(tw, "\tns per run\t÷ as it is\t")
	for _, way := range ways {
		fmt.Fprintf(tw, "%s\t%.0f\t%.2f\t\n", way.name, median(way.ns), median(way.ns)/median(ways[0].ns))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Println()
	return nil
}

// round returns the mean time of a run in nanoseconds, of debugSteps runs on a new engine.
func (d *debugWay) round(w workload, opt options) (float64, error) {
	var o engine.Options
	if d.options != nil {
		o = d.options()
	}
	e, err := engine.New(o)
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
