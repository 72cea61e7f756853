package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

// origin is a set of places from which a value may come.
type origin uint16

// The places.
const (
	fromUnknown  origin = 1 << iota
	fromKeys            // the table KEYS, or the keys that a function is called with
	fromArgv            // the table ARGV, or the arguments that a function is called with
	fromKey             // an element of KEYS
	fromArg             // an element of ARGV
	fromConstant        // a constant
	fromBuiltKey        // a text made of a key and something else
	fromBuilt           // any other text that is made
	fromReply           // a reply, or an element of one
	fromOther           // a number that is computed, a boolean, nil, a table
)

// origins are where a value and the elements of it, if it is a table, may come from.
type origins struct{ own, elems origin }

func (o origins) or(other origins) origins { return origins{o.own | other.own, o.elems | other.elems} }

var unknownOrigins = origins{fromUnknown, fromUnknown}

// elements returns the origins of the elements of a table.
func (o origins) elements() origins {
	own := o.elems
	if o.own&fromKeys != 0 {
		own |= fromKey
	}
	if o.own&fromArgv != 0 {
		own |= fromArg
	}
	if own == 0 {
		own = fromUnknown
	}
	return origins{own, own & (fromUnknown | fromReply)}
}

// origins returns where the value of an expression may come from.
func (p *pass) origins(e luatree.Expr) origins {
	if o, done := p.exprOrigins[e]; done {
		return o
	}
	if p.depth > maxDepth {
		return unknownOrigins
	}
	p.depth++
	o := p.findOrigins(e)
	p.depth--
	p.exprOrigins[e] = o
	return o
}

func (p *pass) findOrigins(e luatree.Expr) origins {
	switch x := e.(type) {
	case *luatree.Paren:
		return p.origins(x.X)
	case *luatree.String:
		if x.Value == "" { // no key at all
			return origins{own: fromOther}
		}
		return origins{own: fromConstant}
	case *luatree.Number:
		return origins{own: fromConstant}
	case *luatree.Constant, *luatree.Unary, *luatree.Function:
		return origins{own: fromOther}
	case *luatree.Name:
		return p.nameOrigins(x)
	case *luatree.Index:
		return p.origins(x.X).elements()
	case *luatree.Table:
		o := origins{own: fromOther}
		for _, f := range x.Fields {
			o.elems |= p.origins(f.Value).own
		}
		return o
	case *luatree.Binary:
		return p.binaryOrigins(x)
	case *luatree.Call:
		return p.callOrigins(x)
	}
	return unknownOrigins
}

func (p *pass) binaryOrigins(x *luatree.Binary) origins {
	switch x.Op {
	case "..":
		if _, ok := p.constant(x); ok {
			return origins{own: fromConstant}
		}
		return p.joined(x.L, x.R)
	case "and":
		return p.origins(x.R)
	case "or":
		return p.origins(x.L).or(p.origins(x.R))
	}
	return origins{own: fromOther}
}

// joined returns the origins of a text that is made of others.
func (p *pass) joined(parts ...luatree.Expr) origins {
	all := origin(0)
	for _, part := range parts {
		o := p.origins(part)
		all |= o.own | o.elems
	}
	if all&(fromKey|fromBuiltKey|fromKeys) != 0 {
		return origins{own: fromBuiltKey}
	}
	return origins{own: fromBuilt}
}

func (p *pass) nameOrigins(n *luatree.Name) origins {
	switch {
	case n.Local != nil:
		return p.variableOrigins(n.Local)
	case p.library:
		return unknownOrigins
	case n.Text == "KEYS":
		return origins{own: fromKeys}
	case n.Text == "ARGV":
		return origins{own: fromArgv}
	}
	return unknownOrigins
}

func (p *pass) variableOrigins(l *luatree.Local) origins {
	if o, done := p.localOrigins[l]; done {
		return o // incomplete while the origins are being found: a variable adds none to itself
	}
	p.localOrigins[l] = origins{}
	o := p.declaredOrigins(l)
	p.localOrigins[l] = o
	for _, v := range p.writes[l] {
		if v == nil {
			o = unknownOrigins
		} else {
			o = o.or(p.origins(v))
		}
	}
	for _, v := range p.stores[l] {
		if v == nil {
			o.elems |= fromUnknown
		} else {
			o.elems |= p.origins(v).own
		}
	}
	if o.own&fromOther != 0 && p.escapes(l) {
		o.elems |= fromUnknown
	}
	p.localOrigins[l] = o
	return o
}

