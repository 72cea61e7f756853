package dap

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// at calls f with the stopped script's stack and waits for it. If the client disconnects or cancels
// the request meanwhile, code that f evaluates ends with an error.
func (c *conn) at(f func(*engine.Stack) error) error {
	return c.within(c.run.session, c.run.session.At, f)
}

// change is like at, for an f that changes the script: a replay calls f again.
func (c *conn) change(f func(*engine.Stack) error) error {
	return c.within(c.run.session, c.run.session.Change, f)
}

// within calls f by do, which is a method of the session.
func (c *conn) within(
	session *debugger.Session, do func(func(*engine.Stack)) error, f func(*engine.Stack) error,
) (err error) {
	seq := c.tracker.setInspected(session)
	defer c.tracker.setInspected(nil)
	defer context.AfterFunc(c.ctx, session.Interrupt)()
	stopped := do(func(s *engine.Stack) {
		if err = errCancelled; !c.tracker.wasCancelled(seq) && c.ctx.Err() == nil {
			err = f(s)
		}
	})
	if stopped != nil {
		return stopped
	}
	return err
}

// onStackTrace returns the functions in progress, the innermost first.
func (c *conn) onStackTrace(r *dap.StackTraceRequest) (dap.ResponseMessage, error) {
	if err := c.thread(r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	var frames []engine.Frame
	err := c.at(func(s *engine.Stack) error {
		frames = s.Frames()
		return nil
	})
	if err != nil {
		return nil, err
	}
	first := min(max(r.Arguments.StartFrame, 0), len(frames))
	last := len(frames)
	if r.Arguments.Levels > 0 {
		last = min(last, first+r.Arguments.Levels)
	}
	response := &dap.StackTraceResponse{}
	response.Body.TotalFrames, response.Body.StackFrames = len(frames), []dap.StackFrame{}
	for level := first; level < last; level++ {
		response.Body.StackFrames = append(response.Body.StackFrames, c.frame(frames, level))
	}
	return response, nil
}

// frameRef is a frame that the client knows.
type frameRef struct {
	level int
	// level in which expressions are evaluated: that of the calling script function if the frame is
	// a library function
	scope int
}

// frame describes a frame and gives it an id.
func (c *conn) frame(frames []engine.Frame, level int) dap.StackFrame {
	f := &frames[level]
	c.lastID++
	c.frames[c.lastID] = frameRef{level, level + scriptLevel(frames[level:])}
	described := dap.StackFrame{Id: c.lastID, Name: frameName(f)}
	if f.Line > 0 {
		described.Source, described.Line, described.Column = c.describeSource(c.run.source), c.client.line(f.Line), c.client.column()
	} else {
		described.PresentationHint = "subtle"
	}
	return described
}

// scriptLevel returns the level of the innermost function of the script's own text.
func scriptLevel(frames []engine.Frame) int {
	for i := range frames {
		if frames[i].Kind != engine.FrameOfLibrary {
			return i
		}
	}
	return 0
}

// frameName returns the display name of a function.
func frameName(f *engine.Frame) string {
	name := f.Name
	switch {
	case name != "":
	case f.Kind == engine.FrameOfMainChunk:
		name = "main chunk"
	case f.Defined > 0:
		name = fmt.Sprintf("function of line %d", f.Defined)
	default:
		name = "library function"
	}
	if f.Thread > 0 {
		name += fmt.Sprintf(" (coroutine %d)", f.Thread)
	}
	return name
}

// trace returns the stack as text, one function on each line.
func (c *conn) trace() (text string, err error) {
	var b strings.Builder
	err = c.at(func(s *engine.Stack) error {
		for _, f := range s.Frames() {
			b.WriteString(frameName(&f))
			if f.Line > 0 {
				fmt.Fprintf(&b, " at %s:%d", c.run.source.name, f.Line)
			}
			b.WriteByte('\n')
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// level returns the level in which expressions are evaluated for a frame id. For the id 0 that is
// the innermost function of the script.
func (c *conn) level(frame int) (level int, err error) {
	if frame == 0 {
		err = c.at(func(s *engine.Stack) error {
			level = scriptLevel(s.Frames())
			return nil
		})
		return level, err
	}
	known, ok := c.frames[frame]
	if !ok {
		return 0, fmt.Errorf("there is no frame %d at this stop", frame)
	}
	return known.scope, nil
}
