package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/report"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
)

// debugTestFlags are the flags of redmoon test that debug a test.
type debugTestFlags struct {
	Debug     string   `placeholder:"NAME" help:"Debug the scripts of one test, by its name, a part of it, or the line on which it begins."`
	OnFailure bool     `name:"debug-on-failure" help:"At the first test that fails, stop at the end of the script that ran last."`
	Break     []string `sep:"none" placeholder:"[FILE:]LINE" help:"When debugging: stop at this line, not at first lines. May be repeated."`
}

// checkDebug refuses flags that do not go together.
func (c *testCommand) checkDebug() error {
	if c.Debug == "" && !c.OnFailure {
		if len(c.Break) > 0 {
			return errors.New("--break needs --debug or --debug-on-failure")
		}
		return nil
	}
	if c.Debug != "" && c.OnFailure {
		return errors.New("--debug and --debug-on-failure cannot be used together")
	}
	names, err := c.names()
	if err != nil {
		return err
	}
	for _, other := range []struct {
		flag  string
		given bool
	}{
		{"--list", c.List}, {"--watch", c.Watch}, {"--against", c.Against != ""}, {"--format", c.Format != "text"},
		{"--coverage", c.Coverage != coverageFlag{}}, {"--profile", c.Profile != ""}, {"several servers", len(names) > 1},
	} {
		if other.given {
			return fmt.Errorf("a test is debugged without %s", other.flag)
		}
	}
	return nil
}

// endless is the time that a test may take that is debugged: somebody looks at it.
const endless = 365 * 24 * time.Hour

// debug debugs one test. It reports whether the test fails.
func (c *testCommand) debug(std *streams, opt *luatest.Options, files []string) (bad bool, err error) {
	if opt.Parallel = 1; opt.Values == 0 {
		opt.Values = 1 + uint64(rand.Uint32N(1<<31)) // each run has the same values
	}
	if c.Debug != "" {
		path, only, err := pickTest(std.interruptible, files, opt, c.Debug)
		if err != nil {
			return false, err
		}
		opt.Only = only
		return c.debugOne(std, opt, path, 0)
	}
	opt.FailFast = true
	var failed *luatest.Result
	s, _, err := c.once(std, opt, files, func(f luatest.FileResult) {
		for i := range f.Results {
			if r := &f.Results[i]; failed == nil && r.Status.Bad() && r.Hook == "" {
				failed = r
			}
		}
	})
	switch {
	case err != nil:
		return false, err
	case failed == nil && s.Counts.Tests() == 0 && !s.Stopped:
		return false, errors.New("there are no tests to run")
	case failed == nil:
		return s.Counts.Bad() > 0, nil
	}
	opt.Only = func(names []string, line int) bool { return line == failed.Line && slices.Equal(names, failed.Names) }
	last, err := lastScript(std.interruptible, opt, failed.File)
	if err != nil {
		return false, err
	}
	_, err = c.debugOne(std, opt, failed.File, last)
	return true, err
}

// separators are what may stand between the names of blocks and tests, beside a space.
var separators = strings.NewReplacer(" › ", " ", " > ", " ")

// pickTest returns the test that a name, a part of it or a line means, and an error that lists them
// if there are several.
func pickTest(ctx context.Context, files []string, opt *luatest.Options, want string,
) (path string, only func([]string, int) bool, err error) {
	type test struct {
		path string
		line int
		name string
	}
	var exact, partly []test
	name := separators.Replace(want)
	problem := luatest.List(ctx, files, opt, func(path string, line int, full string) {
		t := test{path, line, full}
		switch plain := separators.Replace(full); {
		case plain == name || strconv.Itoa(line) == want:
			if !slices.Contains(exact, t) {
				exact = append(exact, t)
			}
		case strings.Contains(plain, name):
			partly = append(partly, t)
		}
	})
	found := exact
	if len(exact) == 0 {
		found = partly
	}
	switch {
	case len(found) == 1:
		t := found[0]
		return t.path, func(names []string, line int) bool { return line == t.line && strings.Join(names, " ") == t.name }, nil
	case len(found) > 1:
		var b strings.Builder
		fmt.Fprintf(&b, "--debug %s: %d tests match; give more of the name, or the file:", want, len(found))
		for _, t := range found {
			fmt.Fprintf(&b, "\n  %s:%d: %s", report.Harmless(t.path), t.line, report.Harmless(t.name))
		}
		return "", nil, errors.New(b.String())
	case problem != nil:
		return "", nil, fmt.Errorf("--debug %s: no such test was found: %w", want, problem)
	}
	return "", nil, fmt.Errorf("--debug %s: no test has that name; --list shows the names", want)
}

// kept is a reporter that keeps the results until the dialogue has ended.
type kept struct{ files []luatest.FileResult }

func (k *kept) File(f luatest.FileResult) { k.files = append(k.files, f) }
func (*kept) End(luatest.Summary)         {}

