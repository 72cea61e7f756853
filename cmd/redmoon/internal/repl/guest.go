package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// Guest is a program that runs scripts on engines of its own, one after the other: a test.
type Guest struct {
	// Run runs the program to its end. It calls attach with each engine before it runs a script there.
	Run func(attach func(e *engine.Engine) error)
	// Stop makes Run end soon: Ctrl-C while no script is stopped.
	Stop func()
	// Choose says how a script is debugged. It is called before each of them, on the goroutine of its
	// engine, while the program waits for the script.
	Choose func(engine.ScriptCall) GuestScript
	// Break has breakpoints as :break takes them. FILE:LINE is one of a file, LINE one of each script.
	Break []string
}

// GuestScript is a script of a [Guest].
type GuestScript struct {
	Built *bundle.Bundle // its files; nil: it has none
	Name  string         // for people
	At    string         // where the program calls it, such as x_test.lua:9
	Entry bool           // it stops before its first line
	End   bool           // it stops at its end
	// OnRun and OnEvaluate are those of [debugger.Options]. Optional.
	OnRun      func(again bool)
	OnEvaluate func(begins bool)
}

// guestPoint is one of Guest.Break.
type guestPoint struct {
	text string
	file string // "": every script
	debugger.Breakpoint
	used bool
}

// parsePoints parses Guest.Break.
func parsePoints(texts []string) (list []*guestPoint, err error) {
	for _, text := range texts {
		word, rest := cutWord(text)
		p := &guestPoint{text: text}
		at := strings.LastIndexByte(word, ':')
		p.file = word[:max(at, 0)]
		if p.Breakpoint, err = parseBreakpoint(word[at+1:] + " " + rest); err != nil {
			return nil, fmt.Errorf("--break %s: %w", text, err)
		}
		if p.Line == 0 || at == 0 {
			return nil, fmt.Errorf("--break %s: a breakpoint is LINE or FILE:LINE, and conditions as :break has them", text)
		}
		list = append(list, p)
	}
	return list, nil
}

// guests debugs the scripts of a guest.
type guests struct {
	p       *player
	points  []*guestPoint
	running sync.WaitGroup // sessions

	mu   sync.Mutex    // guards what follows
	over bool          // no script stops any more
	last chan struct{} // closed when all events of the last script have arrived; nil: there was none
}

// attach makes the scripts of an engine stop.
func (g *guests) attach(e *engine.Engine) error {
	g.p.backend.(*backend.Local).Engine = e
	var begun *stopped
	var arrived chan struct{}
	choose := func(call engine.ScriptCall) (o debugger.Options, ok bool) {
		if begun, o, ok = g.choose(call); !ok {
			return o, false
		}
		arrived = make(chan struct{})
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.over {
			return o, false
		}
		g.last = arrived
		g.running.Add(1)
		return o, true
	}
	_, err := debugger.Attach(e, choose, func(s *debugger.Session, _ engine.ScriptCall) {
		defer g.running.Done()
		begun.target = backend.NewTarget(s)
		g.p.events.receive(begun)
		close(arrived)
	})
	return err
}

// choose returns a script of the guest, and how it is debugged. The events of the script before it
// have arrived then.
func (g *guests) choose(call engine.ScriptCall) (*stopped, debugger.Options, bool) {
	g.mu.Lock()
	over, last := g.over, g.last
	g.mu.Unlock()
	if over {
		return nil, debugger.Options{}, false
	}
	if last != nil {
		<-last
	}
	from := g.p.Guest.Choose(call)
	s := &stopped{name: from.Name, script: call.Script, sync: true, guest: from.At, made: &script{name: from.Name, script: call.Script,
		built: from.Built}}
	if from.Built != nil {
		s.made.path = from.Built.Files[0]
	}
	w := &g.p.breakpoints.wanted
	w.mu.Lock()
	defer w.mu.Unlock()
	points, known := w.points[call.Script.SHA()]
	if !known {
		points = g.pointsOf(s.made)
		s.points = points
	}
	return s, debugger.Options{StopOnEntry: from.Entry, StopAtEnd: from.End, Breakpoints: slices.Clone(points), Stops: w.own,
		OnRun: from.OnRun, OnEvaluate: from.OnEvaluate}, true
}

// pointsOf returns the breakpoints of a script that runs for the first time.
func (g *guests) pointsOf(s *script) (list []debugger.Breakpoint) {
	lines, err := engine.ScriptLines(s.script.Source())
	if err != nil || len(lines) == 0 {
		return nil
	}
	for _, p := range g.points {
		b := p.Breakpoint
		switch {
		case p.file != "" && s.built == nil:
			continue
		case p.file != "":
			if b.Line, err = s.lineOf(p.file, b.Line); err != nil {
				continue
			}
		}
		if b.Line > lines[len(lines)-1] {
			continue
		}
		p.used = true
		list = append(list, b)
	}
	return list
}

// runGuest runs the guest to its end.
func (d *dialogue) runGuest() error {
	points, err := parsePoints(d.Guest.Break)
	if err != nil {
		return err
	}
	g := &guests{p: d.player, points: points}
	d.scripts.guests = map[string]*script{}
	d.breakpoints.updateWanted()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Guest.Run(g.attach)
		g.running.Wait()
	}()
	for {
		select {
		case <-d.events.ready:
			d.player.handleEvents()
		case <-d.Interrupts:
			d.Guest.Stop()
		case <-ended:
			d.player.handleEvents()
			g.reportUnused()
			return nil
		}
		err := d.runLinesWhile(func() bool { return d.scripts.current != nil })
		if err == io.EOF {
			g.release()
		} else if err != nil {
			g.release()
			d.Guest.Stop()
			<-ended
			return err
		}
	}
}

// release lets the guest run to its end without stops.
func (g *guests) release() {
	g.mu.Lock()
	g.over = true
	g.mu.Unlock()
	g.p.closeScripts()
}

// reportUnused shows the breakpoints that no script has.
func (g *guests) reportUnused() {
	for _, p := range g.points {
		if !p.used && !g.over {
			g.p.showError(fmt.Sprintf("--break %s: no script that was called has such a line", p.text))
		}
	}
}

// knowGuest remembers a script of the guest that has stopped.
func (p *player) knowGuest(s *stopped) {
	if s.guest == "" {
		return
	}
	sha := s.script.SHA()
	if p.scripts.guests[sha] == nil {
		p.scripts.guests[sha] = s.made
	}
	if _, known := p.breakpoints.lines[sha]; !known {
		p.breakpoints.lines[sha] = s.points
	}
}

// showGuestEnd shows how a script of the guest has ended.
func (p *player) showGuestEnd(e debugger.Ended) error {
	if e.Err != nil {
		return nil // the guest reports it
	}
	text := p.palette.dim("the script has ended: ")
	if e.Aborted {
		text = p.palette.dim("the script was aborted: ")
	}
	if e.Reply.IsError() {
		p.say(text + p.palette.lines(p.palette.bad, e.Reply.Text()))
		return nil
	}
	p.say(text + short(string(display.JSON(nil, display.Shape(e.Reply, p.proto))), backend.ValueLimit))
	return nil
}
