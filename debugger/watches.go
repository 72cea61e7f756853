package debugger

import (
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
)

// watch is a watch expression.
type watch struct {
	id   int
	code string
}

// Watched is a watch expression and its value at a stop.
type Watched struct {
	// ID is what [Session.Watch] returned.
	ID         int
	Expression string
	// Text is the values as [FormatAll] writes them, in at most about 1024 bytes, or the error
	// message.
	Text string
	// Failed reports whether Text is an error message.
	Failed bool
}

// watchLimit is the maximum length of the value of a watch expression, in bytes.
const watchLimit = 1024

// Watch adds a watch expression, which [Session.Watches] evaluates, and returns its ID, from 1. The
// expression is Lua; a mistake in it is reported by Watches.
func (s *Session) Watch(expression string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	s.watches = append(s.watches, watch{s.nextID, expression})
	return s.nextID
}

// Unwatch removes the watch expression with the given ID. It does nothing if there is none.
func (s *Session) Unwatch(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches = slices.DeleteFunc(s.watches, func(w watch) bool { return w.id == id })
}

// Watches evaluates the watch expressions in the frame with number level; 0 is the innermost frame.
// An expression that fails is not an error of Watches: see [Watched].Failed.
func (s *Session) Watches(level int) ([]Watched, error) {
	s.mu.Lock()
	list := slices.Clone(s.watches)
	s.mu.Unlock()
	evaluated := make([]Watched, len(list))
	err := s.atStop(func(r *run, st *engine.Stack) {
		for i, w := range list {
			evaluated[i] = Watched{ID: w.id, Expression: w.code}
			values, err := r.eval(st, level, "@watch", w.code)
			if err != nil {
				evaluated[i].Text, evaluated[i].Failed = err.Error(), true
				continue
			}
			evaluated[i].Text = FormatAll(values, watchLimit)
		}
	})
	if err != nil {
		return nil, err
	}
	return evaluated, nil
}

// changedValue evaluates the expressions of Stops.Values. It returns the first one whose value
// differs from its last known value.
func (r *run) changedValue(st *engine.Stack, expressions []string) (expression string, changed bool) {
	for _, code := range expressions {
		values, err := r.eval(st, 0, "@value", code)
		if err != nil {
			continue
		}
		text := FormatAll(values, 0)
		old, known := r.values[code]
		if r.values[code] = text; known && old != text && !changed {
			expression, changed = code, true
		}
	}
	return expression, changed
}
