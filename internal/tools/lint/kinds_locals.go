package lint

import (
	"slices"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// localKinds returns the types that a local may have at any time: those of its declaration and of
// all assignments. Inside the values of the local itself the result is empty, because a variable
// adds no types to itself; any other ring of variables is unknown.
func (p *pass) localKinds(l *luatree.Local) kinds {
	if k, done := p.kindsOfLocal[l]; done {
		return k
	}
	if n := len(p.finding); n > 0 && p.finding[n-1] == any(l) {
		p.ownKinds++
		return 0
	}
	if slices.Contains(p.finding, any(l)) {
		return isUnknown
	}
	p.finding = append(p.finding, l)
	k := p.declaredKinds(l)
	for _, v := range p.writes[l] {
		if v == nil {
			k |= isUnknown
		} else {
			k |= p.kinds(v)
		}
	}
	written := 0
	for _, use := range l.Uses {
		if use.Write {
			written++
		}
	}
	if written != len(p.writes[l]) {
		k |= isUnknown // function l() … end
	}
	p.finding = p.finding[:len(p.finding)-1]
	p.kindsOfLocal[l] = k
	return k
}

// declaredKinds returns the types that a local has where it is declared.
func (p *pass) declaredKinds(l *luatree.Local) kinds {
	switch s := l.Stmt.(type) {
	case *luatree.LocalStmt:
		switch n := len(s.Values); {
		case l.Index < n:
			return p.kinds(s.Values[l.Index])
		case n == 0 || !multi(s.Values[n-1]):
			return isNil
		default:
			return p.laterResult(s.Values[n-1])
		}
	case *luatree.NumericFor:
		return isNumber
	case *luatree.GenericFor:
		return p.loopKinds(s, l.Index)
	case *luatree.Function:
		return p.parameterKinds(s, l.Index)
	}
	return isUnknown
}

// laterResult returns the types of a result of a call that is not the first one.
func (p *pass) laterResult(e luatree.Expr) kinds {
	if c, ok := e.(*luatree.Call); ok && len(c.Args) == 1 && p.libraryField(c.Func) == "unpack" {
		return p.elementKinds(c.Args[0]) | isNil
	}
	return isUnknown
}

// loopKinds returns the types of a variable of for … in ipairs(t), or pairs(t).
func (p *pass) loopKinds(s *luatree.GenericFor, index int) kinds {
	c, ok := s.Values[0].(*luatree.Call)
	if !ok || len(s.Values) != 1 || len(c.Args) != 1 || c.Method != nil {
		return isUnknown
	}
	switch name := p.libraryField(c.Func); {
	case name == "ipairs" && index == 0:
		return isNumber
	case (name == "ipairs" || name == "pairs") && index == 1:
		return p.elementKinds(c.Args[0])
	}
	return isUnknown
}

// parameterKinds returns the types of a parameter, from all calls of its function.
func (p *pass) parameterKinds(f *luatree.Function, index int) kinds {
	name := p.named[f]
	if name == nil || p.registered[f] != nil || len(p.writes[name]) > 0 {
		return isUnknown
	}
	k := kinds(0)
	for _, use := range name.Uses {
		c := p.callee[use]
		if c == nil {
			return isUnknown
		}
		last := len(c.Args) - 1
		switch {
		case index <= last:
			k |= p.kinds(c.Args[index]) // of a call at the end the first result
		case last >= 0 && multi(c.Args[last]):
			return isUnknown
		default:
			k |= isNil
		}
	}
	if k == 0 {
		return isUnknown // it is never called
	}
	return k
}

// resultsOf returns the types of the first result of a function of the script.
func (p *pass) resultsOf(f *luatree.Function) kinds {
	if k, done := p.kindsOfResult[f]; done {
		return k
	}
	p.kindsOfResult[f] = isUnknown // while it is being found: the function calls itself
	p.finding = append(p.finding, f)
	k := kinds(0)
	for _, r := range p.returns[f] {
		if len(r.Values) == 0 {
			k |= isNil
		} else {
			k |= p.kinds(r.Values[0])
		}
	}
	if !p.blockEnds(f.Body) {
		k |= isNil
	}
	p.finding = p.finding[:len(p.finding)-1]
	p.kindsOfResult[f] = k
	return k
}

// elementKinds returns the types of the elements of a table, without nil.
func (p *pass) elementKinds(e luatree.Expr) kinds {
	if o := p.origins(e); o.own == fromKeys || o.own == fromArgv {
		return isText
	}
	c := p.commandOf(e)
	if c == nil || c.protected {
		return isUnknown
	}
	k := kinds(0)
	for _, element := range p.replyTo(c).Elements {
		k |= inLua(element)
	}
	if k == 0 {
		return isUnknown
	}
	return k
}
