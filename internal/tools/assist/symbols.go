package assist

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// SymbolKind is the kind of a symbol.
type SymbolKind uint8

// The kinds.
const (
	FunctionSymbol   SymbolKind = iota
	VariableSymbol              // a local of the script itself
	RegisteredSymbol            // a function that a library registers
)

// Symbol is something that a script declares.
type Symbol struct {
	Name, Detail string
	Kind         SymbolKind
	Range        Range // the whole declaration
	Selection    Range // its name
	Children     []Symbol
}

// Symbols returns the functions of a script and the locals outside of functions.
func (d *Document) Symbols() []Symbol {
	d.begin()
	defer d.end()
	if d.tree == nil {
		return nil
	}
	var list []Symbol
	luatree.Walk(d.tree.Main.Body, func(n luatree.Node) bool {
		list = append(list, d.symbolsOf(n)...)
		return true
	})
	slices.SortStableFunc(list, func(a, b Symbol) int {
		if a.Range.From != b.Range.From {
			return a.Range.From - b.Range.From
		}
		return b.Range.To - a.Range.To
	})
	nested, _ := nest(list, len(d.Text)+1)
	return nested
}

// symbolsOf returns what a statement declares in the script.
func (d *Document) symbolsOf(n luatree.Node) []Symbol {
	switch n := n.(type) {
	case *luatree.LocalFunction:
		return d.symbol(n.Name.Name, d.params(n.Func), FunctionSymbol, n.Range, n.Name.Range)
	case *luatree.FunctionStmt:
		at := n.Target.Span()
		return d.symbol(d.tree.Text(at), d.params(n.Func), FunctionSymbol, n.Range, at)
	case *luatree.LocalStmt:
		var list []Symbol
		for i, l := range n.Names {
			if f := functionOf(l); f != nil {
				list = append(list, d.symbol(l.Name, d.params(f), FunctionSymbol, Range{From: n.From, To: n.Values[i].Span().To}, l.Range)...)
			} else if l.Owner == d.tree.Main && l.Name != "_" {
				list = append(list, d.symbol(l.Name, d.valueText(l), VariableSymbol, l.Range, l.Range)...)
			}
		}
		return list
	case *luatree.Call:
		if d.study.Library(n.Func) == "redis.register_function" {
			if name := registeredName(n); name != nil {
				return d.symbol(name.Value, "registered", RegisteredSymbol, n.Range, name.Range)
			}
		}
	}
	return nil
}

func (d *Document) valueText(l *luatree.Local) string {
	if v := valueOf(l); v != nil {
		return d.short(v.Span())
	}
	return ""
}

// registeredName returns the name of a function in a call of redis.register_function.
func registeredName(c *luatree.Call) *luatree.String {
	if len(c.Args) == 2 {
		name, _ := c.Args[0].(*luatree.String)
		return name
	}
	if len(c.Args) != 1 {
		return nil
	}
	t, ok := c.Args[0].(*luatree.Table)
	if !ok {
		return nil
	}
	for _, f := range t.Fields {
		if key, ok := f.Key.(*luatree.String); ok && key.Value == "function_name" {
			name, _ := f.Value.(*luatree.String)
			return name
		}
	}
	return nil
}

// symbol returns a symbol with ranges of the joined text, or nothing if it is not in the script.
func (d *Document) symbol(name, detail string, kind SymbolKind, r, selection Range) []Symbol {
	whole, ok := d.own(r)
	at, inside := d.own(selection)
	if !ok || !inside || strings.TrimSpace(name) == "" {
		return nil
	}
	at.From, at.To = max(at.From, whole.From), min(at.To, whole.To)
	return []Symbol{{Name: name, Detail: detail, Kind: kind, Range: whole, Selection: at}}
}

// nest puts symbols that begin before an offset into those around them, and returns the rest.
func nest(list []Symbol, end int) (nested, rest []Symbol) {
	for len(list) > 0 && list[0].Range.From < end {
		s := list[0]
		s.Children, list = nest(list[1:], s.Range.To)
		nested = append(nested, s)
	}
	return nested, list
}
