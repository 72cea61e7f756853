package engine

import (
	"context"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// FunctionCall is a call of a function of a library.
type FunctionCall struct {
	// Library is the text of the library, which is loaded first, as by FUNCTION LOAD REPLACE.
	// Default: the engine has the library.
	Library    *Script
	Name       string
	Keys, Args []string
	ReadOnly   bool // the call is one of FCALL_RO
}

// words returns the command of the call.
func (f FunctionCall) words(to []string) []string {
	name := "FCALL"
	if f.ReadOnly {
		name = "FCALL_RO"
	}
	to = append(to, name, f.Name, strconv.Itoa(len(f.Keys)))
	return append(append(to, f.Keys...), f.Args...)
}

// DebugFunction calls a function under the Debugger that start returns, as [Engine.DebugScript]
// does with a script. If the call has the text of the library, that text runs under the same
// Debugger before the function; [DebugRun.Loading] distinguishes the two. [DebugRun.Rewind] repeats
// both. The error of a library that cannot be loaded is that of FUNCTION LOAD.
func (e *Engine) DebugFunction(ctx context.Context, call FunctionCall, start func(*DebugRun) Debugger) (Value, error) {
	return e.debugFunction(ctx, e.shared, call, start)
}

// DebugFunction is [Engine.DebugFunction] with the session's database and user.
func (s *Session) DebugFunction(ctx context.Context, call FunctionCall, start func(*DebugRun) Debugger) (Value, error) {
	v, err := s.e.debugFunction(ctx, s.s, call, start)
	return v, s.reason(err)
}

func (e *Engine) debugFunction(ctx context.Context, sess *server.Session, call FunctionCall,
	start func(*DebugRun) Debugger) (Value, error) {
	var both *DebugRun
	if call.Library != nil {
		both = &DebugRun{goesOn: true}
		r := e.newRequest()
		r.args = append(r.args, "FUNCTION", "LOAD", "REPLACE", call.Library.source)
		r.sess, r.debugged = sess, both
		r.debug = func(d *DebugRun) Debugger {
			both.debugger = start(d)
			return both.debugger
		}
		if v, err := e.finish(ctx, r); err != nil {
			return v, err
		}
	}
	r := e.newRequest()
	r.args = call.words(r.args)
	r.sess, r.debug, r.debugged = sess, start, both
	return e.finish(ctx, r)
}

// debugRun returns the DebugRun of what is about to run in f's VM.
func (f *functions) debugRun() *DebugRun {
	fresh := newDebugRun(f.e, f.vm)
	if f.e.current == nil || f.e.current.debugged == nil {
		return fresh
	}
	both := f.e.current.debugged
	if both.e == nil { // the library is about to be loaded
		fresh.goesOn = both.goesOn
		*both = *fresh
	}
	return both
}

// loadWatched runs the text of a library, under a debugger if one wants it. It replies as FUNCTION
// LOAD does.
func (f *functions) loadWatched(c *server.Ctx, lib *luabridge.Library) reply.Value {
	var start func(*DebugRun) Debugger
	if f.e.maybeDebugged() {
		start = f.e.debuggerFor(c, ScriptCall{Script: NewScript(lib.Source), Loading: true})
	}
	load := func() reply.Value {
		if err := f.load(lib, luabridge.CompileLimits{}); err != nil {
			return reply.Err(err.Error())
		}
		return reply.Bulk(lib.Name)
	}
	if start == nil {
		return load()
	}
	r := f.debugRun()
	r.loading = true
	defer func() { r.loading = false }()
	return r.runAll(c, start, func(bool) reply.Value { return load() })
}

// callWatched calls a function, under a debugger if one wants it. The host has begun.
func (f *functions) callWatched(c *server.Ctx, fn *luabridge.Function, keys, argv []string, readOnly bool) reply.Value {
	lib := fn.Library()
	source := NewScript(lib.Source)
	source.readOnly = readOnly
	start := f.e.debuggerFor(c, ScriptCall{Script: source, Function: fn.Name, Keys: keys, Args: argv})
	if start == nil {
		return f.callPlain(fn, keys, argv)
	}
	r := f.debugRun()
	begin, loaded := start, r.debugger != nil
	r.goesOn = false
	if loaded {
		begin = func(r *DebugRun) Debugger {
			if d := r.debugger; d != nil { // it has seen the library being loaded
				r.debugger = nil
				return d
			}
			return start(r)
		}
	}
	return r.runAll(c, begin, func(again bool) reply.Value {
		if !again {
			return f.callPlain(fn, keys, argv)
		}
		if errv := f.loadAgain(r, lib, loaded); errv.IsError() {
			return errv
		}
		if errv := f.e.scripts.begin(c, fn.Name, fn.Flags|luabridge.Shebang, readOnly); errv.IsError() {
			return errv // the same check has succeeded before
		}
		return f.callPlain(fn, keys, argv)
	})
}

// loadAgain loads the library of a function that is about to be called again. watched says that the
// debugger sees it.
func (f *functions) loadAgain(r *DebugRun, lib *luabridge.Library, watched bool) reply.Value {
	if !watched && r.held != nil {
		f.vm.Debug(nil)
		defer func() { f.vm.Debug(r.held) }()
	}
	r.loading = true
	defer func() { r.loading = false }()
	if err := f.vm.LoadLibrary(lib); err != nil {
		return reply.Err(err.Error())
	}
	return reply.Value{}
}
