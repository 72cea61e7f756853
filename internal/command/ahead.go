package command

import "github.com/redmoon-lua/redmoon/datastore"

// lookahead tells which arguments of a command name what it will look up: those whose places its Syntax fixes.
type lookahead struct {
	keys    bool  // argument 1 is a key
	keyStep uint8 // 0: there is one key; else so many arguments on is the next
	elem    uint8 // the first argument that is a field or member; 0: none
	step    uint8 // so many arguments on is the next; 0: there is one
	score   bool  // the argument before an element is its score
	index   bool  // argument 2 is the place of an element in a list
	id      bool  // argument 2 is the id of an entry of a stream
}

// lookahead finds out from the row.
func (s *Spec) lookahead() (a lookahead) {
	if len(s.Keys) == 0 || s.Keys[0].Index != 1 || s.Keys[0].KeyNum || s.Flags&(Blocking|PubSub) != 0 {
		return a
	}
	a.keys = true
	if s.Keys[0].Last != 0 {
		a.keyStep = uint8(s.Keys[0].Step)
		return a
	}
	args := s.Arguments()
	if len(args) > 1 {
		a.index = s.Group == "list" && args[1].Type == "integer" && (args[1].Name == "index" || args[1].Name == "start")
		a.id = s.Group == "stream" && args[1].Name == "start"
	}
	at := 1
	for _, arg := range args {
		parts := []Arg{arg}
		if len(arg.Args) > 0 && arg.Type == "block" {
			parts = arg.Args
		}
		if arg.Optional || arg.Token != "" {
			continue
		}
		for i, p := range parts {
			if p.Name != "field" && p.Name != "member" {
				continue
			}
			a.elem = uint8(at + i)
			a.score = i > 0 && parts[i-1].Name == "score"
			if arg.Multiple {
				a.step = uint8(len(parts))
			}
			return a
		}
		at += len(parts)
	}
	return a
}

// aheadCommands is how many commands of a pipeline are read ahead of at a time, aheadWants how many keys and elements of them.
const (
	aheadCommands = 128
	aheadWants    = 128
)

// aheadArgs is how many arguments a command has, its name among them, that is read ahead of alone.
const aheadArgs = 9

// readAhead reads what one command will look up, if that is many keys or elements and worth it.
func (s *Server) readAhead(sess *Session, spec *Spec, args []string) {
	if spec.ahead.step == 0 && spec.ahead.keyStep == 0 || !s.Store.Large() {
		return
	}
	wants := spec.ahead.wants(s.wants[:0], args)
	sess.DB.ReadAhead(wants)
	clear(wants)
	s.wants = wants
}

// ReadAhead reads what the next commands of a pipeline will look up, where that is worth it (see datastore.ReadAhead). It
// returns for how many commands it has cared.
func (s *Server) ReadAhead(sess *Session, cmds [][]string) int {
	cmds = cmds[:min(len(cmds), aheadCommands)]
	if len(cmds) < 2 || !s.Store.Large() {
		return len(cmds)
	}
	wants := s.wants[:0]
	for _, args := range cmds {
		if len(args) < 2 || len(wants) >= aheadWants {
			continue
		}
		spec := s.resolve(args)
		if spec == nil || !spec.ahead.keys || len(args) < spec.minArgs || len(args) > spec.maxArgs {
			continue
		}
		wants = spec.ahead.wants(wants, args)
	}
	sess.DB.ReadAhead(wants)
	clear(wants)
	s.wants = wants
	return len(cmds)
}

// wants appends what a command line asks for.
func (a lookahead) wants(wants []datastore.Want, args []string) []datastore.Want {
	switch {
	case a.keyStep > 0:
		for i := 1; i < len(args) && len(wants) < aheadWants; i += int(a.keyStep) {
			wants = append(wants, datastore.Want{Key: args[i]})
		}
		return wants
	case a.index:
		w := datastore.Want{Key: args[1]}
		i, ok := parseInt(args[2])
		w.Index, w.Indexed = int(i), ok
		return append(wants, w)
	case a.id:
		w := datastore.Want{Key: args[1]}
		w.ID, w.From = parseStreamID(args[2], 0)
		return append(wants, w)
	case a.elem == 0:
		return append(wants, datastore.Want{Key: args[1]})
	}
	first := int(a.elem)
	for a.score && first < len(args)-1 && isOption(args[first-1]) {
		first++
	}
	for i := first; i < len(args) && len(wants) < aheadWants; i += int(a.step) {
		w := datastore.Want{Key: args[1], Element: args[i]}
		switch {
		case !a.score:
		case i > first && args[i-1] == args[i-1-int(a.step)]:
			w.Score, w.Scored = wants[len(wants)-1].Score, wants[len(wants)-1].Scored
		default:
			w.Score, w.Scored = parseFloat(args[i-1])
		}
		wants = append(wants, w)
		if a.step == 0 {
			break
		}
	}
	return wants
}

// isOption reports whether an argument may be one of the words that ZADD has before the first score.
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
