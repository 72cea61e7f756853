package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/report"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

type testCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Test files, or folders with files *_test.lua or *_spec.lua. Default: this folder."`

	Filter    string `placeholder:"REGEXP" help:"Run the tests whose full name (blocks and test, with spaces between) matches."`
	FilterOut string `placeholder:"REGEXP" help:"Leave out the tests whose full name matches."`
	List      bool   `help:"List the tests and end."`

	Format   string        `default:"text" enum:"text,tap,junit,json" placeholder:"FORM" help:"Form of the output: text, tap, junit or json."`
	Verbose  bool          `short:"v" help:"Show every test, not only those of interest."`
	FailFast bool          `help:"Stop after the first problem."`
	Parallel int           `default:"1" placeholder:"N" help:"Number of files that run at a time; 0: one for each processor. Default 1."`
	Shuffle  seedFlag      `placeholder:"SEED" help:"Let tests run, and pairs walk over tables, in another order; --shuffle=SEED repeats one."`
	Seed     uint64        `placeholder:"SEED" help:"Seed of the values of properties, as a failure shows it. Default: a new one in each run."`
	Runs     int           `default:"100" placeholder:"N" help:"Number of runs of a property. Default ${default}."`
	Timeout  time.Duration `default:"10s" placeholder:"TIME" help:"Time that a test may take. Default ${default}."`
	Update   bool          `help:"Write snapshots, and remove obsolete ones."`
	Watch    bool          `help:"Run tests again when they, or files that they read, change."`
	serversFlag
	Read    []string `name:"allow-read" sep:"none" placeholder:"FOLDER" help:"Let tests read files of this folder too. May be repeated."`
	Env     []string `name:"allow-env" placeholder:"NAME" help:"Let tests read this variable of the environment. May be repeated."`
	Against string   `placeholder:"URL" help:"Run each test again on a real server, and compare: redis://host:port/db."`
	Flush   bool     `help:"Let --against delete what the database of the server holds."`

	Coverage coverageFlag `placeholder:"FILE" help:"Show what has run of scripts, or write it to a file: .html, .info, .xml, .out or .json."`
	coverageLimits
	Profile string `placeholder:"FILE" help:"Write what the lines of scripts cost: a page if FILE ends in .html, else for pprof."`
	migrateFlag
	Strict strictKeys `name:"strict-keys" help:"Refuse to scripts keys that are not in KEYS; --strict-keys=warn only logs them."`

	debugTestFlags

	From  string `placeholder:"FILE" help:"Make a test of a recording (redmoon record), write it beside it or to path, and run it."`
	Force bool   `help:"With --from: replace a test that exists."`
	replayFlags
}

// Help is the long text of "redmoon test --help".
func (testCommand) Help() string {
	return `It runs tests of scripts that are written in Lua, in the words of busted (describe, it, before_each ...),
with the assertions of luassert. Each test has an empty Redis of its own, whose clock only the test moves.
docs/test.md shows how to write them.

  redmoon test                        all tests below this folder
  redmoon test --filter '#slow'       those with a tag in their name
  redmoon test --shuffle=42           in the order of seed 42
  redmoon test --format junit >a.xml  for a CI server
  redmoon test --server redis-7.0,valkey-9.1   on each of these servers
  redmoon test --coverage             with a table of what the tests have reached
  redmoon test --debug 'takes a coupon'   stops in the scripts that this test calls
  redmoon test --from session.rec     makes session_test.lua of a recording

The exit code is 0 if all tests pass, 1 if a test fails or too little is covered, and 2 if the tests cannot be
run: a flag is wrong, a file cannot be read, or there is no test.`
}

// seedFlag is the seed of --shuffle[=SEED]; 0: not given.
type seedFlag uint64

// IsBool says that the flag needs no value.
func (*seedFlag) IsBool() bool { return true }

// Decode implements kong.MapperValue.
func (s *seedFlag) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		*s = seedFlag(rand.Uint32N(1<<31) + 1)
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("the seed must be a number from 1 to 2^64-1, not %q", text)
	}
	*s = seedFlag(n)
	return nil
}