// lastScript runs a test that fails, and returns the number of the script that ran last before it
// failed, from 1.
func lastScript(ctx context.Context, opt *luatest.Options, path string) (int, error) {
	seen, last := 0, -1
	o := *opt
	o.Debug = &luatest.Debug{
		Engine: func(e *engine.Engine, _ testredis.Hooks) error {
			_, err := debugger.Attach(e, func(call engine.ScriptCall) (debugger.Options, bool) {
				if !call.Loading {
					seen++
				}
				return debugger.Options{}, false
			}, nil)
			return err
		},
		Call: func(string, string, int) {},
		Failed: func() {
			if last < 0 {
				last = seen
			}
		},
	}
	o.Done = nil
	if _, err := luatest.Run(ctx, []string{path}, &o, &kept{}); err != nil {
		return 0, err
	}
	switch last {
	case -1:
		return 0, errors.New("the test passes when it runs alone, so there is nothing to stop at")
	case 0:
		return 0, errors.New("the test has failed before it has called a script; --debug stops in the scripts that it calls")
	}
	return last, nil
}

// debugOne runs the test that opt.Only chooses at a prompt. Its scripts stop before their first
// lines, or at the breakpoints; if end is not 0, the script of that number stops at its end. It
// reports whether the test fails.
func (c *testCommand) debugOne(std *streams, opt *luatest.Options, path string, end int) (bad bool, err error) {
	o := *opt
	o.Timeout, o.Done = endless, nil
	ctx, stop := context.WithCancel(std.interruptible)
	defer stop()
	g := &debuggedTest{path: path, stopFirst: len(c.Break) == 0 && end == 0, end: end, sources: map[string]testredis.Source{}}
	o.OnScript = func(s testredis.Source) { g.sources[s.SHA] = s }
	results := &kept{}
	var runErr error
	guest := &repl.Guest{Stop: stop, Choose: g.choose, Break: c.Break, Run: func(attach func(*engine.Engine) error) {
		o.Debug = &luatest.Debug{Call: g.called, Engine: func(e *engine.Engine, h testredis.Hooks) error {
			g.hooks = h
			return attach(e)
		}}
		_, runErr = luatest.Run(ctx, []string{path}, &o, results)
	}}
	following := opt.Server
	if following == "" {
		following = "redis-7.0"
	}
	commands, _ := engine.CommandsOf(following)
	dialogue := repl.Options{Backend: &backend.Local{}, Commands: commands, Guest: guest}
	if err := (promptFlags{Color: "auto"}).runDialogue(std, dialogue); err != nil {
		bad = true
		if !errors.Is(err, exitError(1)) {
			return false, err
		}
	}
	if runErr != nil {
		return false, runErr
	}
	if end != 0 { // the failure has been shown
		return true, nil
	}
	to := report.NewText(std.out)
	to.Verbose = true
	for _, f := range results.files {
		var counts luatest.Counts
		counts.Count(f)
		bad = bad || counts.Bad() > 0
		to.File(f)
	}
	return bad, to.Err()
}

// debuggedTest says how the scripts of a test are debugged. Its functions are called by the test
// and, while the test waits, by the engine.
type debuggedTest struct {
	path      string
	stopFirst bool
	end       int // the number of the script that stops at its end; 0: none
	sources   map[string]testredis.Source

	phase, at string // of the call
	seen      int    // scripts so far
	hooks     testredis.Hooks
}

// called is called before the test uses Redis.
func (g *debuggedTest) called(phase, file string, line int) {
	g.phase, g.at = phase, g.path
	if line > 0 {
		g.at = fmt.Sprintf("%s:%d", file, line)
	}
}

// choose implements [repl.Guest].
func (g *debuggedTest) choose(call engine.ScriptCall) repl.GuestScript {
	s := repl.GuestScript{Name: "script " + call.Script.SHA()[:8], At: g.at, OnRun: g.hooks.OnRun, OnEvaluate: g.hooks.OnEvaluate}
	if source, ok := g.sources[call.Script.SHA()]; ok {
		s.Name, s.Built = source.Name, source.Built
	}
	if call.Loading {
		return s
	}
	g.seen++
	s.Entry, s.End = g.stopFirst && g.phase == "test", g.seen == g.end
	return s
}

// debugLine returns the command that debugs a test that has failed.
func (c *testCommand) debugLine(r luatest.Result) string {
	if r.Hook != "" || r.Status == luatest.Differs || c.Debug != "" || c.OnFailure {
		return ""
	}
	words := []string{"redmoon", "test", "--debug", strings.Join(r.Names, " › ")}
	if r.Seed != 0 {
		words = append(words, "--seed", strconv.FormatUint(r.Seed, 10))
	}
	server := ""
	if len(c.Servers) > 0 {
		server = c.Servers[0]
	}
	for _, on := range slices.Backward(r.On) {
		if on.Status.Bad() {
			server = on.Server
		}
	}
	if server != "" && server != "all" {
		words = append(words, "--server", server)
	}
	switch engine.KeyPolicy(c.Strict) {
	case engine.RefuseKeys:
		words = append(words, "--strict-keys")
	case engine.WarnKeys:
		words = append(words, "--strict-keys=warn")
	}
	if c.Migrate {
		words = append(words, "--script-migrate")
	}
	for _, folder := range c.Read {
		words = append(words, "--allow-read", folder)
	}
	for _, name := range c.Env {
		words = append(words, "--allow-env", name)
	}
	words = append(words, r.File)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// plainWord matches what needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,+@%-]+$`)

// shellWord quotes a word for a shell.
func shellWord(w string) string {
	if plainWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
