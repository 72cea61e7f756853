package debugger

import (
	"fmt"
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
)

// A script goes back by a new run from the state before it, which the engine makes go the same way. It is quiet until it comes to its aim: nobody is told of what happens, and what the user changed at
// stops on the way is changed again. What was changed at the aim or later is dropped, and so are the later stops. Each redis.call and its reply must be as before.

// aim is what a run is for.
type aim struct {
	kind    aimKind
	at      position
	found   position // by a survey: the last place at which the script would have stopped
	calls   []Call   // of the run before
	changes []change
	stops   []position
}

type aimKind int

const (
	forward aimKind = iota // for the user
	arrive                 // to stop at a position
	survey                 // to find the last stop before a position, and then arrive there
)

// to is an aim at a position of a run that r is like.
func (r *run) to(kind aimKind, at position) aim {
	a := aim{kind: kind, at: at, calls: r.calls}
	for _, c := range r.changes {
		if c.at.before(at) {
			a.changes = append(a.changes, c)
		}
	}
	for _, p := range r.stops {
		if p.before(at) {
			a.stops = append(a.stops, p)
		}
	}
	return a
}

// again ends this run and begins another. It does not return.
func (r *run) again(st *engine.Stack, a aim) {
	r.s.aim = a
	r.s.drifted(nil)
	r.on.Rewind()
	st.Abort(abortText)
}

// settle ends each hook: it stops the script where it should, or in a quiet run looks whether it has come to its aim.
func (r *run) settle(st *engine.Stack, reason Reason, text string, stop bool) {
	a := &r.aim
	switch {
	case a.kind == forward:
		if stop {
			r.hold(st, reason, text)
		}
		return
	case r.now.before(a.at):
		if stop {
			a.found = r.now
		}
	case a.kind == arrive:
		r.arrived(st, "")
		return
	default:
		to := position{lines: 1}
		if a.found != (position{}) {
			to = a.found
		}
		r.stops = a.stops
		r.again(st, r.to(arrive, to))
	}
	for _, c := range a.changes {
		if c.at == r.now {
			r.changes = append(r.changes, c)
			r.repeat(st, c)
		}
	}
}

func (r *run) repeat(st *engine.Stack, c change) {
	defer r.evaluating(st)()
	c.do(r, st)
}

// arrived makes a quiet run one for the user.
func (r *run) arrived(st *engine.Stack, drift string) {
	for _, p := range r.aim.stops {
		if p.before(r.now) {
			r.stops = append(r.stops, p)
		}
	}
	r.aim, r.watch = aim{}, r.s.options.Observer
	r.values = map[string]string{}
	r.changed(st, r.s.settings.Load().Values)
	r.hold(st, Back, drift)
}

// compare compares the last call of a quiet run with the one that was there before. Where they differ the script stops.
func (r *run) compare(st *engine.Stack) (differs bool) {
	n := len(r.calls) - 1
	if r.aim.kind == forward {
		return false
	}
	is := r.calls[n]
	problem := ""
	switch {
	case n >= len(r.aim.calls):
		problem = fmt.Sprintf("line %d calls %q, which it did not before", is.Line, is.Args)
	case !slices.Equal(is.Args, r.aim.calls[n].Args):
		problem = fmt.Sprintf("line %d calls %q, and before it was %q", is.Line, is.Args, r.aim.calls[n].Args)
	case r.aim.calls[n].Done && !is.Reply.Equal(r.aim.calls[n].Reply):
		problem = fmt.Sprintf("%q in line %d answers something else than before", is.Args, is.Line)
	default:
		return false
	}
	r.s.drifted(fmt.Errorf("debugger: the script did not go the same way: %s", problem))
	r.arrived(st, problem)
	return true
}

func (s *Session) drifted(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drift = err
}

// Diverged is nil, or why a run that was to be the same as the one before was not.
func (s *Session) Diverged() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drift
}

// back goes to where find says.
func (s *Session) back(find func(*run) (aim, error)) (err error) {
	gone := s.at(func(r *run, _ *engine.Stack) {
		var a aim
		if a, err = find(r); err == nil {
			r.leave = func(st *engine.Stack) { r.again(st, a) }
		}
	})
	if gone != nil {
		return gone
	}
	return err
}

// StepBack goes to the line that was reached before this one, or from a call or an error in a line to its beginning, by a new run from the beginning: see [Session.Diverged]. At the first
// line the error is [ErrAtStart].
func (s *Session) StepBack() error {
	return s.back(func(r *run) (aim, error) {
		at := position{lines: r.now.lines}
		if r.now.since == 0 {
			at.lines--
		}
		if at.lines < 1 {
			return aim{}, ErrAtStart
		}
		return r.to(arrive, at), nil
	})
}

// ContinueBack goes to the last place before this one at which the script would have stopped by itself, with the breakpoints and stops of now, or to the first line.
func (s *Session) ContinueBack() error {
	return s.back(func(r *run) (aim, error) {
		if !(position{lines: 1}).before(r.now) {
			return aim{}, ErrAtStart
		}
		return r.to(survey, r.now), nil
	})
}

// BackTo goes to stop number index of this run, which must be one before the present; else the error is [ErrNoStop].
func (s *Session) BackTo(index int) error {
	return s.back(func(r *run) (aim, error) {
		if index < 1 || index >= len(r.stops) {
			return aim{}, ErrNoStop
		}
		return r.to(arrive, r.stops[index-1]), nil
	})
}
