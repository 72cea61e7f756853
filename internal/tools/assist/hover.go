package assist

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Hover is what an editor shows for a place.
type Hover struct {
	Markdown string
	Range    Range // what it is about
}

// Hover returns what is known about an offset, or nil.
func (d *Document) Hover(at int) *Hover {
	d.begin()
	defer d.end()
	i := d.tokenAt(at)
	if i < 0 {
		return nil
	}
	t := d.tokens[i]
	text := ""
	switch t.Kind {
	case luatree.StringToken, luatree.NumberToken:
		text = d.wordDoc(i)
	case luatree.NameToken:
		text = d.nameDoc(i)
	case luatree.CommentToken:
		return d.ruleDoc(at)
	}
	if text == "" {
		return nil
	}
	return &Hover{text, t.Range}
}

// wordDoc describes a string that is an argument of a command.
func (d *Document) wordDoc(i int) string {
	t := d.tokens[i]
	if t.Kind == luatree.NumberToken {
		return d.elementDoc(i)
	}
	c := d.callAt(t.From + 1)
	if !c.runsCommand() {
		return ""
	}
	word := unquote(d.textOf(i))
	if s := d.linter.Table().Resolve(append(c.words, word)); s != nil {
		at := len(c.words)
		if at == 0 || at == 1 && s.Parent != nil {
			return commandDoc(s)
		}
	}
	s, name := d.command(c)
	if s == nil {
		return ""
	}
	for _, token := range s.Expect(c.words[name:]).Tokens {
		if strings.EqualFold(token.Word, word) {
			return tokenDoc(s, token)
		}
	}
	return ""
}

// tokenDoc describes a keyword of a command.
func tokenDoc(s *cmdtable.Spec, t cmdtable.Token) string {
	text := fmt.Sprintf("```redis\n%s\n```\n\noption of %s", t.Text, commandName(s))
	if t.Arg.Since != "" {
		text += ", since " + t.Arg.Since.String()
	}
	if t.Arg.Deprecated != "" {
		text += ", deprecated since " + t.Arg.Deprecated
	}
	return text
}

// elementDoc describes KEYS[n] and ARGV[n], from the token of the number.
func (d *Document) elementDoc(number int) string {
	if number < 2 || d.textOf(number-1) != "[" {
		return ""
	}
	table := d.textOf(number - 2)
	if table != "KEYS" && table != "ARGV" {
		return ""
	}
	n, err := strconv.Atoi(d.textOf(number))
	if err != nil || d.names[table][n] == "" {
		return ""
	}
	return fmt.Sprintf("```lua\n%s[%d]\n```\n\n%s", table, n, d.names[table][n])
}

// nameDoc describes a name: a local, a library function or a global.
func (d *Document) nameDoc(i int) string {
	t := d.tokens[i]
	name := d.textOf(i)
	qualified, method := d.calleeBefore(i + 1)
	if method && i > 0 && d.textOf(i-1) == ":" {
		return entryDoc(library()["string."+name])
	}
	dotted := i > 0 && d.textOf(i-1) == "."
	if !dotted {
		if (name == "KEYS" || name == "ARGV") && i+2 < len(d.tokens) {
			if doc := d.elementDoc(i + 2); doc != "" {
				return doc
			}
		}
		if l := d.declared(name, t); l != nil {
			return d.localDoc(l)
		}
		return entryDoc(library()[name])
	}
	return entryDoc(library()[qualified])
}

// declared returns the local that a name token uses or declares.
func (d *Document) declared(name string, t luatree.Token) *luatree.Local {
	if d.tree == nil {
		return nil
	}
	l, _ := d.binding(t.From)
	if l == nil {
		l = d.local(name, t.From)
	}
	return l
}

func entryDoc(e *entry) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("```lua\n%s\n```\n\n%s", e.label(), e.text)
}

// localDoc describes a local: its declaration, the comment above it, and what it stands for.
func (d *Document) localDoc(l *luatree.Local) string {
	kind := map[luatree.Declaration]string{luatree.ByLocal: "local ", luatree.ByFunction: "local function ",
		luatree.ByFor: "(loop) ", luatree.Parameter: "(parameter) "}[l.Kind]
	text := kind + l.Name
	if f := functionOf(l); f != nil {
		text = "local function " + l.Name + d.params(f)
	} else if v := valueOf(l); v != nil {
		text += " = " + d.short(v.Span())
	}
	doc := "```lua\n" + text + "\n```"
	if c := d.commentAbove(l); c != "" {
		doc += "\n\n" + c
	}
	if e := library()[d.study.LocalLibrary(l)]; e != nil {
		doc += "\n\n" + entryDoc(e)
	}
	return doc
}

// functionOf returns the function that a local is declared with, or nil.
func functionOf(l *luatree.Local) *luatree.Function {
	if s, ok := l.Stmt.(*luatree.LocalFunction); ok {
		return s.Func
	}
	f, _ := valueOf(l).(*luatree.Function)
	return f
}

// valueOf returns the expression that a local is declared with, or nil.
func valueOf(l *luatree.Local) luatree.Expr {
	if s, ok := l.Stmt.(*luatree.LocalStmt); ok && l.Index < len(s.Values) {
		return s.Values[l.Index]
	}
	return nil
}

// params returns the parameters of a function in parentheses.
func (d *Document) params(f *luatree.Function) string {
	var names []string
	for _, p := range f.Params {
		if p.Range != (Range{}) {
			names = append(names, p.Name)
		}
	}
	if f.Vararg {
		names = append(names, "...")
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// short returns the beginning of a part of the joined text, on one line.
func (d *Document) short(r Range) string {
	text := strings.Join(strings.Fields(d.tree.Text(Range{From: r.From, To: min(r.To, r.From+300, len(d.tree.Source))})), " ")
	if runes := []rune(text); len(runes) > 70 {
		text = string(runes[:69]) + "…"
	}
	return text
}

// commentAbove returns the comments on the lines directly above a declaration.
func (d *Document) commentAbove(l *luatree.Local) string {
	line, _ := d.tree.Position(min(l.Stmt.Span().From, len(d.tree.Source)))
	var lines []string
	comments := d.tree.Comments
	for i := len(comments) - 1; i >= 0; i-- {
		c := comments[i]
		from, _ := d.tree.Position(c.From)
		to, column := d.tree.Position(c.To)
		if c.From >= l.Stmt.Span().From || to >= line || column == 1 {
			continue
		}
		if to != line-1 || strings.TrimSpace(d.tree.Source[d.tree.Line(from).From:c.From]) != "" {
			break
		}
		text := d.tree.Text(c.Range)
		if c.Long {
			text = strings.Trim(strings.TrimPrefix(text, "--"), "[]=\n ")
		}
		lines = append([]string{strings.TrimSpace(strings.TrimLeft(text, "-"))}, lines...)
		line = from
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// ruleDoc describes the rule of the linter that a comment names at an offset.
func (d *Document) ruleDoc(at int) *Hover {
	from, to := at, at
	for from > 0 && isRuleByte(d.Text[from-1]) {
		from--
	}
	for to < len(d.Text) && isRuleByte(d.Text[to]) {
		to++
	}
	rule := lint.Find(d.Text[from:to])
	if rule == nil {
		return nil
	}
	return &Hover{fmt.Sprintf("**%s** (%s): %s\n\n%s", rule.ID, rule.Severity, rule.Summary, rule.Why), Range{From: from, To: to}}
}

func isRuleByte(c byte) bool { return c == '-' || c >= 'a' && c <= 'z' }
