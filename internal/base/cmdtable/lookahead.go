package cmdtable

// Lookahead says which arguments of a command name what it will look up, as far as their places are
// fixed. The server reads those parts of memory ahead for a batch of commands.
type Lookahead struct {
	Keys    bool  // argument 1 is a key
	KeyStep uint8 // distance between keys, in arguments; 0: there is one key
	Elem    uint8 // the first argument that is a field or member; 0: none
	Step    uint8 // distance between elements, in arguments; 0: there is one element
	Score   bool  // the argument before an element is its score
	Index   bool  // argument 2 is the index of an element in a list
	ID      bool  // argument 2 is the id of an entry of a stream
}

// findLookahead derives the Lookahead from the key-specs and the Syntax.
func (s *Spec) findLookahead() (a Lookahead) {
	if len(s.Keys) == 0 || s.Keys[0].Index != 1 || s.Keys[0].KeyNum || s.Flags&(Blocking|PubSub) != 0 {
		return a
	}
	a.Keys = true
	if s.Keys[0].Last != 0 {
		a.KeyStep = uint8(s.Keys[0].Step)
		return a
	}
	args := s.Arguments()
	if len(args) > 1 {
		a.Index = s.Group == "list" && args[1].Type == "integer" && (args[1].Name == "index" || args[1].Name == "start")
		a.ID = s.Group == "stream" && args[1].Name == "start"
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
			a.Elem = uint8(at + i)
			a.Score = i > 0 && parts[i-1].Name == "score"
			if arg.Multiple {
				a.Step = uint8(len(parts))
			}
			return a
		}
		at += len(parts)
	}
	return a
}