func (c *testCommand) Run(std *streams) error {
	bad, err := c.run(std)
	switch {
	case err != nil && std.interruptible.Err() == nil:
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	case std.interruptible.Err() != nil && !c.Watch:
		return context.Canceled
	case bad:
		return exitError(1)
	}
	return nil
}

// run reports whether a test fails. An error means that the tests cannot be run.
func (c *testCommand) run(std *streams) (bad bool, err error) {
	opt, err := c.options()
	if err != nil {
		return false, err
	}
	if c.From != "" {
		if err := c.makeTest(std); err != nil {
			return false, err
		}
	}
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	files, err := luatest.Find(c.Paths)
	if err != nil {
		return false, err
	}
	if c.List {
		return false, luatest.List(std.interruptible, files, opt, func(path string, line int, name string) {
			fmt.Fprintf(std.out, "%s:%d: %s\n", report.Harmless(path), line, report.Harmless(name))
		})
	}
	if c.Against != "" {
		server, err := c.connect(std.interruptible)
		if err != nil {
			return false, err
		}
		defer server.Close()
		opt.Against = remoteServer{server}
		if len(c.Servers) == 0 {
			if opt.Server, err = followed(std, opt.Against); err != nil {
				return false, err
			}
		}
	}
	if c.Debug != "" || c.OnFailure {
		return c.debug(std, opt, files)
	}
	if c.Watch {
		return false, c.watch(std, opt, files)
	}
	s, under, err := c.once(std, opt, files, nil)
	if err == nil && s.Counts.Tests() == 0 && !s.Stopped {
		return false, errors.New("there are no tests to run")
	}
	return s.Counts.Bad() > 0 || under, err
}

// options checks the flags.
func (c *testCommand) options() (*luatest.Options, error) {
	opt := &luatest.Options{Seed: uint64(c.Shuffle), FailFast: c.FailFast, Parallel: c.Parallel, Timeout: c.Timeout, Update: c.Update,
		StrictKeys: engine.KeyPolicy(c.Strict), ScriptMigrate: c.Migrate, Values: c.Seed,
		Runs: c.Runs, Folders: append([]string{"."}, c.Read...), Env: append([]string{}, c.Env...)}
	err := c.checkCoverage()
	if err == nil {
		err = c.checkDebug()
	}
	if err != nil {
		return nil, err
	}
	for _, flag := range []struct {
		name, text string
		to         **regexp.Regexp
	}{{"filter", c.Filter, &opt.Filter}, {"filter-out", c.FilterOut, &opt.FilterOut}} {
		if flag.text == "" {
			continue
		}
		if *flag.to, err = regexp.Compile(flag.text); err != nil {
			return nil, fmt.Errorf("--%s: %w", flag.name, err)
		}
	}
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	switch {
	case len(names) > 1 && c.Against != "":
		return nil, errors.New("--against compares one server: name one with --server, or none to follow that of --against")
	case c.Parallel < 0:
		return nil, errors.New("--parallel: the number of files must not be negative")
	case c.Runs < 1:
		return nil, errors.New("--runs: the number must be positive")
	case c.Timeout <= 0:
		return nil, errors.New("--timeout: the time must be positive")
	case c.Flush && c.Against == "":
		return nil, errors.New("--flush needs --against")
	case c.From == "" && (c.Force || len(c.Script) > 0 || c.Rdb != ""):
		return nil, errors.New("--force, --script and --rdb need --from")
	case len(c.Paths) > 1 && c.From != "":
		return nil, errors.New("--from writes one file")
	case c.Watch && c.Format != "text":
		return nil, errors.New("--watch works with --format text only")
	}
	if len(names) > 1 {
		opt.Servers = names
	} else if len(names) == 1 {
		opt.Server = names[0]
	}
	if c.Parallel == 0 {
		opt.Parallel = runtime.NumCPU()
	}
	return opt, nil
}

// testReporter is a reporter of package report.
type testReporter interface {
	luatest.Reporter
	Err() error
}

