package luatest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// shownFrames is the number of lines of a traceback that are kept.
const shownFrames = 20

// problem describes an error.
func (f *File) problem(phase string, err error) *Problem {
	p := &Problem{Phase: phase, Message: err.Error()}
	var e *luabridge.ToolError
	if !errors.As(err, &e) {
		return p
	}
	if failure, ok := f.asserts.FailureOf(e.Value); ok && !e.Stopped {
		p.Failure, p.Message = &failure, failure.Text()
	}
	switch {
	case e.Stopped:
		p.Message = "stopped: " + strings.TrimPrefix(e.Error(), "ERR Script stopped: ")
	case e.Value.Kind() == luabridge.TableKind && p.Failure == nil && e.Value.Get("err").Kind() == luabridge.NilKind:
		p.Message = "an error that is no text: " + luavalue.Format(e.Value)
	}
	if hint := hintFor(p.Message); hint != "" && p.Failure == nil && !e.Stopped {
		p.Message += "\n" + hint
	}
	for i, l := range e.Trace(f.tool) {
		if p.File == "" && f.texts[l.Chunk] != "" {
			p.File, p.Line = l.Chunk, l.Line
		}
		if i < shownFrames {
			p.Trace = append(p.Trace, l)
		}
	}
	if p.File == "" { // a syntax error
		p.File, p.Line = f.position(e.Error())
	}
	if p.File != "" {
		p.Excerpt = excerpt.Of(p.File, f.texts[p.File], p.Line)
	}
	if f.running != nil && f.running.env != nil {
		p.Script = scriptOf(f.running.env.LastRun())
	}
	return p
}

// position returns the file and the line with which a text begins.
func (f *File) position(text string) (file string, line int) {
	for name := range f.texts {
		var n int
		if len(text) > len(name) && text[:len(name)] == name {
			if _, err := fmt.Sscanf(text[len(name):], ":%d:", &n); err == nil {
				return name, n
			}
		}
	}
	return "", 0
}

// scriptOf describes the last run of a script.
func scriptOf(r *testredis.Run) *Script {
	if r == nil {
		return nil
	}
	s := &Script{Label: r.Label(), Commands: r.Commands, Stays: r.Stays}
	if r.Reply.IsError() {
		s.Error = r.Reply.Text()
		if piece, line, ok := r.Place(s.Error); ok {
			s.Excerpt = excerpt.Of(piece.Name, piece.Text, line)
		}
	}
	return s
}
