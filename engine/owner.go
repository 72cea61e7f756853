package engine

import (
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// owner is an engine as its server sees it. It implements server.Owner.
type owner struct {
	e     *Engine
	start time.Time // on the real clock: Monotonic counts from it; else the zero Time

	shutdown func() // of Options.OnShutdown, once; nil: SHUTDOWN is an error
}

func (o *owner) Monotonic() int64 {
	if o.start.IsZero() {
		return o.e.clock.Now().UnixNano()
	}
	return int64(time.Since(o.start))
}

func (o *owner) Wait(micros int64) {
	e := o.e
	e.clock.Sleep(time.Duration(micros) * time.Microsecond)
	if e.server.Rules.TimeFlows {
		e.server.Store.Slept(e.clock.Now().UnixMicro())
	}
	e.slept = true
}

func (o *owner) HotLine() string {
	if o.e.options.Profile == nil {
		return ""
	}
	return o.e.hotLine()
}

func (o *owner) CompileLater(text string, library bool, done func()) (leave func()) {
	return o.e.compileLater(text, library, done)
}

func (o *owner) MayShutdown() bool        { return o.shutdown != nil }
func (o *owner) Shutdown()                { o.shutdown() }
func (o *owner) KillScript(reason string) { o.e.watch.running.Kill(reason) }
func (o *owner) ScriptMillis() int64      { return o.e.scriptMillis() }
func (o *owner) Aside(cancel, f func())   { o.e.aside(cancel, f) }
func (o *owner) LongText() int            { return luabridge.LongText }
func (o *owner) KillCompiler(function bool) bool {
	return o.e.killCompiler(function, o.e.server.KilledByUser(function))
}
func (o *owner) HasUnsentReplies(sess *server.Session) bool { return o.e.answers(sess) }
func (o *owner) BecameAsync(sess *server.Session)           { o.e.turned(sess) }
func (o *owner) Hold(send func()) bool                      { return o.e.holdSend(send) }
func (o *owner) Panicked(p any, command string) reply.Value { return o.e.panicked(p, command) }
func (o *owner) ServeOthers()                               { o.e.serveOthers() }
func (o *owner) StepImageSoon()                             { o.e.stepImageSoon() }
func (o *owner) EvictSoon()                                 { o.e.clock.AfterFunc(0, o.e.evict) }
func (o *owner) TrimSoon()                                  { o.e.trimSoon() }
func (o *owner) CheckClientsSoon()                          { o.e.checkClientsSoon() }
func (o *owner) CloseSocketsSoon()                          { o.e.closeSocketsSoon() }
