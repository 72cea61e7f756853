package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/process"
	"github.com/redmoon-lua/redmoon/resp"
	"golang.org/x/term"
)

const description = "Redis Lua scripts, in-process: redmoon runs them as redis-server 7.0.15 does, with no server."

// commands are the subcommands. Each is in a file of its own.
type commands struct {
	Run        runCommand        `cmd:"" help:"Run a Lua script, as redis-cli --eval does, and print its reply."`
	Repl       replCommand       `cmd:"" help:"Type commands at a prompt like redis-cli's; run and debug scripts there."`
	Debug      debugCommand      `cmd:"" help:"Step through a Lua script at a prompt."`
	Serve      serveCommand      `cmd:"" help:"Serve Redis clients over TCP or a unix socket."`
	Dap        dapCommand        `cmd:"" help:"Let an editor debug scripts with the Debug Adapter Protocol."`
	Grab       grabCommand       `cmd:"" help:"Let workers grab red packets; measure and audit the result."`
	Inspect    inspectCommand    `cmd:"" help:"Show what is in an RDB file or an append-only file, and whether it is damaged."`
	Lint       lintCommand       `cmd:"" help:"Find mistakes in Lua scripts without running them."`
	Bundle     bundleCommand     `cmd:"" help:"Print the one script that many files are put together to."`
	Deploy     deployCommand     `cmd:"" help:"Load scripts and function libraries into a server or cluster, and verify them."`
	Scripts    scriptsCommand    `cmd:"" help:"List the Lua scripts in strings of programs in other languages."`
	Versions   versionsCommand   `cmd:"" help:"Show what changes for scripts from one server to another."`
	Clone      cloneCommand      `cmd:"" help:"Copy the data of a running Redis server into an RDB file."`
	Completion completionCommand `cmd:"" help:"Print the script that completes redmoon's commands in a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
	Version    versionCommand    `cmd:"" help:"Print the versions of redmoon, of its Lua and of the Redis it follows."`
	Fmt        fmtCommand        `cmd:"" help:"Format Lua scripts."`
	Lsp        lspCommand        `cmd:"" help:"Let an editor check, complete and format scripts with the Language Server Protocol."`
	Test       testCommand       `cmd:"" help:"Run tests of Lua scripts, the files *_test.lua and *_spec.lua."`
	Record     recordCommand     `cmd:"" help:"Record what clients and a Redis server say to each other."`
	Replay     replayCommand     `cmd:"" help:"Run a recording without the server, and compare the replies."`
	Coverage   coverageCommand   `cmd:"" help:"Add up and report which lines and branches of Lua scripts have run."`
	Studio     studioCommand     `cmd:"" help:"Run and debug a Lua script on a page in the browser."`
}

// streams are the standard streams of the process.
type streams struct {
	in             io.Reader
	out, err       io.Writer
	inTTY, outTTY  bool // whether each stream is a terminal
	errTTY         bool
	interruptible  context.Context // ends at Ctrl-C
	stopInterrupts func()          // restores the usual effect of Ctrl-C
	name           string          // of the program, as it was called
	signals        chan os.Signal  // those that a server has asked for; nil: it is not a process of its own
}

// exitError ends the process with an exit code. The command has already printed the error.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	process.ReserveTitle()
	std := &streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTTY: isTTY(os.Stdin), outTTY: isTTY(os.Stdout), errTTY: isTTY(os.Stderr),
		interruptible: context.Background(), stopInterrupts: func() {}, name: os.Args[0],
	}
	args := os.Args[1:]
	if asServer := linkedName(std.name); asServer != "" {
		std.takeSignals()
		os.Exit(std.serveAs(asServer, args))
	}
	if len(args) > 0 && args[0] == "serve" { // it does more with signals than end
		std.takeSignals()
		os.Exit(std.main(args))
	}
	std.catchInterrupts()
	os.Exit(std.main(args))
}

// catchInterrupts makes Ctrl-C end std.interruptible. A second one ends the process immediately.
func (std *streams) catchInterrupts() {
	ctx, cancel := context.WithCancel(std.interruptible)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		cancel()
	}()
	// The context goes on: what has begun may still use it.
	std.interruptible, std.stopInterrupts = ctx, func() { signal.Stop(signals) }
}

func isTTY(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// newParser returns the parser of the command line. exit is called after --help.
func newParser(std *streams, exit func(code int)) *kong.Kong {
	return newParserInto(&commands{}, std, exit)
}

// newParserInto returns a parser that fills c.
func newParserInto(c *commands, std *streams, exit func(code int)) *kong.Kong {
	return kong.Must(c, kong.Vars{"addr": resp.DefaultAddr}, kong.Name("redmoon"),
		kong.Description(description), kong.UsageOnError(), kong.Writers(std.out, std.err), kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Bind(std))
}

// main runs the command in args and returns the exit code: 0 for success, 1 if the command has
// failed, 2 if args are invalid, 130 after Ctrl-C.
func (std *streams) main(args []string) int {
	done := -1
	parser := newParser(std, func(code int) { done = code })
	if len(args) == 0 {
		args = []string{"--help"}
	}
	args = translate(args, parser.Model)
	if args[0] == "serve" {
		return std.serve(args[1:], std.ownFlags())
	}
	ctx, err := parser.Parse(args)
	if done >= 0 {
		return done
	}
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return 2
	}
	err = ctx.Run()
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.Is(err, context.Canceled) && std.interruptible.Err() != nil:
		fmt.Fprintln(std.err, "redmoon: interrupted")
		return 130
	}
	fmt.Fprintf(std.err, "redmoon: %v\n", err)
	return 1
}