// escapes reports whether a table may be changed by a function that gets it.
func (p *pass) escapes(l *luatree.Local) bool {
	for _, use := range l.Uses {
		if p.callee[use] != nil {
			return true
		}
	}
	return p.given[l]
}

func (p *pass) declaredOrigins(l *luatree.Local) origins {
	switch s := l.Stmt.(type) {
	case *luatree.LocalStmt:
		switch {
		case l.Index < len(s.Values):
			return p.origins(s.Values[l.Index])
		case len(s.Values) == 0 || !multi(s.Values[len(s.Values)-1]):
			return origins{own: fromOther} // nil
		}
		if c, ok := s.Values[len(s.Values)-1].(*luatree.Call); ok && p.libraryField(c.Func) == "unpack" && len(c.Args) > 0 {
			return p.origins(c.Args[0]).elements()
		}
	case *luatree.NumericFor, *luatree.LocalFunction:
		return origins{own: fromOther}
	case *luatree.GenericFor:
		return p.loopOrigins(s, l.Index)
	case *luatree.Function:
		return p.parameterOrigins(s, l.Index)
	}
	return unknownOrigins
}

// loopOrigins returns the origins of a variable of for … in pairs(t).
func (p *pass) loopOrigins(s *luatree.GenericFor, index int) origins {
	if len(s.Values) != 1 {
		return unknownOrigins
	}
	c, ok := s.Values[0].(*luatree.Call)
	if !ok || len(c.Args) != 1 || c.Method != nil {
		return unknownOrigins
	}
	switch p.libraryField(c.Func) {
	case "ipairs":
		if index == 0 {
			return origins{own: fromOther}
		}
	case "pairs":
		if index == 0 {
			return unknownOrigins
		}
	default:
		return unknownOrigins
	}
	return p.origins(c.Args[0]).elements()
}

// parameterOrigins returns the origins of a parameter, from all calls of its function.
func (p *pass) parameterOrigins(f *luatree.Function, index int) origins {
	if p.registered[f] != nil {
		switch index {
		case 0:
			return origins{own: fromKeys}
		case 1:
			return origins{own: fromArgv}
		}
		return unknownOrigins
	}
	name := p.named[f]
	if name == nil || len(p.writes[name]) > 0 {
		return unknownOrigins
	}
	o := origins{}
	for _, use := range name.Uses {
		c := p.callee[use]
		if c == nil {
			return unknownOrigins
		}
		last := len(c.Args) - 1
		switch {
		case index <= last && (index < last || !multi(c.Args[last])):
			o = o.or(p.origins(c.Args[index]))
		case last >= 0 && multi(c.Args[last]):
			return unknownOrigins
		default:
			o.own |= fromOther // nil
		}
	}
	return o
}

// callOrigins returns the origins of the first result of a call.
func (p *pass) callOrigins(c *luatree.Call) origins {
	if p.reply(c) != nil {
		return origins{fromReply, fromReply}
	}
	if c.Method != nil {
		switch c.Method.Value {
		case "format", "sub", "gsub", "match", "rep", "reverse":
			return p.joined(append([]luatree.Expr{c.Func}, c.Args...)...)
		}
		return unknownOrigins
	}
	switch p.libraryField(c.Func) {
	case "redis.call", "redis.pcall":
		return origins{fromReply, fromReply}
	case "tostring", "string.lower", "string.upper", "assert":
		if len(c.Args) > 0 {
			return p.origins(c.Args[0])
		}
	case "unpack":
		if len(c.Args) > 0 {
			return p.origins(c.Args[0]).elements()
		}
	case "string.format", "string.sub", "string.gsub", "string.match", "table.concat", "string.rep":
		return p.joined(c.Args...)
	case "tonumber":
		return origins{own: fromOther}
	}
	if f, ok := p.deref(c.Func).(*luatree.Function); ok {
		return p.functionOrigins(f)
	}
	return unknownOrigins
}

// functionOrigins returns the origins of the first result of a function.
func (p *pass) functionOrigins(f *luatree.Function) origins {
	if o, done := p.resultOrigins[f]; done {
		return o
	}
	p.resultOrigins[f] = origins{}
	o := origins{}
	for _, r := range p.returns[f] {
		if len(r.Values) > 0 {
			o = o.or(p.origins(r.Values[0]))
		}
	}
	p.resultOrigins[f] = o
	return o
}
