package assist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// ItemKind is the kind of a completion.
type ItemKind uint8

// The kinds.
const (
	CommandItem  ItemKind = iota
	OptionItem            // a keyword of a command
	ElementItem           // KEYS[n], ARGV[n]
	LocalItem             // a variable of the script
	FunctionItem          // a function of Lua, or of the script
	LibraryItem           // a table of functions
	ValueItem             // another field of a library
	KeywordItem           // a reserved word of Lua
	RuleItem              // a rule of the linter, or a word of its comments
)

// Item is a text that may be typed.
type Item struct {
	Label      string
	Kind       ItemKind
	Detail     string
	Doc        string // Markdown
	Deprecated bool
	Insert     string // replaces Range; "": Label
}

// Completion is what may be typed at a place.
type Completion struct {
	Range Range // the text that is replaced: what is typed of it
	Items []Item
}

// Complete returns what may be typed at an offset. The items are not filtered by what is typed.
func (d *Document) Complete(at int) Completion {
	d.begin()
	defer d.end()
	before := d.tokensBefore(at)
	if before > 0 {
		switch t := d.tokens[before-1]; t.Kind {
		case luatree.CommentToken:
			if d.inComment(before-1, at) {
				return d.completeComment(t, at)
			}
		case luatree.StringToken, luatree.InvalidToken:
			if d.inside(before-1, at) && strings.ContainsAny(d.Text[t.From:t.From+1], `'"`) {
				return d.completeString(before-1, at)
			}
			if d.inside(before-1, at) {
				return Completion{Range: Range{From: at, To: at}}
			}
		case luatree.NumberToken:
			if t.To == at && d.before(before-1, "[") == "" {
				return Completion{Range: Range{From: at, To: at}}
			}
		}
	}
	return d.completeCode(at, before)
}

// inComment reports whether an offset lies in a comment; the end of a line comment belongs to it.
func (d *Document) inComment(i, at int) bool {
	t := d.tokens[i]
	text := d.Text[t.From:t.To]
	long := strings.HasPrefix(text, "--[") && strings.HasSuffix(text, "]")
	return at < t.To || at == t.To && !long
}

// before returns the text of the token before token i if it is one of some words, or "".
func (d *Document) before(i int, words ...string) string {
	if i < 1 || !slices.Contains(words, d.textOf(i-1)) {
		return ""
	}
	return d.textOf(i - 1)
}

// completeComment offers the comments for the linter and the names of its rules.
func (d *Document) completeComment(t luatree.Token, at int) Completion {
	text := d.Text[t.From:at]
	from := at
	for from > t.From && (isRuleByte(d.Text[from-1])) && d.Text[from-1] != ':' {
		from--
	}
	c := Completion{Range: Range{From: from, To: at}}
	head := d.Text[t.From:from]
	switch {
	case strings.HasSuffix(head, "redmoon:"):
		for _, word := range []string{"disable", "disable-next-line", "disable-file"} {
			c.Items = append(c.Items, Item{Label: word, Kind: RuleItem, Detail: "turns rules of redmoon lint off"})
		}
	case strings.Contains(text, "redmoon:disable"):
		for _, r := range lint.Rules() {
			c.Items = append(c.Items, Item{Label: r.ID, Kind: RuleItem, Detail: r.Summary, Doc: r.Why})
		}
	}
	return c
}

// completeString offers what may stand in a string that is an argument of a command.
func (d *Document) completeString(i, at int) Completion {
	t := d.tokens[i]
	result := Completion{Range: Range{From: t.From + 1, To: at}}
	if t.Kind == luatree.StringToken {
		result.Range.To = t.To - 1
	}
	result.Items = d.argumentItems(d.callAt(at), "", d.Text[t.From+1:at])
	return result
}

// argumentItems offers the commands, subcommands or options for an argument, between quotes. typed
// decides between upper and lower case.
func (d *Document) argumentItems(c *callSite, quote, typed string) []Item {
	if !c.runsCommand() {
		return nil
	}
	lower := typed != "" && typed == strings.ToLower(typed) && typed != strings.ToUpper(typed)
	item := func(word string, kind ItemKind) Item {
		if lower {
			word = strings.ToLower(word)
		}
		return Item{Label: word, Kind: kind, Insert: quote + word + quote}
	}
	var items []Item
	add := func(s *cmdtable.Spec) {
		i := item(strings.ToUpper(s.Name), CommandItem)
		i.Detail, i.Doc, i.Deprecated = strings.Join(s.Texts(), " "), commandDoc(s), s.Deprecated != ""
		items = append(items, i)
	}
	if len(c.words) == 0 {
		for _, s := range d.linter.Table().List() { // a container whose only subcommand for scripts is HELP says nothing
			if s.Flags&cmdtable.NoScript == 0 && d.linter.Has(s.Since) && (len(s.Subs) == 0 || len(subcommands(s)) > 1) {
				add(s)
			}
		}
		return items
	}
	s, name := d.command(c)
	switch {
	case s == nil:
		return nil
	case len(s.Subs) > 0:
		for _, sub := range subcommands(s) {
			if d.linter.Has(sub.Since) && len(c.words) == 1 {
				add(sub)
			}
		}
		return items
	}
	for _, t := range s.Expect(c.words[name:]).Tokens {
		if !d.linter.Has(t.Arg.Since) || !d.linter.Has(t.Arg.From) {
			continue
		}
		i := item(t.Word, OptionItem)
		i.Detail, i.Doc, i.Deprecated = t.Text, tokenDoc(s, t), t.Arg.Deprecated != ""
		items = append(items, i)
	}
	return items
}

