package engine

import (
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// EXEC and FUNCTION RESTORE cannot wait half-way, nor can EVALSHA of a script whose compiled form
// was dropped: they compile on the loop. Meanwhile the loop attends as it does while a script runs:
// if the compilation takes longer than busy-reply-threshold, other clients get BUSY, and SCRIPT
// KILL or FUNCTION KILL ends it.

// stoppable is something that runs on the loop and can be ended: a Lua VM with its script, or a
// compilation. Both methods are called on the loop.
type stoppable interface {
	Kill(reason string) // the position may follow reason in the error line
	End(reason string)
}

// loopCompilation is a compilation on the loop, and the run of a library's text. It implements
// stoppable.
type loopCompilation struct {
	e   *Engine
	vm  *luabridge.VM // runs the text of a library; nil if nothing is run
	err error         // why it has to end
}

// compileHere begins a compilation for the command of c. function is the name of what is loaded if
// libraries are compiled, else "". Caller must call end.
func (e *Engine) compileHere(c *server.Ctx, function string) *loopCompilation {
	j := &loopCompilation{e: e}
	e.server.StartScript(c, function, e.stopSwitch(c), server.Rights{CrossSlot: true, AllowOOM: true})
	e.watch.begin(j)
	return j
}

func (j *loopCompilation) end() { j.e.leaveScript() }

func (j *loopCompilation) limits() luabridge.CompileLimits { return j.e.compileLimits(j.look) }

// look calls attend if it is due, and returns the error if the compilation must end.
func (j *loopCompilation) look() error {
	if w := &j.e.watch; w.attention.Load() {
		w.attention.Store(false)
		j.e.attend()
	}
	if j.err == nil {
		j.err = j.e.stopCaller()
	}
	return j.err
}

// Kill implements stoppable.
func (j *loopCompilation) Kill(reason string) {
	j.err = reply.ParseError(reason)
	if j.vm != nil {
		j.vm.Kill(reason)
	}
}

// End implements stoppable.
func (j *loopCompilation) End(reason string) {
	j.err = reply.ParseError(reason)
	if j.vm != nil {
		j.vm.End(reason)
	}
}

// compileFor compiles a text by f for the command of c. If c is nil, or the text is short, no other
// client is served meanwhile. function is the name of the library, "" for a script.
func (e *Engine) compileFor(c *server.Ctx, text, function string, f func(luabridge.CompileLimits) error) error {
	e.lastVM = nil
	if c == nil || len(text) < luabridge.LongText {
		return f(e.compileLimits(e.stopCaller))
	}
	j := e.compileHere(c, function)
	defer j.end()
	return f(j.limits())
}
