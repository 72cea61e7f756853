package repl

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// wanted says which scripts of other callers are to be debugged. The engine's goroutine asks it.
type wanted struct {
	mu     sync.Mutex
	points map[string][]debugger.Breakpoint // by the SHA1 of the script
	stops  debugger.Stops
	loaded *script
}

// options are those for a script, if it is wanted.
func (w *wanted) options(call engine.ScriptCall) (debugger.Options, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	points := w.points[call.Script.SHA()]
	stops := w.stops.Errors != debugger.NoErrors || len(w.stops.Commands)+len(w.stops.Keys)+len(w.stops.Values) > 0
	if len(points) == 0 && !stops && !strings.Contains(call.Script.Source(), "redis.breakpoint") {
		return debugger.Options{}, false
	}
	return debugger.Options{Sync: true, Breakpoints: slices.Clone(points), Stops: w.stops}, true
}

// wish tells which scripts of others are wanted from now on.
func (d *dialogue) wish() {
	points := map[string][]debugger.Breakpoint{}
	for sha, list := range d.points {
		points[sha] = slices.Clone(list)
	}
	d.wanted.mu.Lock()
	defer d.wanted.mu.Unlock()
	d.wanted.points, d.wanted.stops, d.wanted.loaded = points, d.stops, d.script
}

// attach lets breakpoints stop the scripts of other callers.
func (d *dialogue) attach() (detach func(), err error) {
	l, ok := d.place.(*Local)
	if !ok || !d.Attach {
		return func() {}, nil
	}
	return debugger.Attach(l.Engine, d.wanted.options, func(s *debugger.Session, call engine.ScriptCall) {
		d.mail.receive(&stopped{target: session{s}, name: d.nameOf(call.Script), script: call.Script, sync: true, client: fmt.Sprintf("client %d", call.Session)})
	})
}

// aside deals with an event of a script that nobody waits for.
func (d *dialogue) aside(l letter) {
	switch e := l.event.(type) {
	case debugger.Output:
		d.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		if d.stop != nil && d.stop != l.from {
			d.others = append(d.others, l.from)
			d.sayf("(the script of %s has stopped too, and waits until this one has ended)", l.from.client)
			return
		}
		d.attend(l.from)
	case debugger.Ended:
		d.others = slices.DeleteFunc(d.others, func(s *stopped) bool { return s == l.from })
		if d.stop == l.from {
			_ = d.ended(l.from, e) // an error of its own script is told by the caller
			d.another()
		}
	}
}

// attend makes a script that has stopped the one in hand.
func (d *dialogue) attend(s *stopped) {
	d.hold(s)
	d.set()
	d.arrived(s)
}

// nameOf is what a script is called in messages. It is called on other goroutines.
func (d *dialogue) nameOf(s *engine.Script) string {
	d.wanted.mu.Lock()
	defer d.wanted.mu.Unlock()
	if d.wanted.loaded != nil && d.wanted.loaded.script.SHA() == s.SHA() {
		return d.wanted.loaded.name
	}
	return "script " + s.SHA()[:8]
}
