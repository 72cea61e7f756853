package server

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
)

// aheadCommands is the number of commands of a pipeline whose lookups are prefetched together.
// MaxFutureLookups is the limit of the keys and elements that they look up.
const (
	aheadCommands    = 128
	MaxFutureLookups = 128
)

// aheadArgs is the number of arguments, with the command's name, from which a single command is
// prefetched.
const aheadArgs = 9

// readAhead prefetches what one command will look up, if it looks up many keys or elements.
func (s *Server) readAhead(sess *Session, spec *cmdtable.Spec, args []string) {
	if spec.Lookahead.Step == 0 && spec.Lookahead.KeyStep == 0 || !s.Store.Large() {
		return
	}
	lookups := AppendFutureLookups(spec.Lookahead, s.lookups[:0], args)
	sess.DB.ReadAhead(lookups)
	clear(lookups)
	s.lookups = lookups
}

// ReadAhead prefetches what the next commands of a pipeline will look up, if that pays (see
// datastore.ReadAhead). It returns the number of commands prefetched.
func (s Control) ReadAhead(sess *Session, cmds [][]string) int {
	cmds = cmds[:min(len(cmds), aheadCommands)]
	if len(cmds) < 2 || !s.Store.Large() {
		return len(cmds)
	}
	lookups := s.lookups[:0]
	for _, args := range cmds {
		if len(args) < 2 || len(lookups) >= MaxFutureLookups {
			continue
		}
		spec := s.resolve(args)
		if spec == nil || !spec.Lookahead.Keys || len(args) < spec.MinArgs || len(args) > spec.MaxArgs {
			continue
		}
		lookups = AppendFutureLookups(spec.Lookahead, lookups, args)
	}
	sess.DB.ReadAhead(lookups)
	clear(lookups)
	s.lookups = lookups
	return len(cmds)
}

// AppendFutureLookups appends the lookups of a command line to lookups.
func AppendFutureLookups(a cmdtable.Lookahead, lookups []datastore.FutureLookup, args []string) []datastore.FutureLookup {
	switch {
	case a.KeyStep > 0:
		for i := 1; i < len(args) && len(lookups) < MaxFutureLookups; i += int(a.KeyStep) {
			lookups = append(lookups, datastore.FutureLookup{Key: args[i]})
		}
		return lookups
	case a.Index:
		w := datastore.FutureLookup{Key: args[1]}
		i, ok := parse.Int(args[2])
		w.Index, w.Indexed = int(i), ok
		return append(lookups, w)
	case a.ID:
		w := datastore.FutureLookup{Key: args[1]}
		w.ID, w.From = parse.StreamID(args[2], 0)
		return append(lookups, w)
	case a.Elem == 0:
		return append(lookups, datastore.FutureLookup{Key: args[1]})
	}
	first := int(a.Elem)
	for a.Score && first < len(args)-1 && isOption(args[first-1]) {
		first++
	}
	for i := first; i < len(args) && len(lookups) < MaxFutureLookups; i += int(a.Step) {
		w := datastore.FutureLookup{Key: args[1], Element: args[i]}
		switch {
		case !a.Score:
		case i > first && args[i-1] == args[i-1-int(a.Step)]:
			w.Score, w.Scored = lookups[len(lookups)-1].Score, lookups[len(lookups)-1].Scored
		default:
			w.Score, w.Scored = parse.Float(args[i-1])
		}
		lookups = append(lookups, w)
		if a.Step == 0 {
			break
		}
	}
	return lookups
}

// isOption reports whether an argument may be one of the options that ZADD has before the first
// score.
func isOption(arg string) bool {
	if len(arg) != 2 && len(arg) != 4 {
		return false
	}
	switch arg[0] | 0x20 {
	case 'n', 'x', 'g', 'l', 'c':
		return true
	case 'i':
		return len(arg) == 4 // INCR
	}
	return false
}
