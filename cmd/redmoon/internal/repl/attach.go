package repl

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// wantedScripts says which scripts of other callers are debugged. The engine's goroutine reads it.
type wantedScripts struct {
	mu     sync.Mutex
	points map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops  debugger.Stops
	own    debugger.Stops // of scripts that the user debugs
	loaded *script
	// loading is the SHA1 of the library that the dialogue itself loads: it waits for that, so the
	// text must not stop. "": none.
	loading string
}

// setLoading sets loading.
func (w *wantedScripts) setLoading(sha string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.loading = sha
}

// options returns the options for a script of another caller, and whether to debug it.
func (w *wantedScripts) options(call engine.ScriptCall) (debugger.Options, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if call.Loading && call.Script.SHA() == w.loading {
		return debugger.Options{}, false
	}
	points := w.points[call.Script.SHA()]
	stops := w.stops.Errors != debugger.ErrorsNone || len(w.stops.Commands)+len(w.stops.Keys)+len(w.stops.Values) > 0
	if len(points) == 0 && !stops && !strings.Contains(call.Script.Source(), "redis.breakpoint") {
		return debugger.Options{}, false
	}
	return debugger.Options{Sync: true, Breakpoints: slices.Clone(points), Stops: w.stops}, true
}

// updateWanted passes the breakpoints and stops on to wantedScripts.
func (bs *breakpoints) updateWanted() {
	points := map[string][]debugger.Breakpoint{}
	for sha, list := range bs.lines {
		points[sha] = slices.Clone(list)
	}
	bs.wanted.mu.Lock()
	defer bs.wanted.mu.Unlock()
	bs.wanted.points, bs.wanted.stops, bs.wanted.own, bs.wanted.loaded = points, bs.stops, bs.stopsOf(""), bs.scripts.loaded
}

// attach makes breakpoints stop the scripts of other callers.
func (p *player) attach() (detach func(), err error) {
	l, ok := p.backend.(*backend.Local)
	if !ok || !p.Attach {
		return func() {}, nil
	}
	return debugger.Attach(l.Engine, p.breakpoints.wanted.options, func(s *debugger.Session, call engine.ScriptCall) {
		p.events.receive(&stopped{target: backend.NewTarget(s), name: p.breakpoints.wanted.nameOf(call.Script), script: call.Script, sync: true,
			client: fmt.Sprintf("client %d", call.Session)})
	})
}

// handleOtherEvent handles an event of a script for which the dialogue does not wait.
func (p *player) handleOtherEvent(l scriptEvent) {
	switch e := l.event.(type) {
	case debugger.Output:
		p.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		if p.scripts.current != nil && p.scripts.current != l.from {
			p.scripts.others = append(p.scripts.others, l.from)
			p.sayf("(the script of %s has stopped too; it waits for the end of this one)", l.from.client)
			return
		}
		p.takeOver(l.from)
	case debugger.Ended:
		p.scripts.others = slices.DeleteFunc(p.scripts.others, func(s *stopped) bool { return s == l.from })
		if p.scripts.current == l.from {
			_ = p.showEnd(l.from, e) // the caller of a script of its own reports its error
			p.takeNextWaiting()
		}
	}
}

// handleEvents handles the events that have arrived in the meantime.
func (p *player) handleEvents() {
	for _, l := range p.events.take() {
		p.handleOtherEvent(l)
	}
}

// takeOver makes a stopped script the current one.
func (p *player) takeOver(s *stopped) {
	p.setCurrent(s)
	p.knowGuest(s)
	p.breakpoints.apply()
	p.showStop(s)
}

// nameOf returns the display name of a script.
func (w *wantedScripts) nameOf(s *engine.Script) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.loaded != nil && w.loaded.script.SHA() == s.SHA() {
		return w.loaded.name
	}
	return "script " + s.SHA()[:8]
}
