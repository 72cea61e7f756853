package redmoontest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
)

// Start is the time that the clock of a new engine shows, in Unix seconds: 1704067200, which is
// 2024-01-01 00:00:00 UTC.
const Start = harness.Start

// Engine is an engine for one test. It has all methods of [engine.Engine] and is safe for
// concurrent use, with one exception: the Must methods, Script, Keyspace and TTLs end the test on
// an error, so call them only on the goroutine of the test.
type Engine struct {
	*engine.Engine
	t     testing.TB
	clock *engine.VirtualClock // nil: the machine's time
	seen  *harness.Watch
	also  *engine.Probe // of the play that runs on the engine, or nil

	mu        sync.Mutex // protects what follows
	hinted    bool
	paths     map[*engine.Script]string
	covered   *engine.Coverage // nil: nothing is counted
	listener  net.Listener     // of Addr; nil: it was not called
	endServer func() error
}

// Option changes the engine that [New] makes.
type Option func(*settings)

type settings struct {
	engine.Options
	start time.Time
	real  bool
	seed  uint64
}

// WithStart sets the time that the clock shows at first. Default: [Start].
func WithStart(start time.Time) Option { return func(s *settings) { s.start = start } }

// WithRealTime lets the engine follow the machine's clock. In a bubble of testing/synctest that is
// the clock of the bubble: time.Sleep moves it, without waiting. Make the engine inside the bubble,
// and connect to it in memory (package goredis/goredistest), because a socket never lets the clock
// of a bubble move. [Engine.Advance] and [Engine.SetTime] then end the test.
func WithRealTime() Option { return func(s *settings) { s.real = true } }

// WithSeed sets the seed of the random choices of commands (SPOP, RANDOMKEY and so on). Default: 1.
func WithSeed(seed uint64) Option { return func(s *settings) { s.seed = seed } }

// WithConfig sets a configuration parameter to a value that CONFIG SET takes. docs/dropin.md lists
// the parameters. New ends the test if the engine does not accept it.
func WithConfig(name, value string) Option {
	return func(s *settings) {
		if s.Config == nil {
			s.Config = map[string]string{}
		}
		s.Config[name] = value
	}
}

// WithDatabases sets the number of databases. Default: 16.
func WithDatabases(n int) Option { return func(s *settings) { s.Databases = n } }

// WithCluster puts the engine in cluster mode. A script that would fail on a Redis Cluster because
// its keys are in several slots fails here too. See engine.Options.Cluster.
func WithCluster() Option { return func(s *settings) { s.Cluster = true } }

// WithOneSlot restricts each script to keys of one hash slot, as a Redis Cluster does. It changes
// nothing else. See engine.Options.OneSlot.
func WithOneSlot() Option { return func(s *settings) { s.OneSlot = true } }

// WithStrictKeys makes it an error if a script uses a key that is not in KEYS. The error names the
// key. See engine.Options.StrictKeys.
func WithStrictKeys() Option { return func(s *settings) { s.StrictKeys = engine.RefuseKeys } }

// WithRollback undoes what a script, function or transaction has written if it fails. See
// engine.Options.OnScriptError.
func WithRollback() Option { return func(s *settings) { s.OnScriptError = engine.Rollback } }

// WithCoverage counts what scripts run; see engine.Options.Coverage. It takes the place of the flag
// -redmoon.cover for this engine.
func WithCoverage(c *engine.Coverage) Option { return func(s *settings) { s.Coverage = c } }

// New returns a new, empty engine that is closed when t ends. If the invariants of the keyspace are
// broken by then, t fails. If the options are invalid, New ends the test.
func New(t testing.TB, opts ...Option) *Engine {
	t.Helper()
	e := open(t, opts)
	t.Cleanup(e.close)
	return e
}

// open is New for an engine that the caller must close.
func open(t testing.TB, opts []Option) *Engine {
	t.Helper()
	s := settings{start: time.Unix(Start, 0), seed: harness.Seed}
	for _, o := range opts {
		o(&s)
	}
	var clock *engine.VirtualClock
	if !s.real {
		clock = engine.NewVirtualClock(s.start)
		s.Clock = clock
	}
	s.Rand, s.Logger = harness.Rand(s.seed), testLogger(t)
	if s.Coverage == nil {
		s.Coverage = cover.of(t)
	}
	inner, err := engine.New(s.Options)
	if err != nil {
		t.Fatalf("redmoontest: %v", err)
	}
	e := &Engine{Engine: inner, t: t, clock: clock, seen: harness.NewWatch(maxCalls), covered: s.Coverage}
	e.watch()
	return e
}

// watch makes the engine remember commands and inject faults.
func (e *Engine) watch() {
	hint := &engine.Probe{Ran: func(c engine.ProbedCommand, _ engine.Value) { e.hintAtClock(c) }}
	if err := e.SetProbe(context.Background(), harness.Join(e.also, e.seen.Probe(), hint)); err != nil {
		e.t.Fatalf("redmoontest: %v", err)
	}
}

// endGrace is how long a script may still run at the end of a test, by the machine's clock.
const endGrace = time.Second

