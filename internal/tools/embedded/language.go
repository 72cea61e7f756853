package embedded

import (
	"path/filepath"
	"strings"
)

// language says how the texts of a programming language are cut into tokens.
type language struct {
	name  string // as in Rule.Languages
	ends  []string
	line  []string // what begins a comment up to the end of the line
	block [2]string
	nests bool // comments nest
	// literal reads a string, a character or a regular expression at s.at, and returns false if
	// there is none.
	literal func(s *programScanner) bool
	// concat is the operator that joins strings, and joined says that strings that follow one
	// another are one, too.
	concat string
	joined bool
	// indented says that blocks are known by their indentation, and not by braces.
	indented bool
	// lineEnds says that a line break ends a statement if an expression can end there.
	lineEnds bool
	// functions are the words in front of the name of a function.
	functions []string
	crlf      bool // line breaks of Windows stay as they are
}

// languages is the table of languages.
func languages() []*language {
	slashes := []string{"//"}
	stars := [2]string{"/*", "*/"}
	return []*language{
		{name: "go", ends: []string{".go"}, concat: "+", lineEnds: true, functions: []string{"func"}},
		{name: "javascript", ends: []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts"}, line: slashes, block: stars,
			literal: javaScriptLiteral, concat: "+", lineEnds: true, functions: []string{"function"}},
		{name: "python", ends: []string{".py", ".pyi"}, line: []string{"#"}, literal: pythonLiteral, concat: "+", joined: true,
			indented: true, lineEnds: true, functions: []string{"def"}},
		{name: "ruby", ends: []string{".rb", ".rake"}, line: []string{"#"}, literal: rubyLiteral, concat: "+", joined: true,
			indented: true, lineEnds: true, functions: []string{"def"}},
		{name: "php", ends: []string{".php"}, line: []string{"//", "#"}, block: stars, literal: phpLiteral, concat: ".",
			functions: []string{"function"}, crlf: true},
		{name: "java", ends: []string{".java"}, line: slashes, block: stars, literal: javaLiteral, concat: "+"},
		{name: "kotlin", ends: []string{".kt", ".kts"}, line: slashes, block: stars, nests: true, literal: kotlinLiteral, concat: "+",
			lineEnds: true, functions: []string{"fun"}},
		{name: "csharp", ends: []string{".cs"}, line: slashes, block: stars, literal: cSharpLiteral, concat: "+", crlf: true},
		{name: "rust", ends: []string{".rs"}, line: slashes, block: stars, nests: true, literal: rustLiteral, concat: "+",
			functions: []string{"fn"}},
	}
}

// languageOf returns the language of a file by the end of its name, or nil.
func languageOf(path string) *language {
	end := strings.ToLower(filepath.Ext(path))
	for _, l := range languages() {
		for _, e := range l.ends {
			if e == end {
				return l
			}
		}
	}
	return nil
}

// Knows reports whether Find can read a file with this name.
func Knows(path string) bool { return languageOf(path) != nil }
