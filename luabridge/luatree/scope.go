package luatree

// scope is the locals that are visible at one place, found by name.
type scope struct {
	visible map[string]*Local // the innermost of each name
	stack   []*Local          // all that are in scope, outermost first
}

// declare makes a local, which comes into scope with enter.
func (p *parser) declare(name string, at Range, kind Declaration, by Node, index int) *Local {
	l := &Local{Range: at, Name: name, Kind: kind, Owner: p.fn, Stmt: by, Index: index}
	p.tree.Locals = append(p.tree.Locals, l)
	return l
}

// enter brings locals into scope at the current token.
func (p *parser) enter(locals ...*Local) {
	for _, l := range locals {
		l.Outer = p.scope.visible[l.Name]
		l.Scope = Range{p.From, p.From}
		p.scope.visible[l.Name] = l
		p.scope.stack = append(p.scope.stack, l)
	}
}

// leave ends the scope of all locals except the first n.
func (p *parser) leave(n int) {
	for i := len(p.scope.stack) - 1; i >= n; i-- {
		l := p.scope.stack[i]
		l.Scope.To = max(p.From, l.Scope.From)
		if l.Outer != nil {
			p.scope.visible[l.Name] = l.Outer
		} else {
			delete(p.scope.visible, l.Name)
		}
	}
	p.scope.stack = p.scope.stack[:n]
}

// use returns a use of a variable.
func (p *parser) use(name string, at Range) *Name {
	n := &Name{Range: at, Text: name, Local: p.scope.visible[name], In: p.fn}
	if n.Local != nil {
		n.Local.Uses = append(n.Local.Uses, n)
	} else {
		p.tree.Globals = append(p.tree.Globals, n)
	}
	return n
}

// VisibleAt reports whether a name that is typed at an offset would mean the variable, if no other
// local hides it. Unlike Scope this includes the space before the first token of the scope.
func (l *Local) VisibleAt(offset int) bool {
	return l.begin() <= offset && offset <= l.Scope.To
}

// begin returns the end of the declaration.
func (l *Local) begin() int {
	switch s := l.Stmt.(type) {
	case *LocalStmt:
		return s.To
	case *NumericFor:
		if s.Step != nil {
			return s.Step.Span().To + 1
		}
		return s.Last.Span().To + 1
	case *GenericFor:
		return s.Values[len(s.Values)-1].Span().To + 1
	case *LocalFunction:
		return l.To
	case *Function:
		for _, p := range s.Params {
			l = p // the last one that has a place
		}
		return max(s.From, l.To)
	}
	return l.Scope.From
}
