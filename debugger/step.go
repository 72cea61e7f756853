package debugger

import "github.com/redmoon-lua/redmoon/engine"

// step is how a script goes on after a stop.
//
// Over and out end at a line of a function that was in progress at the stop: by its depth, which must not be above limit, and its thread. A function that begins at such a depth is none of
// those, for it has taken the place of one that has ended, as a tail call does; then those below it are left.
type step struct {
	kind    stepKind
	limit   int
	threads map[int]bool
}

type stepKind int

const (
	goOn   stepKind = iota // to the next reason to stop
	stepIn                 // to the next line
	stepTo                 // to the next line of a function in progress
)

// ends reports whether the step ends at a line that is reached.
func (s *step) ends(st *engine.Stack) bool {
	if s.kind != stepTo {
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

// order goes on with what plan makes of the present stop.
func (s *Session) order(plan func(*run, *engine.Stack) step) error {
	return s.at(func(r *run, st *engine.Stack) {
		r.step = plan(r, st)
		r.leave = func(*engine.Stack) {}
	})
}

// above is a step to the functions in progress but the innermost n.
func above(st *engine.Stack, n int) step {
	threads := map[int]bool{}
	for _, f := range st.Frames() {
		threads[f.Thread] = true
	}
	return step{stepTo, st.Depth() - n, threads}
}

// Continue goes on to the next stop.
func (s *Session) Continue() error {
	return s.order(func(*run, *engine.Stack) step { return step{kind: goOn} })
}

// StepIn goes on to the next line reached.
func (s *Session) StepIn() error {
	return s.order(func(*run, *engine.Stack) step { return step{kind: stepIn} })
}

// StepOver goes on to the next line of this function or of one that called it. What is called meanwhile runs through, also what a tail call puts in the place of this function, and coroutines that are
// resumed; over a yield it goes to the function that resumed the coroutine, and after an error to the one that caught it.
func (s *Session) StepOver() error {
	return s.order(func(_ *run, st *engine.Stack) step { return above(st, 0) })
}

// StepOut goes on to the next line of a function that called this one, or resumed its coroutine.
func (s *Session) StepOut() error {
	return s.order(func(_ *run, st *engine.Stack) step { return above(st, 1) })
}

// Raise goes on with an error at the line where the script stands, as redis.call would raise it; see [engine.Stack.Raise]. Where a pcall of the script catches it, the script goes
// on as after Continue.
func (s *Session) Raise(text string) error {
	return s.at(func(r *run, _ *engine.Stack) {
		r.leave = func(st *engine.Stack) { st.Raise(text) }
	})
}

// Restart runs the script anew from the state before it, stopped or running. What the user has changed at stops is not repeated.
func (s *Session) Restart() error {
	s.asked.Or(restartAsked)
	if err := s.Continue(); err != ErrRunning {
		return err
	}
	return nil
}
