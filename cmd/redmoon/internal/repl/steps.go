package repl

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
)

func stepCommands() []command {
	return []command{
		step("step", []string{"stepin"}, "s", "go on to the next line, into functions that are called", target.StepIn),
		step("next", []string{"stepover"}, "n", "go on to the next line of this function, or of the one that called it", target.StepOver),
		step("out", []string{"stepout", "finish"}, "o", "go on until this function has returned", target.StepOut),
		step("continue", []string{"cont"}, "c", "go on to the next stop", target.Continue),
		{
			name: "back", aliases: []string{"stepback"}, letter: "k", group: groupSteps, args: "[N]", where: atStop | local,
			help: "go back to the line before this one, or to stop number N of this run",
			more: []string{"The script is run again from its beginning, on the same data, at the same time and with the same random choices; what you have changed at stops on the way is changed again."},
			run:  (*dialogue).back,
		},
		{
			name: "reverse", aliases: []string{"continueback"}, group: groupSteps, where: atStop | local,
			help: "go back to the last line with a breakpoint, or to the first line",
			run:  func(d *dialogue, _ string) error { return d.goOn(":reverse", target.ContinueBack) },
		},
		step("restart", nil, "r", "run the script again from its beginning, on the data that there was then", target.Restart),
		{
			name: "abort", aliases: []string{"kill"}, letter: "a", group: groupSteps, where: atStop,
			help: "end the script here",
			run: func(d *dialogue, _ string) error {
				go d.stop.target.Abort()
				return d.follow()
			},
		},
	}
}

// step is a command without arguments that lets the script go on. An empty line does it again.
func step(name string, aliases []string, letter, help string, order func(target) error) command {
	return command{
		name: name, aliases: aliases, letter: letter, group: groupSteps, where: atStop, help: help,
		run: func(d *dialogue, _ string) error { return d.goOn(":"+name, order) },
	}
}

// goOn lets the script go on and waits for its next stop.
func (d *dialogue) goOn(line string, order func(target) error) error {
	t := d.stop.target
	if err := order(t); err != nil {
		return plain(err)
	}
	if err := d.follow(); err != nil {
		return err
	}
	if d.stop != nil {
		d.repeat = line
		if err := t.Diverged(); err != nil && d.stop.target == t {
			d.say(d.paint.bad("this run is not the same as the one before: " + plain(err).Error()))
		}
	}
	return nil
}

func (d *dialogue) back(rest string) error {
	if rest == "" {
		return d.goOn(":back", target.StepBack)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return d.usage("back")
	}
	return d.goOn(":back", func(t target) error { return t.BackTo(n) })
}

// plain is an error without the name of the package that it is of.
func plain(err error) error {
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
	o := debugger.Options{Sync: sync, StopOnEntry: true, Breakpoints: slices.Clone(d.points[d.script.script.SHA()]), Stops: d.stops}
	if sync {
		d.remember()
	}
	var t target
	ctx, cancel := context.WithCancel(context.Background())
	err = d.onEngine(func() error {
		begun, err := d.place.debug(ctx, d.script, o, d.state.db)
		if err == nil && ctx.Err() != nil { // nobody waits for it any more
			begun.Close()
			return ctx.Err()
		}
		t = begun
		return err
	})
	if errors.Is(err, errHeld) {
		cancel()
		return err
	}
	if err != nil {
		cancel()
		return plain(err)
	}
	s := &stopped{target: t, name: d.script.name, script: d.script.script, sync: sync, release: cancel}
	d.begin(s)
	return d.follow()
}

// begin makes s the script in hand.
func (d *dialogue) begin(s *stopped) {
	d.hold(s)
	d.set()
	go d.mail.receive(s)
}

// end leaves every script that is stopped: the dialogue's own ends, those of others go on.
func (d *dialogue) end() {
	for _, s := range append(d.others, d.stop) {
		if s != nil {
			s.target.Close()
		}
	}
	d.stop, d.others = nil, nil
}
