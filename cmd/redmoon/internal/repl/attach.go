package repl

import (
	"fmt"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// wantedScripts says which scripts of other callers are debugged. The engine's goroutine reads it.
type wantedScripts struct {
	mu     sync.Mutex
	points map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops  debugger.Stops
	loaded *script
}

// options returns the options for a script of another caller, and whether to debug it.
func (w *wantedScripts) options(call engine.ScriptCall) (debugger.Options, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	points := w.points[call.Script.SHA()]
	stops := w.stops.Errors != debugger.ErrorsNone || len(w.stops.Commands)+len(w.stops.Keys)+len(w.stops.Values) > 0
	if len(points) == 0 && !stops && !strings.Contains(call.Script.Source(), "redis.breakpoint") {
		return debugger.Options{}, false
	}
	return debugger.Options{Sync: true, Breakpoints: slices.Clone(points), Stops: w.stops}, true
}

// updateWanted passes the breakpoints and stops on to wantedScripts.
func (d *dialogue) updateWanted() {
	points := map[string][]debugger.Breakpoint{}
	for sha, list := range d.breakpoints {
		points[sha] = slices.Clone(list)
	}
	d.wanted.mu.Lock()
	defer d.wanted.mu.Unlock()
	d.wanted.points, d.wanted.stops, d.wanted.loaded = points, d.stops, d.script
}

// attach makes breakpoints stop the scripts of other callers.
func (d *dialogue) attach() (detach func(), err error) {
	l, ok := d.backend.(*backend.Local)
	if !ok || !d.Attach {
		return func() {}, nil
	}
	return debugger.Attach(l.Engine, d.wanted.options, func(s *debugger.Session, call engine.ScriptCall) {
		d.events.receive(&stopped{target: backend.NewTarget(s), name: d.nameOf(call.Script), script: call.Script, sync: true,
			client: fmt.Sprintf("client %d", call.Session)})
	})
}

// handleOtherEvent handles an event of a script for which the dialogue does not wait.
func (d *dialogue) handleOtherEvent(l scriptEvent) {
	switch e := l.event.(type) {
	case debugger.Output:
		d.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		if d.stop != nil && d.stop != l.from {
			d.others = append(d.others, l.from)
			d.sayf("(the script of %s has stopped too; it waits for the end of this one)", l.from.client)
			return
		}
		d.takeOver(l.from)
	case debugger.Ended:
		d.others = slices.DeleteFunc(d.others, func(s *stopped) bool { return s == l.from })
		if d.stop == l.from {
			_ = d.showEnd(l.from, e) // the caller of a script of its own reports its error
			d.takeNextWaiting()
		}
	}
}

// takeOver makes a stopped script the current one.
func (d *dialogue) takeOver(s *stopped) {
	d.setCurrent(s)
	d.applyBreakpoints()
	d.showStop(s)
}

// nameOf returns the display name of a script. Other goroutines call it.
func (d *dialogue) nameOf(s *engine.Script) string {
	d.wanted.mu.Lock()
	defer d.wanted.mu.Unlock()
	if d.wanted.loaded != nil && d.wanted.loaded.script.SHA() == s.SHA() {
		return d.wanted.loaded.name
	}
	return "script " + s.SHA()[:8]
}
