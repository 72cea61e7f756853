package lint

import (
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// kinds is a set of types that a value may have.
type kinds uint16

// The types.
const (
	isUnknown kinds = 1 << iota
	isText
	isNumber
	isTrue
	isFalse
	isNil
	isTable
	isStatus // a table whose field ok has the text, as redis.call returns OK
)

const isBoolean = isTrue | isFalse

// truthy returns the types that count as true.
func (k kinds) truthy() kinds { return k &^ (isFalse | isNil) }

// only reports whether k is not empty and has no other types than those of allowed.
func (k kinds) only(allowed kinds) bool { return k != 0 && k&^allowed == 0 }

// kinds returns the types that an expression may have.
func (p *pass) kinds(e luatree.Expr) kinds {
	e = p.deref(e)
	if k, done := p.exprKinds[e]; done {
		return k
	}
	if p.depth > maxDepth {
		return isUnknown
	}
	p.depth++
	own := p.ownKinds
	k := p.findKinds(e)
	p.depth--
	if p.ownKinds == own { // otherwise k lacks what the variable itself may be
		p.exprKinds[e] = k
	}
	return k
}

func (p *pass) findKinds(e luatree.Expr) kinds {
	switch x := e.(type) {
	case *luatree.Number:
		return isNumber
	case *luatree.String:
		return isText
	case *luatree.Constant:
		return [...]kinds{luatree.Nil: isNil, luatree.True: isTrue, luatree.False: isFalse}[x.Kind]
	case *luatree.Table:
		return isTable
	case *luatree.Unary:
		if x.Op == "not" {
			return isBoolean
		}
		return isNumber
	case *luatree.Binary:
		return p.binaryKinds(x)
	case *luatree.Index:
		return p.fieldKinds(x)
	case *luatree.Call:
		return p.callKinds(x)
	case *luatree.Name:
		if p.argumentTable(x) != "" {
			return isTable
		}
		if x.Local != nil {
			return p.localKinds(x.Local)
		}
	}
	return isUnknown
}

func (p *pass) binaryKinds(x *luatree.Binary) kinds {
	switch x.Op {
	case "..":
		return isText
	case "and":
		l := p.kinds(x.L)
		return l&(isFalse|isNil|isUnknown) | p.kinds(x.R)
	case "or":
		return p.kinds(x.L).truthy() | p.kinds(x.R)
	case "==", "~=", "<", "<=", ">", ">=":
		return isBoolean
	}
	return isNumber
}

func (p *pass) fieldKinds(x *luatree.Index) kinds {
	switch p.origins(x).own {
	case fromKey, fromArg:
		return isText | isNil
	}
	if _, named := x.Key.(*luatree.String); named {
		return isUnknown
	}
	k := p.elementKinds(x.X)
	if c := p.commandOf(x.X); k != isUnknown && !c.is("TIME") {
		k |= isNil
	}
	return k
}

// commandOf returns the call of a command whose reply an expression always is, or nil.
func (p *pass) commandOf(e luatree.Expr) *call {
	if c, ok := p.deref(e).(*luatree.Call); ok {
		return p.reply(c)
	}
	return nil
}

// Results of Lua's functions that the rules know.
var resultKinds = map[string]kinds{
	"tonumber": isNumber | isNil, "tostring": isText, "type": isText, "cjson.encode": isText, "cmsgpack.pack": isText,
	"string.format": isText, "string.sub": isText, "string.lower": isText, "string.upper": isText, "string.rep": isText,
	"string.len": isNumber, "table.concat": isText, "math.floor": isNumber, "math.ceil": isNumber, "math.abs": isNumber,
	"math.max": isNumber, "math.min": isNumber, "math.random": isNumber, "math.sqrt": isNumber, "redis.sha1hex": isText,
}

func (p *pass) callKinds(x *luatree.Call) kinds {
	if c := p.reply(x); c != nil {
		k := p.replyKinds(c)
		if c.protected {
			k |= isTable
		}
		return k
	}
	if f, ok := p.deref(x.Func).(*luatree.Function); ok && x.Method == nil {
		return p.resultsOf(f)
	}
	if x.Method == nil {
		name := p.libraryField(x.Func)
		if k, ok := resultKinds[name]; ok {
			return k
		}
		if name == "unpack" && len(x.Args) == 1 {
			return p.elementKinds(x.Args[0]) | isNil
		}
	}
	return isUnknown
}

// replyTo returns what a command replies with; kind ReplyAny if the script does not show it.
func (p *pass) replyTo(c *call) cmdtable.Reply {
	unknown := cmdtable.Reply{Kinds: cmdtable.ReplyAny}
	if p.resp3 || c.spec == nil || !c.spec.HasHandler() {
		return unknown
	}
	r := p.l.repliesOf(c.spec)
	for _, o := range r.Other {
		switch {
		case o.Least > 0 && len(c.words) >= o.Least, o.Least == 0 && c.option(o.From, o.Tokens...):
			return o.Reply
		case o.Least > 0 && c.open, o.Least == 0 && c.mayHaveOption(o.From):
			return unknown
		}
	}
	return r.Usual
}

// mayHaveOption reports whether an argument that is not a constant may be a keyword at a place or
// behind it. Where options come first, the place shows whether there is one.
func (c *call) mayHaveOption(from int) bool {
	if c.open {
		return true
	}
	if from < c.spec.MinArgs {
		return len(c.words) > c.spec.MinArgs && c.words[from] == unknownWord
	}
	return c.unknownFrom(from)
}

func (l *Linter) repliesOf(s *cmdtable.Spec) cmdtable.Replies {
	r, ok := l.replies[s]
	if !ok {
		r = s.Replies()
		l.replies[s] = r
	}
	return r
}

// luaKinds are the types in a script of the kinds of replies.
var luaKinds = map[cmdtable.ReplyKind]kinds{cmdtable.ReplyInt: isNumber, cmdtable.ReplyText: isText, cmdtable.ReplyNumber: isText,
	cmdtable.ReplyOK: isStatus, cmdtable.ReplyStatus: isStatus, cmdtable.ReplyNil: isFalse, cmdtable.ReplyArray: isTable,
	cmdtable.ReplyAny: isUnknown}

// inLua returns the types that replies of some kinds have in a script.
func inLua(k cmdtable.ReplyKind) (types kinds) {
	for kind, t := range luaKinds {
		if k&kind != 0 {
			types |= t
		}
	}
	return types
}

// replyKinds returns the types of a command's reply.
func (p *pass) replyKinds(c *call) kinds { return inLua(p.replyTo(c).Kinds) }
