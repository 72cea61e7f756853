package lint

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/hashslot"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var keyRules = []*Rule{
	{
		ID: "undeclared-key", Severity: Warning,
		Summary: "a key that is a constant, an argument or a reply instead of an element of KEYS",
		Why: "Redis Cluster and ACLs decide by KEYS whether a script may run; a key that is not in KEYS may be in\n" +
			"another node, and the call then fails. Pass every key in KEYS.",
		Bad:   Example{Script: "return redis.call('GET', ARGV[1])"},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])"},
		check: checkUndeclaredKeys,
	},
	{
		ID: "built-key", Severity: Warning,
		Summary: "a key that the script builds",
		Why: "Redis does not see the key before the script runs. In a cluster the call fails unless the built key has\n" +
			"the slot of KEYS, and rights of users on keys are not checked in advance. Pass the key in KEYS.",
		Bad:   Example{Script: "return redis.call('GET', KEYS[1] .. ':count')"},
		Good:  Example{Script: "return redis.call('GET', KEYS[2])"},
		check: checkBuiltKeys,
	},
	{
		ID: "cross-slot", Severity: Warning,
		Summary: "constant keys in different slots of a cluster",
		Why: "Redis Cluster refuses a script that touches two slots. Give the keys a common hash tag, as in\n" +
			"`{user}:a` and `{user}:b`.",
		Bad: Example{Script: "-- redmoon:disable-file undeclared-key\n" +
			"redis.call('SET', 'user:a', 1)\nreturn redis.call('GET', 'user:b')"},
		Good: Example{Script: "-- redmoon:disable-file undeclared-key\n" +
			"redis.call('SET', '{user}:a', 1)\nreturn redis.call('GET', '{user}:b')"},
		check: checkSlots,
	},
	{
		ID: "key-index", Severity: Error,
		Summary: "KEYS or ARGV at an index that does not exist",
		Why: "Indexes begin at 1; index 0, negative ones and fractions are always nil. If a comment of the script says\n" +
			"which keys and arguments there are (`--   KEYS    1 user  2 log`, or `-- KEYS[1]: user`), greater indexes\n" +
			"are reported, too.",
		Bad:   Example{Script: "return redis.call('GET', KEYS[0])"},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])"},
		check: checkIndexes,
	},
	{
		ID: "value-in-keys", Severity: Warning,
		Summary: "an element of KEYS that is never used as a key",
		Why: "Redis Cluster takes every element of KEYS for a key, so a user id in KEYS puts the script into the wrong\n" +
			"slot or makes it fail with CROSSSLOT. Pass values in ARGV.",
		Bad:   Example{Script: "return redis.call('HEXISTS', KEYS[1], KEYS[2])"},
		Good:  Example{Script: "return redis.call('HEXISTS', KEYS[1], ARGV[1])"},
		check: checkValuesInKeys,
	},
}

// keyArgument is an argument that is a key.
type keyArgument struct {
	call *call
	expr luatree.Expr
}

// keys returns the keys of calls.
func keys(calls []*call) []keyArgument {
	var list []keyArgument
	for _, c := range calls {
		for _, at := range c.keyPlaces() {
			list = append(list, keyArgument{c, c.args[at]})
		}
	}
	return list
}

// keyPlaces returns which arguments of a call are keys.
func (c *call) keyPlaces() []int {
	if !c.runs() || len(c.args) < 2 || !c.fits(c.spec) {
		return nil
	}
	words := c.words
	if c.open { // the last argument may be keys as well
		words = append(words[:len(words):len(words)], unknownWord)
		for len(words) < c.spec.MinArgs {
			words = append(words, unknownWord)
		}
	}
	var places []int
	for _, k := range c.spec.FindKeys(words) {
		if k.Pos > 0 && k.Pos < len(c.args) && k.Flags&cmdtable.NotKey == 0 {
			places = append(places, k.Pos)
		}
	}
	return places
}

// reportKeys reports keys, each text at its first place: a key that is used often, or made in the
// same way in several places, is one mistake. message returns "" for a key that is right.
func (p *pass) reportKeys(message func(k keyArgument, o origin) string) {
	seen := map[place]bool{}
	for _, k := range keys(p.calls) {
		text := message(k, p.origins(k.expr).own)
		if text == "" {
			continue
		}
		shape := p.placed(k.expr.Span().From, text+p.shape(k.expr))
		if !seen[shape] {
			p.report(k.expr.Span(), text, p.quote(k.expr), k.call.name())
		}
		seen[shape] = true
	}
}

func checkUndeclaredKeys(p *pass) {
	p.reportKeys(func(k keyArgument, o origin) string {
		switch {
		case o == 0 || o&(fromUnknown|fromBuilt|fromBuiltKey) != 0:
		case o&fromConstant != 0:
			return "the key %s of %s is a constant; pass it in KEYS"
		case o&fromArg != 0:
			return "the key %s of %s comes from ARGV; pass it in KEYS"
		case o&fromReply != 0:
			return "the key %s of %s comes from a reply; pass it in KEYS"
		}
		return ""
	})
}

func checkBuiltKeys(p *pass) {
	p.reportKeys(func(k keyArgument, o origin) string {
		switch {
		case o&fromUnknown != 0:
		case o&fromBuiltKey != 0:
			return "the key %s of %s is built from another key; pass it in KEYS"
		case o&fromBuilt != 0:
			return "the key %s of %s is built by the script; pass it in KEYS"
		}
		return ""
	})
}

