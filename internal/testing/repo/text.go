package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The greatest widths of lines in characters. A tab counts as one.
const (
	MaxProse = 100 // comment lines of Go, prose of Markdown
	MaxCode  = 140 // lines of Go code
)

// Line is a line of prose or code, or a declared name.
type Line struct {
	Number int // from 1
	Text   string
	Kind   LineKind
}

// LineKind says what a [Line] is and so which checks apply to it.
type LineKind int

// The kinds of lines.
const (
	Comment   LineKind = iota // a whole line of a comment in Go
	Trailing                  // the text of a comment behind code
	Directive                 // a comment for a tool, the output of an example, a link definition: may be long
	Code                      // a line of Go code
	Literal                   // a line within a raw string: text of another language, may be long
	Name                      // an identifier declared in Go
	Prose                     // a line of Markdown prose, without code spans and link targets
	Table                     // a line of a Markdown table or heading: may be long
)

// Width returns the number of characters of s.
func Width(s string) int { return utf8.RuneCountInString(s) }

var generated = regexp.MustCompile("(?m)" +
	"^// Code generated .* DO NOT EDIT\\.$" +
	"|^This file is written by `go generate|^`go generate [^`]*` writes this file|^<!-- Code generated")

// IsGenerated reports whether a Go file or a document carries a mark of generated files.
func IsGenerated(source []byte) bool { return generated.Match(source) }

// GoLines cuts Go source into lines of comments and of code, and appends the names that it
// declares.
func GoLines(source []byte) ([]Line, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	text := strings.Split(string(source), "\n")
	lines := make([]Line, len(text))
	for i, t := range text {
		lines[i] = Line{Number: i + 1, Text: t, Kind: Code}
	}
	for _, group := range file.Comments {
		output := false // below "Output:" stands what an example prints
		for _, c := range group.List {
			from, to := fset.Position(c.Pos()), fset.Position(c.End())
			if strings.TrimSpace(text[from.Line-1][:from.Column-1]) != "" {
				lines = append(lines, Line{Number: from.Line, Text: c.Text, Kind: Trailing})
				continue
			}
			for n := from.Line; n <= to.Line; n++ {
				output = output || isOutput(text[n-1])
				lines[n-1].Kind = Comment
				if output || mayBeLong(text[n-1]) {
					lines[n-1].Kind = Directive
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			for i := fset.Position(lit.Pos()).Line; i < fset.Position(lit.End()).Line; i++ {
				lines[i].Kind = Literal // the line after i, which is an index
			}
		}
		for _, id := range declared(n) {
			lines = append(lines, Line{Number: fset.Position(id.Pos()).Line, Text: id.Name, Kind: Name})
		}
		return true
	})
	return lines, nil
}

var output = regexp.MustCompile(`(?i)^\s*//\s*(unordered )?output:`)

func isOutput(line string) bool { return output.MatchString(line) }

var directive = regexp.MustCompile(`^\s*//([a-z]+:\S|export |line |\s*\[[^\]]+\]: )`)

var oneWord = regexp.MustCompile(`^\s*//\s*\S+$`)

// mayBeLong reports whether a comment line cannot be wrapped: a directive, a link definition, or a
// single word such as an address.
func mayBeLong(line string) bool {
	return directive.MatchString(line) || Width(line) > MaxProse && oneWord.MatchString(line)
}

// declared returns the names that a node of the syntax tree declares.
func declared(n ast.Node) []*ast.Ident {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{n.Name}
	case *ast.TypeSpec:
		return []*ast.Ident{n.Name}
	case *ast.ValueSpec:
		return n.Names
	case *ast.Field:
		return n.Names
	case *ast.LabeledStmt:
		return []*ast.Ident{n.Label}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return identifiers(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			return identifiers(n.Key, n.Value)
		}
	}
	return nil
}

func identifiers(list ...ast.Expr) []*ast.Ident {
	var names []*ast.Ident
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok {
			names = append(names, id)
		}
	}
	return names
}

var (
	codeSpan   = regexp.MustCompile("`[^`]*`")
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
)

// MarkdownLines returns the lines of prose of a Markdown document, and its tables and headings.
// Code blocks are left out.
func MarkdownLines(source []byte) []Line {
	var lines []Line
	fence := ""
	for i, text := range strings.Split(string(source), "\n") {
		trimmed := strings.TrimSpace(text)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(trimmed, "```") {
			fence = "```"
			continue
		}
		kind := Prose
		if strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#") || linkOnly(trimmed) {
			kind = Table
		}
		lines = append(lines, Line{Number: i + 1, Text: text, Kind: kind})
	}
	return lines
}

var linkLine = regexp.MustCompile(`^([-*] )?(\[[^\]]*\]\([^)]*\)|\S+|\[[^\]]+\]: .*)[.,;:]?$`)

// linkOnly reports whether a line is one link or one word, which cannot be wrapped.
func linkOnly(line string) bool { return linkLine.MatchString(line) }

// plain is a line of Markdown without what is quoted or addressed.
func plain(text string) string {
	return linkTarget.ReplaceAllString(codeSpan.ReplaceAllString(text, "``"), "]")
}
