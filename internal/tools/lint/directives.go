package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// directive is a comment that disables rules.
type directive struct {
	file  int           // in which it stands
	at    luatree.Range // of the comment, in the file
	name  string        // of the file
	line  int           // the line it is about; 0: all lines
	rules []string      // empty: all, unless unknown is set

	unknown bool // it names something that is not a rule
	used    map[string]bool
}

// hides reports whether a comment disables a finding.
func (d *directive) hides(f *Finding) bool {
	return d.name == f.File && (d.line == 0 || d.line == f.Line) && (len(d.rules) == 0 && !d.unknown || slices.Contains(d.rules, f.Rule))
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
			if d.hides(&f) {
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
				kept = append(kept, p.aboutDirective(d.file, d.at, fmt.Sprintf("%s finds nothing here that could be disabled", rule))...)
			}
		}
	}
	return append(kept, p.problems...)
}

// aboutDirective returns a finding about a comment for the linter.
func (p *pass) aboutDirective(file int, at luatree.Range, message string) []Finding {
	if p.l.severities[badDirective.ID] == Off {
		return nil
	}
	f := p.findingIn(file, at)
	f.Rule, f.Severity, f.Message = badDirective.ID, p.l.severities[badDirective.ID], message
	return []Finding{f}
}

// directives reads the comments for the linter.
func (p *pass) directives() []*directive {
	var list []*directive
	for _, c := range p.tree.Comments {
		if len(p.problems) > MaxFindings {
			continue
		}
		text, ok := strings.CutPrefix(strings.TrimSpace(commentText(p.tree.Text(c.Range))), directivePrefix)
		if !ok {
			continue
		}
		file, at, _ := p.where(c.Range)
		t := p.positions(file)
		text, _, _ = strings.Cut(text, "--") // a reason follows
		words := strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n' })
		d := &directive{file: file, name: p.files.Files[file], at: at, used: map[string]bool{}}
		d.line, _ = t.Position(at.From)
		switch first(words) {
		case disableLine:
		case disableNext:
			line, _ := t.Position(at.To)
			d.line = line + 1
		case disableFile:
			d.line = 0
		default:
			p.problems = append(p.problems, p.aboutDirective(file, at, fmt.Sprintf("redmoon:%s is not understood; known are %s, %s and %s",
				cut(first(words)), disableLine, disableNext, disableFile))...)
			continue
		}
		for _, rule := range words[1:] {
			if Find(rule) != nil {
				d.rules = append(d.rules, rule)
			} else if d.unknown = true; len(p.problems) < MaxFindings {
				p.problems = append(p.problems, p.aboutDirective(file, at, "there is no rule "+cut(rule))...)
			}
		}
		list = append(list, d)
	}
	return list
}

// commentText returns a comment without its marks: "--", or "--[[" and "]]".
func commentText(comment string) string {
	text := strings.TrimLeft(comment, "-")
	if rest, ok := strings.CutPrefix(text, "["); ok {
		level := len(rest) - len(strings.TrimLeft(rest, "="))
		if strings.HasPrefix(rest[level:], "[") {
			return strings.TrimSuffix(rest[level+1:], "]"+rest[:level]+"]")
		}
	}
	return text
}

// cut returns the beginning of a word for a message.
func cut(word string) string {
	const longest = 40
	if len(word) <= longest {
		return word
	}
	return strings.ToValidUTF8(word[:longest], "") + "…"
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
