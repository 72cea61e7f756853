package dap

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
)

// onStackTrace returns the functions in progress, the innermost first.
func (in *inspector) onStackTrace(r *dap.StackTraceRequest) (dap.ResponseMessage, error) {
	if err := in.run.thread(r.Arguments.ThreadId); err != nil {
		return nil, err
	}
	var frames []engine.Frame
	err := in.at(func(s *engine.Stack) error {
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
		response.Body.StackFrames = append(response.Body.StackFrames, in.frame(frames, level))
	}
	return response, nil
}

// frame describes a frame and gives it an id.
func (in *inspector) frame(frames []engine.Frame, level int) dap.StackFrame {
	f := &frames[level]
	id := in.variables.openFrame(frameRef{level, level + scriptLevel(frames[level:])})
	described := dap.StackFrame{Id: id, Name: frameName(f)}
	if f.Line > 0 {
		described.Source, described.Line = in.sources.place(in.run.current.source, f.Line)
		described.Column = in.client.column()
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
func (in *inspector) trace() (text string, err error) {
	var b strings.Builder
	err = in.at(func(s *engine.Stack) error {
		for _, f := range s.Frames() {
			b.WriteString(frameName(&f))
			if f.Line > 0 {
				fmt.Fprintf(&b, " at %s:%d", in.run.current.source.name, f.Line)
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
func (in *inspector) level(frame int) (level int, err error) {
	if frame == 0 {
		err = in.at(func(s *engine.Stack) error {
			level = scriptLevel(s.Frames())
			return nil
		})
		return level, err
	}
	known, ok := in.variables.frames[frame]
	if !ok {
		return 0, fmt.Errorf("there is no frame %d at this stop", frame)
	}
	return known.scope, nil
}
