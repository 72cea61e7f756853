package repl

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// state is the part of the session's state that the prompt shows. As in redis-cli, it is derived
// from commands and their replies, because asking the session would change it.
type state struct {
	db     int
	multi  bool
	before int // database at the time of MULTI
}

func (s *state) prompt(p string) string {
	if s.db != 0 {
		p += "[" + strconv.Itoa(s.db) + "]"
	}
	if s.multi {
		p += "(TX)"
	}
	return p + "> "
}

// note updates the state after a command.
func (s *state) note(args []string, v engine.Value) {
	switch strings.ToLower(args[0]) {
	case "select":
		if db, err := strconv.Atoi(args[len(args)-1]); err == nil && !v.IsError() {
			s.db = db
		}
	case "multi":
		if !v.IsError() {
			s.multi, s.before = true, s.db
		}
	case "exec":
		s.leave(v.IsError() || v.IsNil())
	case "discard":
		s.leave(true)
	case "reset":
		*s = state{}
	}
}

// leave ends MULTI. undone says that no queued command has run.
func (s *state) leave(undone bool) {
	if s.multi && undone {
		s.db = s.before
	}
	s.multi = false
}
