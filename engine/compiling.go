package engine

import (
	"slices"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/reply"
)

// compiling holds the long texts that are being compiled. A separate goroutine compiles them, one
// at a time, while the loop serves other clients. The command that needs a text waits, and when it
// runs it takes the result from ready. The loop owns all fields except compileJob.stop.
type compiling struct {
	jobs  []*compileJob           // the first one is running
	ready map[textKey]*compileJob // compiled, but not yet taken by its command
}

type textKey struct {
	text    string
	library bool
}

// compileJob is the compilation of one text.
type compileJob struct {
	textKey
	waits  []*compileWait // the commands that wait for it, in order
	stop   atomic.Pointer[error]
	script *luabridge.Script
	lib    *luabridge.Library
	err    error
}

// compileWait is one command that waits for a text.
type compileWait struct{ done func() }

// errNobodyWaits ends a compilation whose clients have gone.
var errNobodyWaits error = reply.ParseError("ERR nobody waits for this script")

// compileLater implements server.Owner.
func (e *Engine) compileLater(text string, library bool, done func()) (leave func()) {
	c := &e.compiling
	key := textKey{text, library}
	if c.ready[key] != nil {
		return nil
	}
	if script := e.scripts.bySource[text]; !library && script != nil && !script.Dropped() {
		return nil
	}
	w := &compileWait{done}
	for _, j := range c.jobs {
		if j.textKey == key && j.stop.Load() == nil {
			j.waits = append(j.waits, w)
			return func() { c.leave(j, w) }
		}
	}
	j := &compileJob{textKey: key, waits: []*compileWait{w}}
	c.jobs = append(c.jobs, j)
	if len(c.jobs) == 1 {
		go e.compileNext(j)
	}
	return func() { c.leave(j, w) }
}

// leave is called when the command of w no longer waits. A job without waiting commands is
// cancelled.
func (c *compiling) leave(j *compileJob, w *compileWait) {
	j.waits = slices.DeleteFunc(j.waits, func(other *compileWait) bool { return other == w })
	if len(j.waits) > 0 {
		return
	}
	j.stop.CompareAndSwap(nil, &errNobodyWaits)
	if i := slices.Index(c.jobs, j); i > 0 { // it has not begun
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
}

// compileNext runs on a goroutine of its own.
func (e *Engine) compileNext(j *compileJob) {
	j.compile(e.compileLimits(func() error {
		if err := j.stop.Load(); err != nil {
			return *err
		}
		return nil
	}))
	_ = e.onLoop(func() { // a closed engine has already answered
		c := &e.compiling
		c.jobs = slices.Delete(c.jobs, 0, 1) // also from the memory behind it: the text may be long
		if c.ready == nil {
			c.ready = map[textKey]*compileJob{}
		}
		if len(j.waits) > 0 {
			c.ready[j.textKey] = j
		}
		for _, w := range j.waits {
			w.done()
		}
		if len(c.jobs) > 0 {
			go e.compileNext(c.jobs[0])
		}
	})
	_ = e.onLoop(func() { // no command has taken it
		if e.compiling.ready[j.textKey] == j {
			delete(e.compiling.ready, j.textKey)
		}
	})
}

func (j *compileJob) compile(l luabridge.CompileLimits) {
	if !j.library {
		j.script, j.err = luabridge.CompileScript(j.text, l)
		return
	}
	if j.lib, j.err = luabridge.ParseLibraryOf(j.text, l.First); j.err == nil {
		j.err = j.lib.Compile(l)
	}
}

// firstLine says how the server that is followed reads first lines.
func (e *Engine) firstLine() luatext.FirstLine {
	return luatext.FirstLine{EngineNames: e.follows.Has(servers.EngineNames), JoinedQuotes: e.follows.Has(servers.JoinedQuotes)}
}

// compileLimits returns the limits for compiling one text. If stop is not nil, its error ends the
// compilation.
func (e *Engine) compileLimits(stop func() error) luabridge.CompileLimits {
	return luabridge.CompileLimits{MaxMemory: e.memory, First: e.firstLine(),
		Coverage: e.options.Coverage, Profile: e.options.Profile, Stop: func() error {
			if e.closed.Load() {
				return reply.ParseError(closedReason)
			}
			if stop != nil {
				return stop()
			}
			return nil
		}}
}

// stopCaller returns an error if the caller of the running request has given up.
func (e *Engine) stopCaller() error {
	if e.server.Run.Stop.Stopped() {
		return reply.ParseError(server.StoppedByCaller)
	}
	return nil
}

// take returns the result for a text, or nil. It removes the result unless that is an error.
func (c *compiling) take(text string, library bool) *compileJob {
	if len(c.ready) == 0 {
		return nil
	}
	key := textKey{text, library}
	j := c.ready[key]
	if j != nil && j.err == nil {
		delete(c.ready, key)
	}
	return j
}

// killCompiler implements server.Owner.
func (s *scripting) killCompiler(function bool, reason string) bool {
	jobs := s.compiling.jobs
	if len(jobs) == 0 || jobs[0].library != function {
		return false
	}
	err := error(reply.ParseError(reason))
	return jobs[0].stop.CompareAndSwap(nil, &err)
}
