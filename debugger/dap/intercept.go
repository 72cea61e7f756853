package dap

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// interceptor debugs the scripts that callers of an engine begin, by a plan. The engine's goroutine
// asks it about each script. Any goroutine may call its methods.
type interceptor struct {
	login    *engine.Session            // of the user who debugs
	plan     atomic.Pointer[attachPlan] // nil: no script is debugged
	stopNext atomic.Bool                // the next script stops on entry

	mu     sync.Mutex // guards what follows
	detach func()     // ends the interception; nil: it has not begun, or has ended
	ended  bool
}

// attachPlan says which scripts of callers are debugged, and how. The engine's goroutine reads it;
// it is immutable.
type attachPlan struct {
	every       bool // debug every script
	stopOnEntry bool
	stops       debugger.Stops
	sources     []source
}

// setPlan replaces the plan, unless the interception has ended.
func (i *interceptor) setPlan(p *attachPlan) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.ended {
		i.plan.Store(p)
	}
}

// choose decides whether a caller's script is debugged, and returns its options. The engine's
// goroutine calls it.
func (i *interceptor) choose(call engine.ScriptCall) (o debugger.Options, ok bool) {
	p := i.plan.Load()
	if p == nil {
		return o, false
	}
	if !i.login.MayDebug(call) {
		return o, false
	}
	o = debugger.Options{Sync: true, StopOnEntry: p.stopOnEntry, Stops: p.stops}
	ok = p.every
	for n := range p.sources {
		if s := &p.sources[n]; s.matches(call.Script) {
			o.Breakpoints, ok = s.resolved, true
			break
		}
	}
	if ok && i.stopNext.Swap(false) {
		o.StopOnEntry = true
	}
	return o, ok
}

// begin begins to intercept scripts of callers of e. It calls begun for each script that is
// debugged, on a goroutine of the engine. begin may have to wait for the engine.
func (i *interceptor) begin(e *engine.Engine, begun func(*debugger.Session, engine.ScriptCall)) error {
	detach, err := debugger.Attach(e, i.choose, begun)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		go detach()
		return nil
	}
	i.detach = detach
	return nil
}

// end ends the interception of scripts. It does not wait.
func (i *interceptor) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.plan.Store(nil)
	if i.ended = true; i.detach != nil {
		go i.detach() // when the engine is free
		i.detach = nil
	}
}

// isOn reports whether scripts are debugged.
func (i *interceptor) isOn() bool { return i.plan.Load() != nil }

// waitFor calls f, which may have to wait for the engine while another client's script is stopped.
// It returns when f returns or ctx ends.
func waitFor(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
