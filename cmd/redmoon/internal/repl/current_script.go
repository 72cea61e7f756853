package repl

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// stopped is a script that is stopped or being stepped through.
type stopped struct {
	target backend.Target
	name   string // of the script
	script *engine.Script
	client string // the caller; "": the dialogue itself
	guest  string // where the guest calls it; "": it is not a script of the guest
	sync   bool   // its changes stay
	frame  int    // the selected frame
	looked int    // line of the selected frame; 0 for the innermost one

	at      debugger.Stopped
	release func() // called after the end; optional

	// Of a script of the guest that runs for the first time.
	made   *script
	points []debugger.Breakpoint
}

// scripts are the script that the user has loaded and those in progress.
type scripts struct {
	loaded  *script            // with :load; nil: none
	guests  map[string]*script // those of the guest that have stopped, by SHA1
	current *stopped           // the current script, which is stopped; nil: none
	others  []*stopped         // further stopped scripts, which wait for the current one
	repeat  string             // what an empty line at a stop does
}

// meant returns the script to which line numbers refer.
func (s *scripts) meant() (*engine.Script, error) {
	switch {
	case s.current != nil:
		return s.current.script, nil
	case s.loaded != nil:
		return s.loaded.script, nil
	}
	return nil, errors.New("no script is loaded; :load file.lua loads one")
}

// known returns what is known of a script, or nil.
func (s *scripts) known(script *engine.Script) *script {
	if s.loaded != nil && s.loaded.script.SHA() == script.SHA() {
		return s.loaded
	}
	return s.guests[script.SHA()]
}

// builtOf returns the files of a script, if there are several.
func (s *scripts) builtOf(script *engine.Script) *bundle.Bundle {
	known := s.known(script)
	if known == nil || known.built == nil || len(known.built.Files) == 1 {
		return nil
	}
	return known.built
}

// place writes a line of a script, and from which line of which file it comes if there are several.
func (s *scripts) place(x *stopped, line int) string {
	text := fmt.Sprintf("%s:%d", x.name, line)
	built := s.builtOf(x.script)
	if built == nil || line < 1 || line > built.Lines() {
		return text
	}
	at := built.Line(line)
	return fmt.Sprintf("%s (%s:%d)", text, s.known(x.script).fileName(at.File), at.Line)
}