// reporter returns the reporter of the format.
func (c *testCommand) reporter(std *streams, opt *luatest.Options) testReporter {
	switch c.Format {
	case "tap":
		return report.NewTAP(std.out)
	case "junit":
		return report.NewJUnit(std.out)
	case "json":
		return report.NewJSON(std.out)
	}
	t := report.NewText(std.out)
	_, plain := os.LookupEnv("NO_COLOR")
	t.Verbose, t.Colour, t.Progress = c.Verbose, std.outTTY && !plain, std.outTTY
	opt.Done, t.DebugLine = t.Ran, c.debugLine
	t.Begin()
	return t
}

// once runs files and reports the results, and whether too little is covered. ran is called with
// each result. Optional.
func (c *testCommand) once(std *streams, opt *luatest.Options, files []string, ran func(luatest.FileResult),
) (s luatest.Summary, under bool, err error) {
	to := c.reporter(std, opt)
	w := c.watcher(opt)
	s, err = luatest.Run(std.interruptible, files, opt, alsoTo{to, ran})
	if err == nil {
		err = to.Err()
	}
	if err == nil {
		under, err = w.report(std)
	}
	return s, under, err
}

// alsoTo is a reporter that also calls a function with each file.
type alsoTo struct {
	luatest.Reporter
	ran func(luatest.FileResult)
}

func (a alsoTo) File(f luatest.FileResult) {
	a.Reporter.File(f)
	if a.ran != nil {
		a.ran(f)
	}
}

// watch runs the files, and again those that change, until the user ends it.
func (c *testCommand) watch(std *streams, opt *luatest.Options, files []string) error {
	w := luatest.Watcher{Paths: c.Paths}
	for {
		w.Begin(files)
		if _, _, err := c.once(std, opt, files, w.Ran); err != nil {
			if std.interruptible.Err() != nil {
				return nil
			}
			fmt.Fprintf(std.err, "redmoon: %v\n", err)
		}
		fmt.Fprintln(std.out, "waiting for changes")
		if files = w.Wait(std.interruptible); files == nil {
			return nil
		}
		fmt.Fprintln(std.out)
	}
}

// connect connects to the server of --against. It refuses a database with keys, and a server with
// function libraries, unless --flush is given.
func (c *testCommand) connect(ctx context.Context) (*backend.Remote, error) {
	server, err := backend.Connect(ctx, c.Against, 2)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	refuse := func(what string) error {
		server.Close()
		return fmt.Errorf("--against: %s has %s, which the tests would delete; choose an empty database (redis://host:port/9), "+
			"or allow it with --flush", server.Name(), what)
	}
	if c.Flush {
		return server, nil
	}
	a, err := server.Do(ctx, []string{"DBSIZE"})
	if err != nil {
		server.Close()
		return nil, fmt.Errorf("--against: %w", err)
	}
	if n, err := a.Value.Int(); err != nil {
		server.Close()
		return nil, fmt.Errorf("--against: DBSIZE: %w", err)
	} else if n > 0 {
		return nil, refuse(strconv.FormatInt(n, 10) + " keys")
	}
	if a, err = server.Do(ctx, []string{"FUNCTION", "LIST"}); err == nil && !a.Value.IsError() && a.Value.Len() > 0 {
		return nil, refuse("function libraries")
	}
	return server, nil
}

// followed returns the server that engines follow to be compared with a real one.
func followed(std *streams, on testredis.Server) (string, error) {
	v, err := on.Do(std.interruptible, []string{"INFO", "server"})
	if err != nil {
		return "", fmt.Errorf("--against: %w", err)
	}
	s, release, ok := servers.OfInfo(v.Text())
	if !ok {
		return "", errors.New("--against: INFO has no release of Redis or Valkey: name the server to follow with --server")
	}
	if release != s.Kind().String()+" "+s.Release() {
		fmt.Fprintf(std.err, "redmoon: the server is %s; the tests follow %s (%s)\n", release, s, s.Release())
	}
	return s.String(), nil
}

// remoteServer is the server of --against for the tests.
type remoteServer struct{ *backend.Remote }

// Do implements testredis.Server.
func (s remoteServer) Do(ctx context.Context, args []string) (engine.Value, error) {
	a, err := s.Remote.Do(ctx, args)
	return a.Value, err
}
