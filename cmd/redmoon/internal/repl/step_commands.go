package repl

import (
	"context"
	"errors"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
)

func stepCommands() []command {
	return []command{
		step("step", []string{"stepin"}, "s", "continue to the next line, also in functions that are called", backend.Target.StepIn),
		step("next", []string{"stepover"}, "n", "continue to the next line of this function or of its caller", backend.Target.StepOver),
		step("out", []string{"stepout", "finish"}, "o", "continue until this function has returned", backend.Target.StepOut),
		step("continue", []string{"cont"}, "c", "continue to the next stop", backend.Target.Continue),
		{
			name: "back", aliases: []string{"stepback"}, letter: "k", group: groupSteps, args: "[N]", where: atStop | local,
			help: "go back to the line before this one, or to stop number N of this run",
			more: []string{"The script runs again from its beginning, with the same data, " +
				"time and random choices. Changes that you have made at " +
				"earlier stops are made again."},
			run: (*dialogue).back,
		},
		{
			name: "reverse", aliases: []string{"continueback"}, group: groupSteps, where: atStop | local,
			help: "go back to the last line with a breakpoint, or to the first line",
			run:  func(d *dialogue, _ string) error { return d.resume(":reverse", backend.Target.ContinueBack) },
		},
		step("restart", nil, "r", "run the script again from its beginning, on the original data", backend.Target.Restart),
		{
			name: "abort", aliases: []string{"kill"}, letter: "a", group: groupSteps, where: atStop,
			help: "end the script",
			run: func(d *dialogue, _ string) error {
				go d.stop.target.Abort()
				return d.waitForStop()
			},
		},
	}
}

// step returns a command without arguments that resumes the script. An empty line repeats it.
func step(name string, aliases []string, letter, help string, order func(backend.Target) error) command {
	return command{
		name: name, aliases: aliases, letter: letter, group: groupSteps, where: atStop, help: help,
		run: func(d *dialogue, _ string) error { return d.resume(":"+name, order) },
	}
}

// resume resumes the script and waits for its next stop.
func (d *dialogue) resume(line string, order func(backend.Target) error) error {
	t := d.stop.target
	if err := order(t); err != nil {
		return withoutPackage(err)
	}
	if err := d.waitForStop(); err != nil {
		return err
	}
	if d.stop != nil {
		d.repeat = line
		if err := t.Diverged(); err != nil && d.stop.target == t {
			d.say(d.palette.bad("this run differs from the one before: " + withoutPackage(err).Error()))
		}
	}
	return nil
}

func (d *dialogue) back(rest string) error {
	if rest == "" {
		return d.resume(":back", backend.Target.StepBack)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return d.usage("back")
	}
	return d.resume(":back", func(t backend.Target) error { return t.BackTo(n) })
}

// withoutPackage returns an error without the name of package debugger.
func withoutPackage(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "debugger: "); ok {
		return errors.New(text)
	}
	return err
}

// debug begins to debug the loaded script.
func (d *dialogue) debug(rest string) error {
	words, err := display.Split(rest)
	if err != nil {
		return err
	}
	sync := len(words) > 0 && words[0] == "--sync"
	if sync {
		words = words[1:]
	}
	if err := d.prepare(words); err != nil {
		return err
	}
	o := debugger.Options{Sync: sync, StopOnEntry: true, Breakpoints: slices.Clone(d.breakpoints[d.script.script.SHA()]), Stops: d.stops}
	if sync {
		d.snapshotBefore()
	}
	script := debugger.Target{Script: d.script.script, Keys: d.script.keys, Args: d.script.args}
	var t backend.Target
	ctx, cancel := context.WithCancel(context.Background())
	err = d.onEngine(func() error {
		begun, err := d.backend.Debug(ctx, script, o, d.state.db)
		if err == nil && ctx.Err() != nil { // the dialogue no longer waits for it
			begun.Close()
			return ctx.Err()
		}
		t = begun
		return err
	})
	if errors.Is(err, errBlocked) {
		cancel()
		return err
	}
	if err != nil {
		cancel()
		return withoutPackage(err)
	}
	s := &stopped{target: t, name: d.script.name, script: d.script.script, sync: sync, release: cancel}
	d.beginDebugging(s)
	return d.waitForStop()
}

// beginDebugging makes s the current script.
func (d *dialogue) beginDebugging(s *stopped) {
	d.setCurrent(s)
	d.applyBreakpoints()
	go d.events.receive(s)
}

// closeScripts aborts the stopped script of the dialogue and detaches from those of other callers.
func (d *dialogue) closeScripts() {
	for _, s := range append(d.others, d.stop) {
		if s != nil {
			s.target.Close()
		}
	}
	d.stop, d.others = nil, nil
}
