package debugger

import (
	"slices"

	"github.com/redmoon-lua/redmoon/engine"
)

// watched is an expression that the user wants to see at each stop.
type watched struct {
	id   int
	code string
}

// Watched is an expression and its value at a stop.
type Watched struct {
	ID         int
	Expression string
	Text       string // the values as people read them, see Format; or an error's text
	Failed     bool
}

// watchLimit cuts values of watched expressions, in bytes.
const watchLimit = 1024

// Watch adds an expression to those that Watches evaluates, and returns a number for it, from 1.
func (s *Session) Watch(expression string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	s.watch = append(s.watch, watched{s.nextID, expression})
	return s.nextID
}

// Unwatch removes an expression by its number.
func (s *Session) Unwatch(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = slices.DeleteFunc(s.watch, func(w watched) bool { return w.id == id })
}

// Watches evaluates the watched expressions in frame number level (0: the innermost).
func (s *Session) Watches(level int) ([]Watched, error) {
	s.mu.Lock()
	list := slices.Clone(s.watch)
	s.mu.Unlock()
	seen := make([]Watched, len(list))
	err := s.at(func(r *run, st *engine.Stack) {
		for i, w := range list {
			seen[i] = Watched{ID: w.id, Expression: w.code}
			values, err := r.eval(st, level, "@watch", w.code)
			if err != nil {
				seen[i].Text, seen[i].Failed = err.Error(), true
				continue
			}
			seen[i].Text = FormatAll(values, watchLimit)
		}
	})
	if err != nil {
		return nil, err
	}
	return seen, nil
}

// changed evaluates the expressions at whose change to stop, and returns the first that has another value than when it was last known.
func (r *run) changed(st *engine.Stack, expressions []string) (expression string, changed bool) {
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
