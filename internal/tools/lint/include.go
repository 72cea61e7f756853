package lint

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var badInclude = &Rule{
	ID: "bad-include", Severity: Warning,
	Summary: "an include that builds take for a comment, or whose file is not there",
	Why: "It must begin its line, with two or three dashes, and name the file in quotes. With spaces before the\n" +
		"dashes, nothing is put there.",
	Bad:   Example{Script: "local function call(...)\n  --- @include \"includes/call\"\nend\nreturn call(KEYS[1])"},
	Good:  Example{Script: "--- @include \"includes/call\"\nreturn call(KEYS[1])"},
	check: checkIncludes,
}

// includes reports whether a comment was meant to be an include.
func (p *pass) includes(c luatree.Comment) bool {
	return bundle.MeansInclude(p.tree.Text(c.Range))
}

func checkIncludes(p *pass) {
	if p.script.Problem.Text != "" {
		t := p.positions(0)
		f := p.findingIn(0, t.Line(max(1, min(p.script.Problem.Line, t.Lines()))))
		f.Rule, f.Severity, f.Message = p.rule.ID, p.l.severities[p.rule.ID], p.script.Problem.Text
		p.findings = append(p.findings, f)
	}
	for _, c := range p.tree.Comments {
		if !p.includes(c) {
			continue
		}
		if _, column := p.tree.Position(c.From); column > 1 {
			p.report(c.Range, "an include must begin its line; this one is a comment")
		}
	}
}

// lacksIncludes reports whether texts that belong to the script are not there.
func (p *pass) lacksIncludes() bool {
	if p.script.Files != nil {
		return p.script.Problem.Text != ""
	}
	return slices.ContainsFunc(p.tree.Comments, p.includes)
}

// onlyDeclares reports whether a script only declares, so that only other texts can use it.
func (p *pass) onlyDeclares() bool {
	if p.library {
		return false
	}
	for _, s := range p.tree.Main.Body.Stmts {
		if p.files.FileAt(s.Span().From) > 0 {
			continue
		}
		switch s := s.(type) {
		case *luatree.LocalFunction, *luatree.FunctionStmt:
		case *luatree.LocalStmt:
			for _, value := range s.Values {
				if !p.pure(value) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
