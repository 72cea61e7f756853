package testredis

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// Options are the options of a [World]. The zero value works.
type Options struct {
	// Dir is the folder of the test file, to which paths in the test are relative.
	Dir string
	// ShufflePairs is as in [engine.Options].
	ShufflePairs uint64
	// Start is the time that clocks show at first. Default: [harness.Start].
	Start time.Time
	// Compare makes tests note their replies, for [Compare].
	Compare bool
	// Coverage, Profile, StrictKeys and ScriptMigrate are those of the engines; see [engine.Options].
	// Optional.
	Coverage      *engine.Coverage
	Profile       *engine.Profile
	StrictKeys    engine.KeyPolicy
	ScriptMigrate bool
	// OnScript is called for each script and library before it runs. Optional.
	OnScript func(Source)
	// OnEngine is called with the engine of each test and hook before it runs a command, but not with
	// the engines of explore. Optional.
	OnEngine func(e *engine.Engine, h Hooks) error
	// OnCall is called with the traceback before the test uses Redis. Optional.
	OnCall func([]luabridge.TraceLine)
	// ReadFile reads the files that a test names. Default: [os.ReadFile].
	ReadFile func(path string) ([]byte, error)
	// Print shows a line with the output of the test. Optional.
	Print func(line string)
}

// Hooks are functions that a debugger of the scripts of a test must call, so that the test does not
// notice it. They are those of package debugger's Options.
type Hooks struct {
	OnRun      func(again bool)
	OnEvaluate func(begins bool)
}

// World is what the functions of a test file share.
type World struct {
	Settings Settings // of the engines that are made from now on
	// Deadline is when explore must have ended; the zero Time: never.
	Deadline time.Time

	opt     Options
	tool    *luabridge.Tool
	asserts *assert.Library
	env     *Env              // nil: no test or hook runs
	record  *[]Op             // while a setup function runs: what it does
	sources map[string]Source // of the libraries, by name

	scripts  []scriptKind
	scriptOf map[string]int  // indexes of scripts, by SHA and name
	methods  luabridge.Value // of scripts
	threads  *threads
	explored *exploration // in progress; nil: none
}

// Op is something that a setup function has done to Redis. It is repeated for each test.
type Op func(env *Env) error

// Install adds the functions to the globals of a tool.
func Install(t *luabridge.Tool, opt Options) *World {
	w := &World{opt: opt, tool: t, scriptOf: map[string]int{}}
	w.methods = w.methodsOfScripts()
	t.SetHost(host{w})
	g := t.Globals()
	redis := g.Get("redis")
	redis.Set("call", t.Func(w.call))
	redis.Set("pcall", t.Func(w.pcall))
	for name, f := range map[string]luabridge.ToolFunc{
		"script": w.script, "fcall": w.fcall, "pfcall": w.pfcall, "library": w.library, "fixture": w.fixture, "calls": w.calls,
		"keyspace": w.keyspace, "diff": w.diff, "fail_next": w.failNext, "set": w.set, "zset": w.zset, "stream": w.stream, "list": w.list,
		"hash": w.hash, "ttl": w.ttl, "explore": w.explore,
	} {
		g.Set(name, t.Func(f))
	}
	g.Set("clock", w.clockTable())
	return w
}

// UseAsserts adds the assertions about Redis.
func (w *World) UseAsserts(l *assert.Library) {
	w.asserts = l
	l.Add("keyspace", assert.Assertion{Least: 1, Check: w.assertKeyspace})
}

// Begin begins a test or a hook: it gets an Env of its own, in which ops are repeated. On a server,
// first is the Env of the same test on the engine.
func (w *World) Begin(ops []Op, on Server, first *Env) (*Env, error) {
	w.env = newEnv(w, on)
	w.env.first = first
	w.tool.SetProto(2)
	for _, op := range ops {
		if err := op(w.env); err != nil {
			return w.env, fmt.Errorf("what setup has done cannot be repeated: %w", err)
		}
	}
	w.env.runs = nil
	return w.env, nil
}

// MarkStart says that the test itself begins: diff compares with the present keyspace.
func (env *Env) MarkStart() (err error) {
	if env.engine != nil || env.remote != nil {
		env.before, err = env.keyspaceOf()
	}
	return err
}

// Enter makes an Env that Begin has returned the present one again.
func (w *World) Enter(env *Env, record *[]Op) { w.env, w.record = env, record }

