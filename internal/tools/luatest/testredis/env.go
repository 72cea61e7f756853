package testredis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

// Server is a real server on which tests are repeated. It has one connection.
type Server interface {
	// Do runs a command. An error reply is a Value.
	Do(ctx context.Context, args []string) (reply.Value, error)
}

// Env is what one test has of Redis.
type Env struct {
	w   *World
	ctx context.Context
	end context.CancelFunc

	engine *engine.Engine // nil: not made yet, or the test runs on the server
	clock  *engine.VirtualClock
	sess   *engine.Session // of the test
	side   *engine.Session // of the runner
	db     int             // the database that the test has selected
	remote Server
	first  *Env          // on the server: the Env of the same test on the engine
	also   *engine.Probe // of explore; nil: none
	seen   *harness.Watch

	mu     sync.Mutex       // guards what follows
	stubs  map[string]*stub // by the name of the command in lower case
	logged []string
	silent bool // explore runs: scripts log what they log again and again
	child  *Env // the last fork; nil: none

	asks      chan ask // of the probe, for stubs
	inStub    bool
	problem   error // of a stub
	runs      []*Run
	exchanges []Exchange
	exchanged int64            // bytes of exchanges
	uses      []string         // what cannot be repeated on a server
	before    harness.Keyspace // at the last diff, or at the start of the test
	libraries []string         // loaded by the test
	stays     bool             // the last command was a script that has failed, and has written what stays
	closed    bool
}

// newEnv returns an Env that has no engine yet.
func newEnv(w *World, remote Server) *Env {
	env := &Env{w: w, remote: remote, seen: harness.NewWatch(harness.MostCalls), stubs: map[string]*stub{}, asks: make(chan ask)}
	env.ctx, env.end = context.WithCancel(context.Background())
	env.clock = engine.NewVirtualClock(w.opt.start())
	return env
}

// open makes the engine and repeats what setup functions have done.
func (env *Env) open() error {
	if env.closed {
		return errors.New("the test has ended")
	}
	if env.remote != nil || env.engine != nil {
		return nil
	}
	s := env.w.Settings
	e, err := engine.New(engine.Options{
		Clock: env.clock, Rand: harness.Rand(harness.Seed), Logger: slog.New(logHandler{env}), Server: s.Server, Cluster: s.Cluster,
		OneSlot: s.OneSlot, Config: s.Config, ShufflePairs: env.w.opt.ShufflePairs, OnScriptError: s.policy(),
		Coverage: env.w.opt.Coverage, Profile: env.w.opt.Profile, StrictKeys: env.w.opt.StrictKeys,
		ScriptMigrate: env.w.opt.ScriptMigrate,
	})
	if err != nil {
		return err
	}
	if err := env.adopt(e); err != nil || env.w.opt.OnEngine == nil {
		return err
	}
	return env.w.opt.OnEngine(e, Hooks{OnRun: env.onRun(), OnEvaluate: env.seen.SetQuiet})
}

// onRun returns a function that forgets what the Env has noted of a run of a script that is
// repeated.
func (env *Env) onRun() func(bool) {
	restore := func() {}
	return func(again bool) {
		if again {
			restore()
		} else {
			restore = env.seen.Save()
		}
	}
}

// fork returns an Env whose engine holds what that of env holds now, on a clock of its own. also
// sees the commands of its engine too. If env is aborted, so is the last fork.
func (env *Env) fork(also *engine.Probe) (*Env, error) {
	if err := env.open(); err != nil {
		return nil, err
	}
	child := newEnv(env.w, nil)
	child.clock = engine.NewVirtualClock(env.clock.Now())
	child.also, child.libraries = also, slices.Clone(env.libraries)
	for _, f := range env.seen.Faults() {
		child.seen.Inject(f)
	}
	env.mu.Lock()
	over := env.ctx.Err()
	env.child = child
	env.mu.Unlock()
	if over != nil {
		return nil, errors.New("the test has ended")
	}
	e, err := env.engine.ForkWithClock(child.clock)
	if err != nil {
		return nil, err
	}
	return child, child.adopt(e)
}