// fileName returns the path of a file of the script as seen from the folder of the script.
func (s *script) fileName(file string) string {
	if rel, err := filepath.Rel(filepath.Dir(s.path), file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// lineOf returns the line of a script that a word names: a number, or FILE:LINE if it has several
// files. It is 0 if the word is neither.
func (s *scripts) lineOf(script *engine.Script, word string) (int, error) {
	at := strings.LastIndexByte(word, ':')
	line, err := strconv.Atoi(word[at+1:])
	if err != nil || line < 1 || at < 0 {
		return max(line, 0), nil
	}
	if s.builtOf(script) == nil {
		return 0, errors.New("the script has one file; a number is enough")
	}
	return s.known(script).lineOf(word[:at], line)
}

// lineOf returns the line of the script that comes from a line of a file, which is named by its
// path from the folder of the script, or by the last part of the path.
func (s *script) lineOf(file string, line int) (int, error) {
	for _, f := range s.built.Files {
		if name := s.fileName(f); name == file || path.Base(name) == file {
			if line, ok := s.built.FindLine(f, line); ok {
				return line, nil
			}
			return 0, fmt.Errorf("there is no code on line %d of %s or after it", line, name)
		}
	}
	return 0, fmt.Errorf("the script has no file %s", file)
}

// player steps through the current script, and shows what it and other scripts do.
type player struct {
	*common
	breakpoints *breakpoints
	data        *data
	inspector   *inspector
	runner      *runner
}

// waitForStop waits until the script stops again or ends, and shows its events. The first Ctrl-C
// pauses the script, the second one aborts it.
func (p *player) waitForStop() error {
	s := p.scripts.current
	presses := 0
	for {
		select {
		case <-p.events.ready:
		case <-p.Interrupts:
			if presses++; presses == 1 {
				s.target.Pause()
			} else {
				go s.target.Abort()
			}
		}
		resumable := false
		for _, l := range p.events.take() {
			if _, other := l.event.(debugger.Stopped); other && l.from != s && s.sync && !resumable {
				// The other script has the engine, for which s has been waiting.
				l.from.at, l.from.frame, l.from.looked = l.event.(debugger.Stopped), 0, 0
				p.takeOver(l.from)
				s, resumable = l.from, true
				continue
			}
			if l.from != s {
				p.handleOtherEvent(l)
				continue
			}
			resumable = resumable || isLast(l.event)
			if err := p.showEvent(l); err != nil {
				return err
			}
		}
		if resumable {
			p.takeNextWaiting()
			return nil
		}
	}
}

// setCurrent makes s the current script. s may be nil.
func (p *player) setCurrent(s *stopped) {
	p.scripts.current, p.scripts.repeat = s, ""
	p.showLogs(s != nil)
}

// isLast reports whether the script waits for the dialogue after an event.
func isLast(e debugger.Event) bool {
	switch e.(type) {
	case debugger.Stopped, debugger.Ended:
		return true
	}
	return false
}

// takeNextWaiting makes the next waiting script the current one, if there is none.
func (p *player) takeNextWaiting() {
	if p.scripts.current == nil && len(p.scripts.others) > 0 {
		s := p.scripts.others[0]
		p.scripts.others = p.scripts.others[1:]
		p.takeOver(s)
	}
}

// showEvent prints an event of the current script.
func (p *player) showEvent(l scriptEvent) error {
	switch e := l.event.(type) {
	case debugger.Output:
		p.output(l.from, e)
	case debugger.Stopped:
		l.from.at, l.from.frame, l.from.looked = e, 0, 0
		p.showStop(l.from)
	case debugger.Ended:
		return p.showEnd(l.from, e)
	}
	return nil
}

// output prints output of a script.
func (p *player) output(s *stopped, o debugger.Output) {
	if o.Line == 0 { // output of a server
		p.say(o.Text)
		return
	}
	kind := [...]string{debugger.OutputLog: "log", debugger.OutputPrint: "debug", debugger.OutputLogpoint: "logpoint"}[o.Kind]
	if o.Kind == debugger.OutputLog {
		kind = [...]string{"debug", "verbose", "notice", "warning"}[min(max(o.Level, 0), 3)]
	}
	p.sayf("%s %s", p.palette.dim(p.scripts.place(s, o.Line)+" "+kind+":"), o.Text)
}

// showStop prints where and why a script has stopped, and the lines around it.
func (p *player) showStop(s *stopped) {
	p.inspector.selectScript(s)
	p.say(p.heading(s))
	p.inspector.source(s, s.at.Line, 3)
	p.inspector.showWatches()
}

// heading returns why and where a script has stopped.
func (p *player) heading(s *stopped) string {
	where := p.scripts.place(s, s.at.Line)
	if s.client != "" {
		where += ", script of " + s.client
	}
	if s.guest != "" {
		where += ", called at " + s.guest
	}
	text := s.at.Text
	switch s.at.Reason {
	case debugger.ReasonEntry:
		return p.palette.dim("before the first line, " + where)
	case debugger.ReasonStep:
		return p.palette.dim(where)
	case debugger.ReasonBreakpoint:
		if text != "" {
			return p.palette.bold("breakpoint, "+where) + "\n" + p.palette.bad(text)
		}
		return p.palette.bold("breakpoint, " + where)
	case debugger.ReasonBreakpointCall:
		return p.palette.bold("redis.breakpoint(), " + where)
	case debugger.ReasonEnd:
		return p.palette.bold("at the end, " + where)
	case debugger.ReasonPause:
		return p.palette.bold("paused, " + where)
	case debugger.ReasonError:
		return p.palette.bold("error, "+where) + "\n" + p.palette.lines(p.palette.bad, text)
	case debugger.ReasonCommand:
		return p.palette.bold("before "+strings.ToUpper(text)) + p.palette.dim(", "+where)
	case debugger.ReasonKeyWrite:
		return p.palette.bold("key "+text+" has changed") + p.palette.dim(", "+where)
	case debugger.ReasonValueChange:
		return p.palette.bold(text+" has changed") + p.palette.dim(", "+where)
	case debugger.ReasonBack:
		return p.palette.dim("back, " + where)
	}
	return where
}

// showEnd prints the reply of a script that has ended.
func (p *player) showEnd(s *stopped, e debugger.Ended) error {
	if s.release != nil {
		s.release()
	}
	p.setCurrent(nil)
	if s.client != "" {
		p.sayf("%s", p.palette.dim("the script of "+s.client+" has ended"))
		return nil
	}
	if s.guest != "" {
		return p.showGuestEnd(e)
	}
	data := "its changes stay"
	if !s.sync {
		data = "its changes are discarded, because it ran on a copy of the data"
	}
	switch {
	case e.Aborted:
		p.say(p.palette.dim("aborted; " + data))
		return nil
	case e.Err != nil:
		return e.Err
	}
	if err := p.show([]string{"eval"}, display.Shape(e.Reply, p.proto)); err != nil {
		return err
	}
	p.say(p.palette.dim("the script has ended; " + data))
	return nil
}
