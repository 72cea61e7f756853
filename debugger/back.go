package debugger

import (
	"fmt"
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
)

// Going back means a replay: the engine restores the state before the script and runs the script
// again, with the same time and the same random choices. A replay is silent until it reaches its
// target: it emits no events and stops nowhere. The changes that the user made at earlier stops are
// made again at the same positions. Changes and stops at the target or after it are dropped. Each
// redis.call of a replay must have the same arguments and the same reply as in the run before.

// replay says how far a run repeats the run before it. The zero value is a live run, which repeats
// nothing.
type replay struct {
	kind     replayKind
	end      bool // the target is the end of the script
	target   position
	lastStop position // of replayToFindStop: the last position at which the script would have stopped
	calls    []Call   // of the run before
	changes  []change
	stops    []position
}

type replayKind int

const (
	live             replayKind = iota
	replayToTarget              // stop at the target
	replayToFindStop            // find the last stop before the target, then replay to that stop
	replayToEnd                 // stop nowhere: the first run of Options.StopAtEnd, which repeats nothing
)

// replayTo returns a replay of this run up to target.
func (r *run) replayTo(kind replayKind, target position) replay {
	a := replay{kind: kind, target: target, calls: r.calls}
	for _, c := range r.changes {
		if c.at.before(target) {
			a.changes = append(a.changes, c)
		}
	}
	for _, p := range r.stops {
		if p.before(target) {
			a.stops = append(a.stops, p)
		}
	}
	return a
}

// prepareEnd sets what the next run repeats, with Options.StopAtEnd: the first run goes to the end,
// the second one stops there. A script without a line has no end to stop at.
func (s *Session) prepareEnd() {
	switch first := s.searching; {
	case !s.began && s.options.StopAtEnd:
		s.nextReplay = replay{kind: replayToEnd}
	case first != nil:
		if s.searching = nil; s.nextReplay.kind == live && first.now.lines > 0 {
			s.nextReplay = first.replayTo(replayToTarget, first.now)
			s.nextReplay.end = true
		}
	}
}

// restart ends this run and begins another. It does not return.
func (r *run) restart(st *engine.Stack, next replay) {
	r.s.nextReplay, r.s.searching = next, nil
	r.s.setDivergence(nil)
	r.engineRun.Rewind()
	st.Abort(abortText)
}

// stopIfDue ends each hook. A live run stops if stop is set. A replay checks whether it has reached
// its target.
func (r *run) stopIfDue(st *engine.Stack, reason Reason, text string, stop bool) {
	a := &r.replay
	switch {
	case a.kind == live:
		if stop {
			r.stopAndWait(st, reason, text)
		}
		return
	case a.kind == replayToEnd:
		return
	case r.now.before(a.target):
		if stop {
			a.lastStop = r.now
		}
	case a.kind == replayToTarget:
		r.finishReplay(st, "")
		return
	default:
		target := position{lines: 1}
		switch {
		case a.lastStop != (position{}):
			target = a.lastStop
		case r.entry != (position{}) && r.entry.before(a.target):
			target = r.entry
		}
		r.stops = a.stops
		r.restart(st, r.replayTo(replayToTarget, target))
	}
	for _, c := range a.changes {
		if c.at == r.now {
			r.changes = append(r.changes, c)
			r.repeatChange(st, c)
		}
	}
}

func (r *run) repeatChange(st *engine.Stack, c change) {
	defer r.beginEvaluation(st)()
	c.do(r, st)
}

// finishReplay turns a replay into a live run and stops there.
func (r *run) finishReplay(st *engine.Stack, divergence string) {
	for _, p := range r.replay.stops {
		if p.before(r.now) {
			r.stops = append(r.stops, p)
		}
	}
	reason := ReasonBack
	if r.replay.end && divergence == "" {
		reason = ReasonEnd
	}
	r.replay, r.observer = replay{}, r.s.options.Observer
	r.values = map[string]string{}
	r.changedValue(st, r.s.settings.Load().Values)
	r.stopAndWait(st, reason, divergence)
}

// checkReplayedCall compares the last call of a replay with the same call of the run before. It
// stops the script if they differ.
func (r *run) checkReplayedCall(st *engine.Stack) (differs bool) {
	n := len(r.calls) - 1
	if r.replay.kind == live || r.replay.kind == replayToEnd {
		return false
	}
	is := r.calls[n]
	problem := ""
	switch {
	case n >= len(r.replay.calls):
		problem = fmt.Sprintf("line %d calls %q, which it did not before", is.Line, is.Args)
	case !slices.Equal(is.Args, r.replay.calls[n].Args):
		problem = fmt.Sprintf("line %d calls %q, and before it was %q", is.Line, is.Args, r.replay.calls[n].Args)
	case r.replay.calls[n].Done && !is.Reply.Equal(r.replay.calls[n].Reply):
		problem = fmt.Sprintf("%q in line %d answers something else than before", is.Args, is.Line)
	default:
		return false
	}
	r.s.setDivergence(fmt.Errorf("debugger: the script did not go the same way: %s", problem))
	r.finishReplay(st, problem)
	return true
}

func (s *Session) setDivergence(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.divergence = err
}

// Diverged returns an error that says where the last replay differed from the run before it, or nil
// if it did not differ. See the section "Going back" of the package comment.
func (s *Session) Diverged() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.divergence
}

// goBack starts the replay that find returns.
func (s *Session) goBack(find func(*run) (replay, error)) (err error) {
	noStop := s.atStop(func(r *run, _ *engine.Stack) {
		var next replay
		if next, err = find(r); err == nil {
			r.resume = func(st *engine.Stack) { r.restart(st, next) }
		}
	})
	if noStop != nil {
		return noStop
	}
	return err
}

// StepBack goes back to the line that was reached before the current line. From a stop in the
// middle of a line (at a call, a write or an error) it goes back to the beginning of that line. It
// returns [ErrAtStart] at the first line. The lines of a library that was loaded for a function
// come before those of the function. The script is run again from its beginning; see
// [Session.Diverged].
func (s *Session) StepBack() error {
	return s.goBack(func(r *run) (replay, error) {
		target := position{lines: r.now.lines}
		if r.now.since == 0 {
			target.lines--
		}
		if target.lines < 1 {
			return replay{}, ErrAtStart
		}
		return r.replayTo(replayToTarget, target), nil
	})
}

// ContinueBack goes back to the last position at which the script would have stopped with the
// current breakpoints and stops, or to the first line if there is none. It returns [ErrAtStart] at
// the first line. From the first line of a function it goes into the text of its library, if that
// has been loaded for it.
func (s *Session) ContinueBack() error {
	return s.goBack(func(r *run) (replay, error) {
		if !(position{lines: 1}).before(r.now) {
			return replay{}, ErrAtStart
		}
		return r.replayTo(replayToFindStop, r.now), nil
	})
}

// BackTo goes back to the stop with number index ([Stopped].Index, from 1). It returns [ErrNoStop]
// if there is no earlier stop with that number.
func (s *Session) BackTo(index int) error {
	return s.goBack(func(r *run) (replay, error) {
		if index < 1 || index >= len(r.stops) {
			return replay{}, ErrNoStop
		}
		return r.replayTo(replayToTarget, r.stops[index-1]), nil
	})
}
