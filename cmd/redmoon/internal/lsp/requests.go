package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/redmoon-lua/redmoon/internal/tools/assist"
)

// requests answers requests about a document. A result of nil becomes null.
var requests = map[string]func(s *server, j job) (any, error){
	"textDocument/hover":             (*server).hover,
	"textDocument/completion":        (*server).completion,
	"textDocument/signatureHelp":     (*server).signatureHelp,
	"textDocument/definition":        (*server).definition,
	"textDocument/references":        (*server).references,
	"textDocument/documentHighlight": (*server).highlights,
	"textDocument/documentSymbol":    (*server).symbols,
	"textDocument/foldingRange":      (*server).folds,
	"textDocument/prepareRename":     (*server).prepareRename,
	"textDocument/rename":            (*server).rename,
	"textDocument/formatting":        (*server).formatting,
	"textDocument/codeAction":        (*server).codeActions,
}

// read decodes the parameters of a request.
func (j job) read(p any) error {
	if err := json.Unmarshal(*j.req.Params, p); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return nil
}

// at returns the place that a request is about. It is nil if the text is too long, or if a program
// has no script there.
func (s *server) at(j job) (*spot, error) {
	var p positionParams
	if err := j.read(&p); err != nil {
		return nil, err
	}
	offset := j.snap.offset(p.Position)
	if j.snap.isProgram() {
		return s.inString(j.snap, offset), nil
	}
	if d := s.document(j.snap); d != nil {
		return &spot{d, offset, nil, j.snap}, nil
	}
	return nil, nil
}

// markup returns Markdown in the format that the client takes.
func (s *server) markup(text string, formats []string) markup {
	if len(formats) == 0 || slices.Contains(formats, "markdown") {
		return markup{"markdown", text}
	}
	return markup{"plaintext", text}
}

func (s *server) hover(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil {
		return nil, err
	}
	h := d.Hover(d.at)
	if h == nil {
		return nil, nil
	}
	return hover{s.markup(h.Markdown, s.client.TextDocument.Hover.ContentFormat), d.span(h.Range.From, h.Range.To)}, nil
}

// itemKinds are the kinds of completions in the protocol.
var itemKinds = map[assist.ItemKind]int{
	assist.CommandItem: 3, assist.OptionItem: 20, assist.ElementItem: 5, assist.LocalItem: 6, assist.FunctionItem: 3,
	assist.LibraryItem: 9, assist.ValueItem: 21, assist.KeywordItem: 14, assist.RuleItem: 12,
}

func (s *server) completion(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil {
		return nil, err
	}
	c := d.Complete(d.at)
	formats := s.client.TextDocument.Completion.CompletionItem.DocumentationFormat
	list := completionList{Items: make([]completionItem, 0, len(c.Items))}
	where := d.span(c.Range.From, c.Range.To)
	for i, item := range c.Items {
		out := completionItem{
			Label: item.Label, Kind: itemKinds[item.Kind], Detail: item.Detail, SortText: fmt.Sprintf("%04d", i),
			TextEdit: &textEdit{where, item.Insert},
		}
		if item.Insert == "" {
			out.TextEdit.NewText = item.Label
		} else if item.Insert != item.Label {
			out.FilterText = item.Label
		}
		if item.Doc != "" {
			doc := s.markup(item.Doc, formats)
			out.Documentation = &doc
		}
		if item.Deprecated {
			out.Tags = []int{tagDeprecated}
		}
		list.Items = append(list.Items, out)
	}
	return list, nil
}

func (s *server) signatureHelp(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil {
		return nil, err
	}
	sig := d.Signature(d.at)
	if sig == nil {
		return nil, nil
	}
	can := s.client.TextDocument.SignatureHelp.SignatureInformation
	doc := s.markup(sig.Doc, can.DocumentationFormat)
	out := signature{Label: sig.Label, Documentation: &doc, Parameters: []parameter{}, ActiveParameter: sig.Active}
	if sig.Active < 0 {
		out.ActiveParameter = len(sig.Params) // none
	}
	at := 0
	for _, p := range sig.Params {
		from := at + strings.Index(sig.Label[at:], p)
		at = from + len(p)
		if can.ParameterInformation.LabelOffsetSupport {
			out.Parameters = append(out.Parameters, parameter{[]int{from, at}})
		} else {
			out.Parameters = append(out.Parameters, parameter{p})
		}
	}
	return signatureHelp{[]signature{out}, 0, out.ActiveParameter}, nil
}

func (s *server) definition(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil {
		return nil, err
	}
	switch l := d.Definition(d.at); {
	case l == nil:
	case d.string != nil:
		return location{j.snap.uri, d.span(l.From, l.To)}, nil
	default:
		return s.location(j.snap, *l), nil
	}
	return nil, nil
}

func (s *server) references(j job) (any, error) {
	var p referenceParams
	if err := j.read(&p); err != nil {
		return nil, err
	}
	list := []location{}
	if v := s.view(j.snap); v != nil {
		seen := map[assist.Location]bool{}
		for _, d := range append([]*assist.Document{v.Document}, v.others...) {
			for _, u := range d.References(j.snap.offset(p.Position), p.Context.IncludeDeclaration) {
				if !seen[u.Location] {
					seen[u.Location] = true
					list = append(list, s.location(j.snap, u.Location))
				}
			}
		}
	}
	return list, nil
}

func (s *server) highlights(j job) (any, error) {
	d, err := s.at(j)
	if err != nil || d == nil {
		return nil, err
	}
	list := []highlight{}
	for _, u := range d.Highlights(d.at) {
		kind := highlightRead
		if u.Write {
			kind = highlightWrite
		}
		list = append(list, highlight{d.span(u.From, u.To), kind})
	}
	return list, nil
}

var symbolKinds = map[assist.SymbolKind]int{
	assist.FunctionSymbol: symbolFunction, assist.VariableSymbol: symbolVariable, assist.RegisteredSymbol: symbolEvent,
}

func (s *server) symbols(j job) (any, error) {
	d := s.document(j.snap)
	if d == nil {
		return nil, nil
	}
	found := d.Symbols()
	if s.client.TextDocument.DocumentSymbol.Hierarchical {
		return j.snap.tree(found), nil
	}
	list := []symbolInformation{}
	var flat func(symbols []assist.Symbol)
	flat = func(symbols []assist.Symbol) {
		for _, x := range symbols {
			list = append(list, symbolInformation{x.Name, symbolKinds[x.Kind], location{j.snap.uri, j.snap.span(x.Range.From, x.Range.To)}})
			flat(x.Children)
		}
	}
	flat(found)
	return list, nil
}

func (snap *snapshot) tree(symbols []assist.Symbol) []documentSymbol {
	list := []documentSymbol{}
	for _, x := range symbols {
		list = append(list, documentSymbol{
			x.Name, x.Detail, symbolKinds[x.Kind], snap.span(x.Range.From, x.Range.To),
			snap.span(x.Selection.From, x.Selection.To), snap.tree(x.Children),
		})
	}
	return list
}

func (s *server) folds(j job) (any, error) {
	d := s.document(j.snap)
	if d == nil {
		return nil, nil
	}
	list := []foldingRange{}
	for _, f := range d.Folds(j.snap.line) {
		kind := ""
		if f.Comment {
			kind = "comment"
		}
		list = append(list, foldingRange{f.From, f.To, kind})
	}
	return list, nil
}
