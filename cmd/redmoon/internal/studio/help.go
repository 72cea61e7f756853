package studio

import (
	"context"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/assist"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// bytesAt returns the offset in bytes of an offset in UTF-16 units.
func bytesAt(text string, at int) int {
	units := 0
	for i, r := range text {
		if units >= at {
			return i
		}
		units += unitsOf(r)
	}
	return len(text)
}

// unitsAt returns the offset in UTF-16 units of an offset in bytes.
func unitsAt(text string, at int) (units int) {
	for i := 0; i < min(at, len(text)); {
		r, n := utf8.DecodeRuneInString(text[i:])
		units += unitsOf(r)
		i += n
	}
	return units
}

func unitsOf(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

func newDocument(source, server string) (*assist.Document, error) {
	l, err := newLinter(server)
	if err != nil {
		return nil, err
	}
	return assist.NewDocument(l, source), nil
}

// completion is the answer to complete.
type completion struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Items []item `json:"items"`
}

type item struct {
	Label  string `json:"label"`
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
	Doc    string `json:"doc,omitempty"`
	Insert string `json:"insert,omitempty"`
}

// kinds are the names that CodeMirror has for the kinds of items.
var kinds = map[assist.ItemKind]string{
	assist.CommandItem: "method", assist.OptionItem: "enum", assist.ElementItem: "variable", assist.LocalItem: "variable",
	assist.FunctionItem: "function", assist.LibraryItem: "namespace", assist.ValueItem: "property",
	assist.KeywordItem: "keyword", assist.RuleItem: "constant",
}

func complete(source, server string, at int) (any, error) {
	d, err := newDocument(source, server)
	if err != nil {
		return nil, err
	}
	found := d.Complete(bytesAt(source, at))
	c := completion{From: unitsAt(source, found.Range.From), To: unitsAt(source, found.Range.To), Items: []item{}}
	for _, i := range found.Items {
		c.Items = append(c.Items, item{i.Label, kinds[i.Kind], i.Detail, i.Doc, i.Insert})
	}
	return c, nil
}

// known is the answer to hover. It is empty if nothing is known.
type known struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"` // Markdown
}

func hover(source, server string, at int) (any, error) {
	d, err := newDocument(source, server)
	if err != nil {
		return nil, err
	}
	h := d.Hover(bytesAt(source, at))
	if h == nil {
		return known{}, nil
	}
	return known{unitsAt(source, h.Range.From), unitsAt(source, h.Range.To), h.Markdown}, nil
}

type finding struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Line     int    `json:"line"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
}

// newLinter returns a linter for a server; "" is the default.
func newLinter(server string) (*lint.Linter, error) {
	var c lint.Config
	if server != "" {
		c.Servers = []string{server}
	}
	return lint.New(c)
}

func check(ctx context.Context, o Options, source, server string) (any, error) {
	l, err := newLinter(server)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Findings  []finding  `json:"findings"`
		Functions []function `json:"functions,omitempty"` // of a library that can be loaded
	}
	answer.Functions, _ = functionsOf(ctx, o, engine.NewScript(source), server) // a run shows the error
	answer.Findings = []finding{}
	for _, f := range l.Lint(lint.Script{Source: source}) {
		answer.Findings = append(answer.Findings, finding{unitsAt(source, f.Range.From), unitsAt(source, f.Range.To), f.Line,
			f.Severity.String(), f.Rule, f.Message})
		if len(answer.Findings) == maxElements {
			break
		}
	}
	return answer, nil
}