// endScripts stops a script of an engine that does not end, and fails the test. The caller calls
// done when the engine is closed.
func endScripts(t testing.TB, e *engine.Engine) (done func()) {
	var mu sync.Mutex
	var running []string
	timer := time.AfterFunc(endGrace, func() {
		enginedoor.Of(e).EndScripts("ERR Script stopped: the test has ended", func(command string) {
			mu.Lock()
			defer mu.Unlock()
			running = append(running, command)
		})
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		for _, command := range running {
			t.Errorf("redmoontest: this was still running at the end of the test, and has been stopped: %s", command)
		}
	}
}

// close ends the server and the engine, and fails the test if the keyspace is broken or a script
// does not end.
func (e *Engine) close() {
	e.mu.Lock()
	end := e.endServer
	e.mu.Unlock()
	defer endScripts(e.t, e.Engine)()
	if end != nil {
		if err := end(); err != nil {
			e.t.Errorf("redmoontest: close: %v", err)
		}
	}
	err := harness.Check(e.Engine)
	for errors.Is(err, engine.ErrBusy) { // until the script is stopped
		time.Sleep(10 * time.Millisecond)
		err = harness.Check(e.Engine)
	}
	if err != nil {
		e.t.Errorf("redmoontest: the keyspace is broken: %v", err)
	}
	if err := e.Close(); err != nil {
		e.t.Errorf("redmoontest: close: %v", err)
	}
}

// testLogger logs everything to t, without the time: the time of the engine is not that of the
// test.
func testLogger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{
		Level: slog.LevelDebug - 8,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// Advance moves the clock of the engine forward by d. When it returns, the keys that have expired
// by then are removed. As in Redis, a key that was set with EX 60 still exists after exactly 60
// seconds and has expired one millisecond later. It ends the test if d is negative:
// [Engine.SetTime] sets a clock back.
func (e *Engine) Advance(d time.Duration) {
	e.t.Helper()
	e.requireClock("Advance")
	if d < 0 {
		e.t.Fatalf("redmoontest: Advance(%v): time does not go back; SetTime sets the clock", d)
	}
	e.clock.Advance(d)
}

// FastForward is [Engine.Advance], under the name that it has in miniredis.
func (e *Engine) FastForward(d time.Duration) {
	e.t.Helper()
	e.Advance(d)
}

// SetTime sets the clock of the engine to t, which may be earlier; see [engine.VirtualClock.Set].
func (e *Engine) SetTime(t time.Time) {
	e.t.Helper()
	e.requireClock("SetTime")
	e.clock.Set(t)
}

// requireClock ends the test if the engine has no clock of its own.
func (e *Engine) requireClock(method string) {
	e.t.Helper()
	if e.clock == nil {
		e.t.Fatalf("redmoontest: %s: the engine follows the machine's clock (WithRealTime); in a bubble of testing/synctest, time.Sleep moves it",
			method)
	}
}

// Now is the time on the clock of the engine.
func (e *Engine) Now() time.Time {
	if e.clock == nil {
		return time.Now()
	}
	return e.clock.Now()
}

// MustDo runs a command and returns its reply. args are converted as by [engine.Engine.Do]. It ends
// the test on an error, also on an error reply; if a script or function has failed, it shows what
// it has called. To test an error, call Do.
func (e *Engine) MustDo(args ...any) engine.Value {
	e.t.Helper()
	before := e.seen.Mark()
	v, err := e.Do(context.Background(), args...)
	return e.mustRun(scriptRun{before: before}, v, err)
}

// MustEval runs the text of a script and returns its reply. keys and args become KEYS and ARGV;
// args are converted as by [engine.Engine.Do]. It ends the test on an error, also on an error
// reply, and shows the lines around it, the arguments, and what the script has called.
func (e *Engine) MustEval(script string, keys []string, args ...any) engine.Value {
	e.t.Helper()
	r := scriptRun{name: "script", source: script, keys: keys, args: args, before: e.seen.Mark()}
	v, err := e.Eval(context.Background(), script, keys, args...)
	return e.mustRun(r, v, err)
}

// MustRun is [Engine.MustEval] for a [engine.Script].
func (e *Engine) MustRun(s *engine.Script, keys []string, args ...any) engine.Value {
	e.t.Helper()
	r := scriptRun{name: e.nameOf(s), source: s.Source(), keys: keys, args: args, before: e.seen.Mark()}
	v, err := s.Run(context.Background(), e.Engine, keys, args...)
	return e.mustRun(r, v, err)
}

// Script reads a script from a file. The path is relative to the folder of the package under test.
// It ends the test if the file cannot be read.
func (e *Engine) Script(path string) *engine.Script {
	e.t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatalf("redmoontest: %v", err)
	}
	s := engine.NewScript(string(source))
	if e.covered != nil {
		e.covered.Name(s.SHA(), fileName(path))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.paths == nil {
		e.paths = map[*engine.Script]string{}
	}
	e.paths[s] = path
	return s
}

// nameOf returns the path of a script that [Engine.Script] has read.
func (e *Engine) nameOf(s *engine.Script) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if path, ok := e.paths[s]; ok {
		return path
	}
	return "script"
}