// adopt makes a new engine that of env.
func (env *Env) adopt(e *engine.Engine) (err error) {
	if env.sess, err = e.NewSession(); err != nil {
		return errors.Join(err, e.Close())
	}
	if env.side, err = e.NewSession(); err != nil {
		return errors.Join(err, e.Close())
	}
	env.mu.Lock()
	env.engine = e
	env.mu.Unlock()
	return e.SetProbe(env.ctx, harness.Join(env.also, env.seen.Probe(), &engine.Probe{Answer: env.answer}))
}

// abort makes the command that runs, and all later ones, fail. It may be called from any goroutine.
func (env *Env) abort() {
	env.mu.Lock()
	env.end()
	e, child := env.engine, env.child
	env.mu.Unlock()
	if child != nil {
		child.abort()
	}
	if e != nil {
		_ = e.Close()
	}
}

// close ends the engine. It returns an error if the keyspace is broken, which is a mistake in
// Redmoon.
func (env *Env) close() error {
	env.closed = true
	defer env.end()
	if env.engine == nil {
		return nil
	}
	return errors.Join(harness.Check(env.engine), env.engine.Close())
}

// errInStub is the error of a stub that runs commands.
var errInStub = errors.New("a stub cannot use Redis: the command that it answers has not ended")

// do runs a command of the test. An error reply is a Value.
func (env *Env) do(args []string) (v reply.Value, err error) {
	if env.inStub {
		return v, errInStub
	}
	if err := env.open(); err != nil {
		return v, err
	}
	if env.remote != nil {
		return env.remote.Do(env.ctx, args)
	}
	if len(env.stubs) == 0 {
		return env.replied(env.sess.DoStrings(env.ctx, args...))
	}
	return env.doWithStubs(args)
}

// replied notes whether a failed script has left writes, and returns an error reply as a Value
// only.
func (env *Env) replied(v reply.Value, err error) (reply.Value, error) {
	env.stays = errors.As(err, new(*engine.ScriptError))
	return valueOf(v, err)
}

// valueOf returns an error reply as a Value only.
func valueOf(v reply.Value, err error) (reply.Value, error) {
	if v.IsError() {
		err = nil
	}
	return v, err
}

// own runs a command of the runner, which no test sees.
func (env *Env) own(args ...string) (v reply.Value, err error) {
	if err := env.open(); err != nil {
		return v, err
	}
	if env.remote != nil {
		return env.remote.Do(env.ctx, args)
	}
	env.seen.Quietly(func() {
		if v, err = env.side.DoStrings(env.ctx, "SELECT", strconv.Itoa(env.db)); err == nil {
			v, err = valueOf(env.side.DoStrings(env.ctx, args...))
		}
	})
	return v, err
}

// use notes that a test uses something that cannot be repeated on a server.
func (env *Env) use(what string) {
	if !slices.Contains(env.uses, what) {
		env.uses = append(env.uses, what)
	}
}

// answer asks the stub of a command, if there is one.
func (env *Env) answer(c engine.ProbedCommand) (v engine.Value, ok bool) {
	env.mu.Lock()
	s := env.stubs[strings.ToLower(c.Args[0])]
	env.mu.Unlock()
	if s == nil || env.seen.IsQuiet() {
		return v, false
	}
	return env.ask(s, harness.Cloned(c.Args)), true
}

// logHandler keeps what scripts log, and drops what the engine itself logs below a warning.
type logHandler struct{ env *Env }

// shownLogs is the number of lines of the log that are kept.
const shownLogs = 200

func (h logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "from" && a.Key != "script" {
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	h.env.mu.Lock()
	defer h.env.mu.Unlock()
	if len(h.env.logged) < shownLogs && !h.env.silent {
		h.env.logged = append(h.env.logged, b.String())
	}
	return nil
}

func (h logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h logHandler) WithGroup(string) slog.Handler { return h }

// Settings are the properties of the engines of the tests of a block.
type Settings struct {
	Server   string            // the server to follow, as engine.Options has it
	Cluster  bool              // as the only node of a Redis Cluster
	OneSlot  bool              // scripts are restricted to keys of one slot
	Rollback bool              // a failing script leaves nothing
	Config   map[string]string // parameters as CONFIG SET takes them
}

func (s Settings) policy() engine.ScriptErrorPolicy {
	if s.Rollback {
		return engine.Rollback
	}
	return engine.KeepWrites
}

// start is the time that clocks show at first.
func (o Options) start() time.Time {
	if o.Start.IsZero() {
		return time.Unix(harness.Start, 0)
	}
	return o.Start
}