// Leave ends the present test or hook, but keeps its Env open.
func (w *World) Leave() { w.env, w.record = nil, nil }

// End closes an Env. The error is a mistake in Redmoon.
func (w *World) End(env *Env) error {
	if w.env == env {
		w.Leave()
	}
	return env.close()
}

// Abort makes the present commands of an Env fail. It may be called from any goroutine.
func (env *Env) Abort() { env.abort() }

// Logs returns what scripts have logged.
func (env *Env) Logs() []string {
	env.mu.Lock()
	defer env.mu.Unlock()
	return env.logged
}

// errOutside is the error of the functions outside a test.
var errOutside = errors.New("there is no Redis here: every test has an engine of its own; use it in a test, before_each, after_each " +
	"or setup")

// current returns the Env of the running test.
func (w *World) current() (*Env, error) {
	switch {
	case w.env == nil:
		return nil, errOutside
	case w.explored != nil && w.explored.inClient:
		return nil, errInClient
	}
	return w.env, nil
}

// called notes where the test uses Redis.
func (w *World) called(c *luabridge.ToolCall) {
	if w.opt.OnCall != nil {
		w.opt.OnCall(c.Trace())
	}
}

// perform does an op in the present Env. If a setup function runs, the op is repeated for each
// test.
func (w *World) perform(op Op) error {
	env, err := w.current()
	if err != nil {
		return err
	}
	if w.record != nil {
		*w.record = append(*w.record, op)
	}
	return op(env)
}

// path returns a path of a test, relative to its folder.
func (w *World) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.opt.Dir, name)
}

func (w *World) readFile(path string) ([]byte, error) {
	if w.opt.ReadFile != nil {
		return w.opt.ReadFile(path)
	}
	return os.ReadFile(path)
}

// call is redis.call: an error reply is raised.
func (w *World) call(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	v, err := w.command(c)
	switch {
	case err != nil:
		return nil, err
	case v.IsError():
		return nil, w.raise(v, nil)
	}
	return one(w.tool.FromReply(v))
}

// pcall is redis.pcall: an error reply is returned as a table.
func (w *World) pcall(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	v, err := w.command(c)
	if err != nil {
		return nil, err
	}
	return one(w.fromReply(v, nil))
}

func (w *World) command(c *luabridge.ToolCall) (v reply.Value, err error) {
	w.called(c)
	words, err := commandWords(c.Args)
	if err != nil {
		return v, err
	}
	err = w.perform(func(env *Env) error {
		v, err = env.exchange(harness.Line(words), words)
		return err
	})
	return v, err
}

// commandWords returns the words of a command of redis.call.
func commandWords(args []luabridge.Value) ([]string, error) {
	words, ok := luabridge.Words(args)
	switch {
	case len(words) == 0 && ok:
		return nil, errors.New("redis.call needs the name of a command")
	case !ok:
		return nil, errors.New("the arguments of redis.call must be strings or numbers")
	}
	return words, nil
}

func one(v luabridge.Value) ([]luabridge.Value, error) { return []luabridge.Value{v}, nil }

// fromReply returns a reply as a Lua value; an error reply as a table that tostring shows.
func (w *World) fromReply(v reply.Value, run *Run) luabridge.Value {
	if v.IsError() {
		return w.errorTable(v, run)
	}
	return w.tool.FromReply(v)
}

// raise returns the error that raises an error reply.
func (w *World) raise(v reply.Value, run *Run) error {
	return luabridge.Raise(w.errorTable(v, run), v.Text())
}

// errorTable returns the table of an error reply: err is its text. By a metatable there are also
// code, message (without the code and without what Redis says about the script) and, of a script,
// file and line.
func (w *World) errorTable(v reply.Value, run *Run) luabridge.Value {
	t := w.tool
	table, meta, index := t.Table(), t.Table(), t.Table()
	table.Set("err", t.String(v.Text()))
	code, message := "", shortError(v.Text())
	if e := reply.ParseError(message); e != nil {
		code, message = e.Code, e.Message
	}
	index.Set("code", t.String(code))
	index.Set("message", t.String(message))
	if file, n, ok := run.place(v.Text()); ok {
		index.Set("file", t.String(file))
		index.Set("line", t.Int(n))
	}
	meta.Set("__index", index)
	meta.Set("__tostring", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return one(c.Arg(0).Get("err")) }))
	table.SetMetatable(meta)
	return table
}
