package cmdtable

import "slices"

// Expected is what may follow the typed arguments of a command.
type Expected struct {
	// Args may follow, in the order of the syntax. The next word may belong to any of them up to the
	// first that is not optional.
	Args   []Arg
	Place  int     // the index in Arguments of the first of Args, or -1 if nothing may follow
	Tokens []Token // the keywords that may be the next word
}

// Token is a keyword that may follow.
type Token struct {
	Word string
	Text string // the keyword with its arguments, as help shows them
	Arg  Arg
}

// Expect returns what may follow the typed arguments of s, without the name of the command. typed
// may contain any words for values that are not known.
func (s *Spec) Expect(typed []string) Expected {
	args := s.Arguments()
	for i := range args {
		args[i].number(i)
	}
	for _, word := range typed {
		if args = after(args, word); args == nil {
			return Expected{Place: -1}
		}
	}
	e := Expected{Args: args, Place: -1}
	if len(args) > 0 {
		e.Place = args[0].place
	}
	for i := range args {
		e.Tokens = append(e.Tokens, args[i].tokens()...)
		if !args[i].Optional {
			break
		}
	}
	return e
}

// number notes the place of an argument in the syntax, in its parts as well.
func (a *Arg) number(place int) {
	a.place = place
	a.Args = slices.Clone(a.Args)
	for i := range a.Args {
		a.Args[i].number(place)
	}
}

// Place returns the index of the argument in the syntax of its command. It belongs to the result of
// Expect.
func (a *Arg) Place() int { return a.place }

// tokens returns the keywords with which an argument may begin.
func (a *Arg) tokens() []Token {
	switch {
	case a.Token != "":
		plain := *a
		plain.Optional, plain.Multiple, plain.more = false, false, false
		return []Token{{a.Token, plain.text(), plain}}
	case a.Type == "oneof":
		var list []Token
		for i := range a.Args {
			list = append(list, a.Args[i].tokens()...)
		}
		return list
	case a.Type == "block" && len(a.Args) > 0:
		return a.Args[0].tokens()
	}
	return nil
}

// Texts returns the arguments of s as help shows them, one each.
func (s *Spec) Texts() []string {
	args := s.Arguments()
	list := make([]string, len(args))
	for i := range args {
		list[i] = args[i].text()
	}
	return list
}