// completeCode offers names at a place that is neither in a string nor in a comment. before is the
// number of tokens that begin before it.
func (d *Document) completeCode(at, before int) Completion {
	from := at
	if before > 0 && d.inside(before-1, at) { // a name that is being typed
		before--
		from = d.tokens[before].From
	}
	result := Completion{Range: Range{From: from, To: at}}
	switch d.before(before, ".", ":", "[", "local", "function", "for", "goto", "...") {
	case ".", ":":
		result.Items = d.fieldItems(before - 1)
		return result
	case "[":
		if items := d.elementItems(before-2, false); items != nil {
			result.Items = items
			return result
		}
	case "local":
		result.Items = []Item{{Label: "function", Kind: KeywordItem}}
		return result
	case "function", "for", "...":
		return result
	}
	if c := d.callAt(from); c.runsCommand() && strings.TrimSpace(d.Text[min(c.from, from):from]) == "" {
		result.Items = d.argumentItems(c, "'", d.Text[from:at])
	}
	result.Items = append(result.Items, d.headerItems()...)
	result.Items = append(result.Items, d.localItems(from)...)
	result.Items = append(result.Items, d.globalItems()...)
	return result
}

// fieldItems offers the fields of the library before a "." or the string functions behind a ":".
func (d *Document) fieldItems(dot int) []Item {
	of, _ := d.calleeBefore(dot)
	method := d.textOf(dot) == ":"
	if method {
		of = "string"
	}
	var items []Item
	for _, e := range fields(of) {
		if method && !e.isFunc {
			continue
		}
		kind := ValueItem
		if e.isFunc {
			kind = FunctionItem
		}
		items = append(items, Item{Label: e.name[strings.LastIndexByte(e.name, '.')+1:], Kind: kind, Detail: e.label(), Doc: e.text})
	}
	return items
}

// elementItems offers the numbers of KEYS or ARGV, or the whole elements. table is a token.
func (d *Document) elementItems(table int, whole bool) []Item {
	if table < 0 {
		return nil
	}
	return d.elements(d.textOf(table), whole)
}

func (d *Document) elements(table string, whole bool) []Item {
	names := d.names[table]
	if table != "KEYS" && table != "ARGV" {
		return nil
	}
	items := []Item{}
	for n := 1; n <= len(names)+50; n++ {
		if name, ok := names[n]; ok {
			label := fmt.Sprint(n)
			if whole {
				label = fmt.Sprintf("%s[%d]", table, n)
			}
			items = append(items, Item{Label: label, Kind: ElementItem, Detail: name})
		}
	}
	return items
}

// headerItems offers the elements of KEYS and ARGV that the header names.
func (d *Document) headerItems() []Item {
	if luatext.IsLibrary(d.Text) {
		return nil
	}
	return append(d.elements("KEYS", true), d.elements("ARGV", true)...)
}

// localItems offers the locals that are visible at an offset.
func (d *Document) localItems(at int) []Item {
	if d.tree == nil {
		return nil
	}
	var items []Item
	seen := map[string]bool{}
	for _, l := range slices.Backward(d.tree.Locals) {
		if seen[l.Name] || !l.VisibleAt(d.inScript(at)) || l.Name == "arg" && l.Range == (Range{}) {
			continue
		}
		seen[l.Name] = true
		i := Item{Label: l.Name, Kind: LocalItem}
		if f := functionOf(l); f != nil {
			i.Kind, i.Detail = FunctionItem, l.Name+d.params(f)
		} else if v := valueOf(l); v != nil {
			i.Detail = "= " + d.short(v.Span())
		}
		items = append(items, i)
	}
	return items
}

// globalItems offers the globals and the reserved words.
func (d *Document) globalItems() []Item {
	var items []Item
	isLibrary := luatext.IsLibrary(d.Text)
	for _, name := range luatext.GlobalNames() {
		if isLibrary && (name == "KEYS" || name == "ARGV") || name == "__redis__err__handler" {
			continue
		}
		i := Item{Label: name, Kind: LibraryItem}
		if e := library()[name]; e != nil {
			i.Detail, i.Doc = e.label(), e.text
			if e.isFunc {
				i.Kind = FunctionItem
			}
		}
		items = append(items, i)
	}
	for name := range d.linter.Globals() {
		items = append(items, Item{Label: name, Kind: LibraryItem, Detail: "global of the configuration"})
	}
	for _, word := range keywords {
		items = append(items, Item{Label: word, Kind: KeywordItem})
	}
	return items
}
