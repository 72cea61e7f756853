package debugger

import "github.com/redmoon-lua/redmoon/engine"

// step says when a resumed script stops again.
//
// A stepToFrame ends at a line of a function that was in progress at the stop. Such a function is
// recognised by its depth, which is at most limit, and by its thread. If another function begins at
// that depth, the first one has ended, or a tail call has replaced it. Then only functions below
// that depth count.
type step struct {
	kind    stepKind
	limit   int
	threads map[int]bool
}

type stepKind int

const (
	stepNone    stepKind = iota // run until another reason to stop
	stepIn                      // stop at the next line
	stepToFrame                 // stop at the next line of a function in progress
)

// ends reports whether the step ends at the line that has been reached.
func (s *step) ends(st *engine.Stack) bool {
	if s.kind != stepToFrame {
		return s.kind == stepIn
	}
	if st.Deeper(s.limit) {
		return false
	}
	if st.Begins() {
		s.limit = st.Depth() - 1
		return false
	}
	return s.threads[st.Frames()[0].Thread]
}

// resumeWith resumes the script with the step that plan returns.
func (s *Session) resumeWith(plan func(*run, *engine.Stack) step) error {
	return s.atStop(func(r *run, st *engine.Stack) {
		r.step = plan(r, st)
		r.resume = func(*engine.Stack) {}
	})
}

// stepToFrames returns a step to the functions in progress, without the innermost n.
func stepToFrames(st *engine.Stack, n int) step {
	threads := map[int]bool{}
	for _, f := range st.Frames() {
		threads[f.Thread] = true
	}
	return step{stepToFrame, st.Depth() - n, threads}
}

// Continue resumes the script until the next stop.
func (s *Session) Continue() error {
	return s.resumeWith(func(*run, *engine.Stack) step { return step{kind: stepNone} })
}

// StepIn resumes the script until the next line, also in a function that is called.
func (s *Session) StepIn() error {
	return s.resumeWith(func(*run, *engine.Stack) step { return step{kind: stepIn} })
}

// StepOver resumes the script until the next line of the current function or of one of its callers.
// Functions that it calls run to their end, also a tail call and a coroutine that it resumes. After
// a yield the script stops in the function that resumed the coroutine. After an error it stops in
// the function that caught it.
func (s *Session) StepOver() error {
	return s.resumeWith(func(_ *run, st *engine.Stack) step { return stepToFrames(st, 0) })
}

// StepOut resumes the script until the next line of a function that has called the current one or
// has resumed its coroutine.
func (s *Session) StepOut() error {
	return s.resumeWith(func(_ *run, st *engine.Stack) step { return stepToFrames(st, 1) })
}

// Raise resumes the script with an error at the current line, as redis.call raises it; see
// [engine.Stack.Raise]. If a pcall of the script catches the error, the script goes on as after
// [Session.Continue].
func (s *Session) Raise(text string) error {
	return s.atStop(func(r *run, _ *engine.Stack) {
		r.resume = func(st *engine.Stack) { st.Raise(text) }
	})
}

// Restart runs the script again from the state before it, whether it is stopped or running. Changes
// that the user has made at stops are not repeated.
func (s *Session) Restart() error {
	s.requests.Or(restartRequested)
	if err := s.Continue(); err != ErrRunning {
		return err
	}
	return nil
}
