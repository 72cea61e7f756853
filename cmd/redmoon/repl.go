package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"golang.org/x/term"
)

// promptFlags are the flags of all commands that have a prompt.
type promptFlags struct {
	format
	rdbFlags
	fixtureFlag
	Color string `default:"auto" enum:"auto,always,never" help:"Colours: auto (on a terminal, unless NO_COLOR is set), always or never."`
	serverFlag
	Cluster bool   `help:"Be a Redis Cluster, where all keys of a command must be in one slot."`
	Connect string `placeholder:"ADDR" help:"Use a Redis server: host:port, redis://user:password@host:port/db, rediss://, unix://path."`
	migrateFlag
}

// serverFlag is the flag of all commands that make an engine.
type serverFlag struct {
	Server string `default:"redis-7.0" aliases:"compat" placeholder:"NAME" help:"Server to follow, such as valkey-9.1. Default ${default}."`
}

// serversFlag is the flag of commands that follow several servers, one after the other.
type serversFlag struct {
	Servers []string `name:"server" aliases:"compat" placeholder:"NAME" help:"Servers to follow: redis-7.0 (default), or several, or all."`
}

// names returns the names of the servers, each once; none is the default.
func (f serversFlag) names() ([]string, error) {
	var names []string
	for _, name := range f.Servers {
		list := []servers.Server{}
		if name == "all" {
			list = servers.All()
		} else if s, ok := servers.Parse(name); ok {
			list = append(list, s)
		} else {
			return nil, errNoServer(name)
		}
		for _, s := range list {
			if !slices.Contains(names, s.String()) {
				names = append(names, s.String())
			}
		}
	}
	return names, nil
}

// migrateFlag is the flag of all commands that run scripts on an engine of their own.
type migrateFlag struct {
	Migrate bool `name:"script-migrate" help:"Let scripts call MIGRATE, which connects to any server that they name."`
}

type replCommand struct {
	promptFlags
	Listen string `placeholder:"ADDR" help:"Serve Redis clients too, at host:port or a unix socket. Breakpoints stop their scripts."`
}

// Help is the long text of "redmoon repl --help".
func (replCommand) Help() string {
	return `Commands run on an engine that exists as long as the prompt. Scripts can be loaded, run and
debugged (":load", ":debug"). "help" lists all commands of the prompt. A terminal has a history,
completion (Tab) and hints. On a pipe the lines run one after the other, replies are printed raw, and
the exit code is 1 if a line has failed.

The history file is named by REDMOON_HISTORY. Otherwise it is $XDG_STATE_HOME/redmoon/history if that
variable is set, or else ~/.redmoon_history.`
}

func (c *replCommand) Run(std *streams) error { return c.runPrompt(std, c.Listen, repl.Options{}) }

// runPrompt runs a dialogue on a new engine, or on the server of --connect.
func (f promptFlags) runPrompt(std *streams, listen string, o repl.Options) error {
	var err error
	if o.Fixture, err = f.commands(); err != nil {
		return err
	}
	if f.Connect != "" {
		if listen != "" || f.Cluster {
			return errors.New("--listen and --cluster cannot be used with --connect")
		}
		if f.RDB != "" || len(f.RDBMatch) > 0 {
			return errors.New("--rdb cannot be used with --connect")
		}
		server, err := backend.Connect(std.interruptible, f.Connect, f.proto())
		if err != nil {
			return err
		}
		defer server.Close()
		known := true
		if o.Commands, known = engine.CommandsOf(f.Server); !known {
			return errNoServer(f.Server)
		}
		o.Backend = server
		return f.runDialogue(std, o)
	}
	clock := backend.NewClock()
	o.Debugging = new(atomic.Bool)
	logger := slog.New(mutedHandler{std.logger().Handler(), o.Debugging})
	e, err := engine.New(engine.Options{Server: f.Server, Cluster: f.Cluster, Logger: logger, Clock: clock, ScriptMigrate: f.Migrate})
	if err != nil {
		return err
	}
	defer e.Close()
	if err := f.load(std.interruptible, std, e); err != nil {
		return err
	}
	sess, err := f.session(std.interruptible, e)
	if err != nil {
		return err
	}
	if listen != "" {
		stop, err := std.listen(e, listen)
		if err != nil {
			return err
		}
		defer stop()
	}
	o.Backend, o.Commands, o.Attach = &backend.Local{Engine: e, Session: sess, Clock: clock}, e.Commands(), listen != ""
	return f.runDialogue(std, o)
}

// runDialogue runs a dialogue at a terminal or on a pipe.
func (f promptFlags) runDialogue(std *streams, o repl.Options) error {
	o.Out, o.Proto, o.Print, o.Timing = std.out, f.proto(), f.printer(std.outTTY), std.outTTY
	o.RepliesOnly, o.Width = f.JSON, std.columns
	_, noColour := os.LookupEnv("NO_COLOR")
	o.Colour = f.Color == "always" || f.Color == "auto" && std.outTTY && !noColour
	if !std.inTTY || !std.outTTY {
		lines := lineedit.NewPlain(std.in)
		lines.News = std.out
		o.Lines = lines
		return exitCode(repl.Run(o))
	}
	std.stopInterrupts()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	o.Interrupts = interrupts
	history, err := lineedit.LoadHistory(lineedit.HistoryFile(os.LookupEnv))
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: history: %v\n", err)
	}
	o.Lines = lineedit.NewEditor(history, o.Colour)
	if len(o.First) == 0 && o.Guest == nil && !o.RepliesOnly {
		fmt.Fprint(std.out, welcome)
	}
	err = repl.Run(o)
	if errors.Is(err, repl.ErrFailed) { // the user has seen the error
		err = nil
	}
	err = exitCode(err)
	if saveErr := history.Save(); err == nil && saveErr != nil {
		err = fmt.Errorf("history: %w", saveErr)
	}
	return err
}

// welcome greets at a terminal, with three things to try.
const welcome = `Try:  SET greeting hello               Tab completes, help lists more
      = redis.call('GET', 'greeting')  Lua, as in a script
      :load claim.lua                  then :run or :debug KEY , ARG
`

// columns returns the width of the terminal.
func (std *streams) columns() int {
	if f, ok := std.out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 80
}

func exitCode(err error) error {
	if errors.Is(err, repl.ErrFailed) || errors.Is(err, repl.ErrFirst) {
		return exitError(1)
	}
	return err
}

// errNoServer is the error of --server if no server has that name.
func errNoServer(name string) error {
	return fmt.Errorf("--server: %q is not one of %s", name, engine.ServerNames())
}