func checkSlots(p *pass) {
	if !p.library {
		if p.flags&luatext.AllowCrossSlotKeys == 0 {
			p.checkSlots(p.calls)
		}
		return
	}
	for _, f := range p.functions() {
		if !slices.Contains(p.registered[f].flags, "allow-cross-slot-keys") {
			calls, _ := p.reaches(f)
			p.checkSlots(calls)
		}
	}
}

// checkSlots reports the first key of some calls, which one run may make, that is in another slot
// than those before.
func (p *pass) checkSlots(calls []*call) {
	var first keyArgument
	firstSlot := -1
	for _, k := range keys(calls) {
		slot, ok := p.slot(k.expr)
		if !ok {
			continue
		}
		if firstSlot < 0 {
			first, firstSlot = k, slot
		}
		if slot != firstSlot {
			p.report(k.expr.Span(), "the keys %s and %s are in different slots of a cluster", p.quote(first.expr), p.quote(k.expr))
			return
		}
	}
}

// slot returns the slot of a key that is a constant, or that begins with a constant hash tag.
func (p *pass) slot(e luatree.Expr) (slot int, ok bool) {
	if key, ok := p.constant(e); ok {
		return hashslot.Of(key), true
	}
	b, ok := p.deref(e).(*luatree.Binary)
	for ok && b.Op == ".." {
		if start, known := p.constant(b.L); known {
			from := strings.IndexByte(start, '{')
			if from < 0 {
				return 0, false
			}
			length := strings.IndexByte(start[from:], '}')
			return hashslot.Of(start), length > 1
		}
		b, ok = p.deref(b.L).(*luatree.Binary)
	}
	return 0, false
}

func checkIndexes(p *pass) {
	declared := p.declaredCounts()
	for _, n := range p.nodes {
		x, ok := n.(*luatree.Index)
		if !ok {
			continue
		}
		name := p.argumentTable(x.X)
		if name == "" {
			continue
		}
		i, ok := p.number(x.Key)
		if !ok {
			if first, begins := p.firstOf(x.Key); begins && first < 1 {
				p.report(x.Span(), "%s is nil at first: the loop begins at %v, and indexes at 1", p.quote(x), first)
			}
			continue
		}
		switch most := declared[name]; {
		case i < 1 || i != float64(int(i)):
			p.report(x.Span(), "%s is always nil: indexes begin at 1", p.quote(x))
		case most > 0 && int(i) > most:
			p.report(x.Span(), "%s: the comments of the script name only %d %s", p.quote(x), most,
				map[string]string{"KEYS": "keys", "ARGV": "arguments"}[name])
		}
	}
}

// firstOf returns where the loop begins whose variable an expression is.
func (p *pass) firstOf(e luatree.Expr) (first float64, ok bool) {
	name, ok := e.(*luatree.Name)
	if !ok || name.Local == nil || len(p.writes[name.Local]) > 0 {
		return 0, false
	}
	loop, ok := name.Local.Stmt.(*luatree.NumericFor)
	if !ok {
		return 0, false
	}
	return p.number(loop.First)
}

// checkValuesInKeys reports the first place at which an element of KEYS is an argument that is not
// a key, if no key is made of the element and it is not returned to the caller.
func checkValuesInKeys(p *pass) {
	asKey := map[string]bool{}
	asValue := map[string]*luatree.Index{}
	var order []string
	for _, c := range p.calls {
		places := c.keyPlaces()
		if !c.runs() || len(places) == 0 {
			continue
		}
		for i, a := range c.args {
			isKey := slices.Contains(places, i)
			p.walk(p.deref(a), func(n luatree.Node) bool {
				x, ok := n.(luatree.Expr)
				if !ok {
					return true
				}
				element, ok := p.deref(x).(*luatree.Index)
				if !ok || p.argumentTable(element.X) != "KEYS" {
					return true
				}
				text := p.canonical(element)
				if isKey || element != p.deref(a) {
					asKey[text] = true // or part of a text, which may become a key
				} else if asValue[text] == nil {
					asValue[text] = element
					order = append(order, text)
				}
				return false
			})
		}
	}
	used := p.otherUses()
	for _, text := range order {
		if _, ok := p.number(asValue[text].Key); ok && !asKey[text] && !used[text] {
			p.report(asValue[text].Span(), "%s is never used as a key; pass it in ARGV", p.quote(asValue[text]))
		}
	}
}

// otherUses returns the expressions that functions of the script get, and the parts of joined
// texts: they may become keys.
func (p *pass) otherUses() map[string]bool {
	used := map[string]bool{}
	for _, n := range p.nodes {
		switch n := n.(type) {
		case *luatree.Call:
			if p.byCall[n] == nil && p.libraryField(n.Func) == "" {
				for _, a := range n.Args {
					used[p.canonical(a)] = true
				}
			}
		case *luatree.Binary:
			if n.Op == ".." {
				used[p.canonical(n.L)], used[p.canonical(n.R)] = true, true
			}
		}
	}
	return used
}

// argumentTable returns KEYS or ARGV if an expression is this table, else "".
func (p *pass) argumentTable(e luatree.Expr) string {
	switch p.origins(e).own {
	case fromKeys:
		return "KEYS"
	case fromArgv:
		return "ARGV"
	}
	return ""
}
