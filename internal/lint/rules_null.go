package lint

import "github.com/redmoon-lua/redmoon/luabridge/luatree"

var nullRules = []*Rule{
	{
		ID: "null-compared-with-nil", Severity: Error,
		Summary: "the null of JSON compared with nil or false",
		Why: "`cjson.decode` makes `cjson.null` of null, which is neither nil nor false and counts as true. A result of\n" +
			"`cjson.decode` is therefore never nil. Compare with `cjson.null`; a field that is absent is nil.\n" +
			"`--fix --unsafe-fixes` writes `cjson.null`.",
		Bad:   Example{Script: "local user = cjson.decode(ARGV[1])\nif user == nil then\n  return 0\nend\nreturn user.name"},
		Good:  Example{Script: "local user = cjson.decode(ARGV[1])\nif user == cjson.null then\n  return 0\nend\nreturn user.name"},
		check: checkNulls,
	},
}

func checkNulls(p *pass) {
	for _, b := range p.binaries("==", "~=") {
		value, nothing := b.L, b.R
		if p.kinds(value).only(isNil | isFalse) {
			value, nothing = nothing, value
		}
		outcome := "never"
		if b.Op == "~=" {
			outcome = "always"
		}
		switch {
		case p.libraryField(value) == "cjson.null" && p.kinds(nothing).only(isNil|isFalse):
			p.report(b.Span(), "this is %s true: cjson.null is neither nil nor false", outcome)
		case isNilConstant(nothing) && p.isDecoded(value) && !p.alsoTested(b, value):
			f := p.report(b.Span(), "this is %s true: cjson.decode makes cjson.null of null, never nil", outcome)
			p.replace(f, "compare with cjson.null", nothing.Span(), "cjson.null")
		}
	}
}

// isDecoded reports whether an expression is always a result of cjson.decode.
func (p *pass) isDecoded(e luatree.Expr) bool {
	c, ok := p.deref(e).(*luatree.Call)
	return ok && p.libraryField(c.Func) == "cjson.decode"
}
