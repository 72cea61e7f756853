package repl

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
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
			run: func(d *dialogue, rest string) error { return d.player.back(rest) },
		},
		{
			name: "reverse", aliases: []string{"continueback"}, group: groupSteps, where: atStop | local,
			help: "go back to the last line with a breakpoint, or to the first line",
			run:  func(d *dialogue, _ string) error { return d.player.resume(":reverse", backend.Target.ContinueBack) },
		},
		step("restart", nil, "r", "run the script again from its beginning, on the original data", backend.Target.Restart),
		{
			name: "abort", aliases: []string{"kill"}, letter: "a", group: groupSteps, where: atStop,
			help: "end the script",
			run: func(d *dialogue, _ string) error {
				go d.scripts.current.target.Abort()
				return d.player.waitForStop()
			},
		},
	}
}

// step returns a command without arguments that resumes the script. An empty line repeats it.
func step(name string, aliases []string, letter, help string, order func(backend.Target) error) command {
	return command{
		name: name, aliases: aliases, letter: letter, group: groupSteps, where: atStop, help: help,
		run: func(d *dialogue, _ string) error { return d.player.resume(":"+name, order) },
	}
}

// resume resumes the script and waits for its next stop.
func (p *player) resume(line string, order func(backend.Target) error) error {
	t := p.scripts.current.target
	if err := order(t); err != nil {
		return withoutPackage(err)
	}
	if err := p.waitForStop(); err != nil {
		return err
	}
	if p.scripts.current != nil {
		p.scripts.repeat = line
		if err := t.Diverged(); err != nil && p.scripts.current.target == t {
			p.say(p.palette.bad("this run differs from the one before: " + withoutPackage(err).Error()))
		}
	}
	return nil
}

func (p *player) back(rest string) error {
	if rest == "" {
		return p.resume(":back", backend.Target.StepBack)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return usage("back")
	}
	return p.resume(":back", func(t backend.Target) error { return t.BackTo(n) })
}

// withoutPackage returns an error without the name of package debugger.
func withoutPackage(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), "debugger: "); ok {
		return errors.New(text)
	}
	return err
}

// debug begins to debug the loaded script.
func (p *player) debug(rest string) error {
	words, err := display.Split(rest)
	if err != nil {
		return err
	}
	sync := len(words) > 0 && words[0] == "--sync"
	if sync {
		words = words[1:]
	}
	var what debugger.Target
	var loaded *script
	if isFunctionCall(words) {
		if what, loaded, err = p.functionTarget(words); err != nil {
			return err
		}
	} else {
		if err := p.runner.prepare(words); err != nil {
			return err
		}
		loaded = p.scripts.loaded
		if loaded.library {
			return loaded.notAScript(":debug fcall NAME numkeys key ... arg ... debugs one of its functions")
		}
		what = debugger.Target{Script: loaded.script, Keys: loaded.keys, Args: loaded.args}
	}
	points := slices.Clone(p.breakpoints.lines[loaded.script.SHA()])
	o := debugger.Options{Sync: sync, StopOnEntry: true, Breakpoints: points, Stops: p.breakpoints.stopsOf("")}
	if sync {
		p.data.snapshotBefore()
	}
	var t backend.Target
	ctx, cancel := context.WithCancel(context.Background())
	err = p.onEngine(func() error {
		begun, err := p.backend.Debug(ctx, what, o, p.state.db)
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
	s := &stopped{target: t, name: loaded.name, script: loaded.script, sync: sync, release: cancel}
	p.beginDebugging(s)
	return p.waitForStop()
}

// beginDebugging makes s the current script.
func (p *player) beginDebugging(s *stopped) {
	p.setCurrent(s)
	p.breakpoints.apply()
	go p.events.receive(s)
}

// closeScripts aborts the stopped script of the dialogue and detaches from those of other callers.
func (p *player) closeScripts() {
	for _, s := range append(p.scripts.others, p.scripts.current) {
		if s != nil {
			s.target.Close()
		}
	}
	p.scripts.current, p.scripts.others = nil, nil
}
