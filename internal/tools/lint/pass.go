package lint

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// pass is the run of all rules over one script.
type pass struct {
	l        *Linter
	tree     *luatree.Tree
	script   Script
	*sources // of the script
	library  bool
	flags    luatext.Flags
	resp3    bool // the script may read replies of RESP3, in which what is missing is nil

	incomplete    bool // see lacksIncludes
	usedElsewhere bool // texts that are not here may use what this one declares

	rule     *Rule
	findings []Finding
	problems []Finding // with the comments for the linter

	nodes   []luatree.Node // all, in the order of the text
	calls   []*call        // of Redis commands
	byCall  map[*luatree.Call]*call
	callee  map[*luatree.Name]*luatree.Call // names that are called
	named   map[*luatree.Function]*luatree.Local
	writes  map[*luatree.Local][]luatree.Expr // values assigned after the declaration; nil: unknown
	stores  map[*luatree.Local][]luatree.Expr // values stored in fields of the local
	hashed  map[*luatree.Local]bool           // stored in at an index that need not be the next one
	tested  map[*luatree.Local]bool           // see collectTests
	asks    map[*luatree.Call]bool            // whose results are tested; see collectTests
	given   map[*luatree.Local]bool           // given to a function of the script, which may change it
	returns map[*luatree.Function][]*luatree.ReturnStmt

	registered map[*luatree.Function]*registration
	sorted     map[*luatree.Local]bool             // lists that table.sort gets
	returned   map[*luatree.Local]bool             // locals that a return mentions
	fillers    map[*luatree.Local][]filler         // loops that add an element each time
	conditions map[*luatree.Binary]*luatree.Binary // comparison: the outermost "and" or "or" around it

	// Results that were found before.
	values        map[*luatree.Local]luatree.Expr
	constants     map[luatree.Expr]constant
	texts         map[luatree.Expr]string
	exprOrigins   map[luatree.Expr]origins
	localOrigins  map[*luatree.Local]origins
	resultOrigins map[*luatree.Function]origins
	exprKinds     map[luatree.Expr]kinds
	kindsOfLocal  map[*luatree.Local]kinds
	kindsOfResult map[*luatree.Function]kinds

	finding  []any // locals and functions whose types are being found, the innermost last
	ownKinds int   // how often the types of the innermost have been asked for meanwhile
	depth    int   // of the recursion through variables
	steps    int   // how many nodes the rules may still visit beyond one walk over the text
}

func newPass(l *Linter, tree *luatree.Tree, s Script) *pass {
	p := &pass{
		l: l, tree: tree, script: s, sources: newSources(s),
		library: luatext.IsLibrary(tree.Source),
		byCall:  map[*luatree.Call]*call{},
		callee:  map[*luatree.Name]*luatree.Call{}, named: map[*luatree.Function]*luatree.Local{},
		writes: map[*luatree.Local][]luatree.Expr{}, stores: map[*luatree.Local][]luatree.Expr{},
		hashed: map[*luatree.Local]bool{}, tested: map[*luatree.Local]bool{}, given: map[*luatree.Local]bool{},
		returns: map[*luatree.Function][]*luatree.ReturnStmt{}, asks: map[*luatree.Call]bool{},
		sorted: map[*luatree.Local]bool{}, returned: map[*luatree.Local]bool{},
		fillers: map[*luatree.Local][]filler{}, conditions: map[*luatree.Binary]*luatree.Binary{},
		values: map[*luatree.Local]luatree.Expr{}, steps: maxSteps,
		registered: map[*luatree.Function]*registration{},
		constants:  map[luatree.Expr]constant{}, texts: map[luatree.Expr]string{},
		exprOrigins: map[luatree.Expr]origins{}, localOrigins: map[*luatree.Local]origins{},
		resultOrigins: map[*luatree.Function]origins{}, exprKinds: map[luatree.Expr]kinds{},
		kindsOfLocal: map[*luatree.Local]kinds{}, kindsOfResult: map[*luatree.Function]kinds{},
	}
	if !p.library {
		p.flags = luatext.ScriptFlags(tree.Source)
	}
	p.incomplete = p.lacksIncludes()
	p.usedElsewhere = s.Part || p.incomplete || p.onlyDeclares()
	p.collect()
	p.collectCalls()
	return p
}

// maxSteps is how many nodes the rules may visit beyond one walk each. Scripts that people write
// need a fraction of it.
const maxSteps = 20 << 20

// walk is luatree.Walk, except that it ends when the rules have visited too many nodes.
func (p *pass) walk(n luatree.Node, visit func(luatree.Node) bool) {
	luatree.Walk(n, func(n luatree.Node) bool {
		p.steps--
		return p.steps > 0 && visit(n)
	})
}

