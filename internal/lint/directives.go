package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// directive is a comment that disables rules.
type directive struct {
	at    luatree.Range // of the comment, in the script without the texts in front
	line  int           // the line it is about; 0: all lines
	rules []string      // empty: all
	used  map[string]bool
}

const (
	directivePrefix = "redmoon:"
	disableLine     = "disable"
	disableNext     = "disable-next-line"
	disableFile     = "disable-file"
)

// disable removes the findings that comments disable, and adds findings about such comments.
func (p *pass) disable(found []Finding) []Finding {
	list := p.directives()
	kept := found[:0]
	for _, f := range found {
		hidden := false
		for _, d := range list {
			if (d.line == 0 || d.line == f.Line) && (len(d.rules) == 0 || slices.Contains(d.rules, f.Rule)) {
				hidden = true
				d.used[f.Rule] = true
			}
		}
		if !hidden {
			kept = append(kept, f)
		}
	}
	for _, d := range list {
		for _, rule := range d.rules {
			if Find(rule) != nil && !d.used[rule] && p.l.severities[rule] != Off && d.line > 0 && !p.script.Part {
				kept = append(kept, p.aboutDirective(d.at, fmt.Sprintf("%s finds nothing here that could be disabled", rule))...)
			}
		}
	}
	return append(kept, p.problems...)
}

// aboutDirective returns a finding about a comment for the linter.
func (p *pass) aboutDirective(at luatree.Range, message string) []Finding {
	if p.l.severities[badDirective.ID] == Off {
		return nil
	}
	f := Finding{Rule: badDirective.ID, Severity: p.l.severities[badDirective.ID], Message: message, Range: at}
	place(&f, p.text)
	return []Finding{f}
}

// directives reads the comments for the linter.
func (p *pass) directives() []*directive {
	var list []*directive
	t := p.text
	for _, c := range p.tree.Comments {
		if c.From < p.base || len(p.problems) > MaxFindings {
			continue
		}
		text := strings.TrimSpace(strings.TrimLeft(p.tree.Text(c.Range), "-["))
		text, ok := strings.CutPrefix(text, directivePrefix)
		if !ok {
			continue
		}
		at := luatree.Range{From: c.From - p.base, To: c.To - p.base}
		text, _, _ = strings.Cut(text, "--") // a reason follows
		text = strings.TrimRight(text, "] ")
		words := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n' })
		d := &directive{at: at, used: map[string]bool{}}
		d.line, _ = t.Position(at.From)
		switch first(words) {
		case disableLine:
		case disableNext:
			line, _ := t.Position(at.To)
			d.line = line + 1
		case disableFile:
			d.line = 0
		default:
			p.problems = append(p.problems, p.aboutDirective(at, fmt.Sprintf("redmoon:%s is not understood; known are %s, %s and %s",
				first(words), disableLine, disableNext, disableFile))...)
			continue
		}
		for _, rule := range words[1:] {
			if d.rules = append(d.rules, rule); Find(rule) == nil {
				p.problems = append(p.problems, p.aboutDirective(at, fmt.Sprintf("there is no rule %s", rule))...)
			}
		}
		list = append(list, d)
	}
	return list
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