// collect fills the maps about nodes.
func (p *pass) collect() {
	stack := []*luatree.Function{p.tree.Main}
	luatree.Walk(p.tree.Main.Body, func(n luatree.Node) bool {
		p.nodes = append(p.nodes, n)
		for len(stack) > 1 && n.Span().From >= stack[len(stack)-1].To {
			stack = stack[:len(stack)-1]
		}
		switch n := n.(type) {
		case *luatree.Function:
			stack = append(stack, n)
		case *luatree.ReturnStmt:
			fn := stack[len(stack)-1]
			p.returns[fn] = append(p.returns[fn], n)
			p.mentioned(n)
		}
		return true
	})
	var around *luatree.Binary // the last "and" or "or" that is not inside another one
	for _, n := range p.nodes {
		p.collectTests(n)
		switch n := n.(type) {
		case *luatree.Call:
			if name, ok := n.Func.(*luatree.Name); ok && n.Method == nil {
				p.callee[name] = n
			}
			p.arguments(n)
		case *luatree.LocalFunction:
			p.named[n.Func] = n.Name
		case *luatree.LocalStmt:
			for i, v := range n.Values {
				if f, ok := v.(*luatree.Function); ok && i < len(n.Names) {
					p.named[f] = n.Names[i]
				}
			}
		case *luatree.AssignStmt:
			p.assigns(n)
		case *luatree.GenericFor:
			p.collectFillers(n)
		case *luatree.NumericFor:
			p.collectFillers(n)
		case *luatree.Binary:
			if around != nil && around.Contains(n.From) {
				p.conditions[n] = around
			} else if n.Op == "and" || n.Op == "or" {
				around = n
			}
		}
	}
}

// mentioned notes the locals that a return mentions.
func (p *pass) mentioned(s *luatree.ReturnStmt) {
	for _, v := range s.Values {
		p.walk(v, func(n luatree.Node) bool {
			if name, ok := n.(*luatree.Name); ok && name.Local != nil {
				p.returned[name.Local] = true
			}
			return true
		})
	}
}

// assigns notes the values of an assignment.
func (p *pass) assigns(s *luatree.AssignStmt) {
	for i, target := range s.Targets {
		var value luatree.Expr
		if i < len(s.Values) {
			value = s.Values[i]
		}
		switch target := target.(type) {
		case *luatree.Name:
			if target.Local != nil {
				p.writes[target.Local] = append(p.writes[target.Local], value)
			}
		case *luatree.Index:
			if name, ok := target.X.(*luatree.Name); ok && name.Local != nil {
				p.stores[name.Local] = append(p.stores[name.Local], value)
				if !p.isNext(target) && !p.counts(target.Key) {
					p.hashed[name.Local] = true
				}
			}
		}
	}
}

// arguments notes what a call does with the locals that it gets.
func (p *pass) arguments(c *luatree.Call) {
	library := p.libraryField(c.Func)
	for i, a := range c.Args {
		name, ok := a.(*luatree.Name)
		switch {
		case !ok || name.Local == nil:
		case library == "":
			p.given[name.Local] = true
		case library == "table.sort":
			p.sorted[name.Local] = true
		case library == "table.insert" && i == 0 && len(c.Args) > 1:
			p.stores[name.Local] = append(p.stores[name.Local], c.Args[len(c.Args)-1])
		}
	}
}

// report adds a finding of the running rule and returns it, so that a repair can be added before
// the next one is reported. It is nil if the finding does not count.
func (p *pass) report(at luatree.Range, format string, args ...any) *Finding {
	if len(p.findings) >= MaxFindings {
		return nil
	}
	f := p.findingAt(at)
	f.Rule, f.Severity, f.Message = p.rule.ID, p.l.severities[p.rule.ID], fmt.Sprintf(format, args...)
	p.findings = append(p.findings, f)
	return &p.findings[len(p.findings)-1]
}

// replace gives a finding, which may be nil, a repair of one edit.
func (p *pass) replace(f *Finding, title string, at luatree.Range, text string) {
	if f == nil {
		return
	}
	file, at, exact := p.where(at)
	if exact && p.files.Files[file] == f.File {
		f.Fix = &Fix{Title: title, Edits: []Edit{{at, text}}, OneByOne: p.usedElsewhere || file > 0}
	}
}

// finish returns the findings that no comment disables.
func (p *pass) finish() []Finding {
	found := p.sortFindings(p.disable(p.findings))
	return found[:min(len(found), MaxFindings)]
}

// quote returns the source of a node for a message: one line, not too long.
func (p *pass) quote(n luatree.Node) string {
	r := n.Span()
	text := []rune(p.tree.Text(luatree.Range{From: r.From, To: min(r.To, r.From+200)}))
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text = append(text[:i:i], '…')
			break
		}
	}
	if len(text) > 40 {
		text = append(text[:39:39], '…')
	}
	return string(text)
}
