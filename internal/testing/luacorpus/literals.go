package luacorpus

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// literal is a text that a program contains.
type literal struct {
	line int // at which it begins
	text string
}

// goLiterals returns the texts of a Go file. Texts that + joins are one.
func goLiterals(source string) ([]literal, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []literal
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := goText(e)
		if ok {
			list = append(list, literal{files.Position(e.Pos()).Line, text})
		}
		return !ok
	})
	return list, nil
}

// goText returns the text that an expression of Go is.
func goText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, ok := goText(e.X)
		if !ok || e.Op != token.ADD {
			return "", false
		}
		right, ok := goText(e.Y)
		return left + right, ok
	}
	return "", false
}

// jsLiterals returns the texts of a JavaScript file. It knows comments, and regular expressions by
// what stands before them. Templates with ${…} are left out.
func jsLiterals(source string) []literal {
	var list []literal
	last := byte('(') // the last byte that is neither space nor comment
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case strings.HasPrefix(source[i:], "//"):
			i = after(source, i, "\n") - 1
			continue
		case strings.HasPrefix(source[i:], "/*"):
			i = after(source, i+2, "*/") - 1
			continue
		case c == '/' && strings.IndexByte("(,=:[!&|?{};\n", last) >= 0:
			i = closing(source, i+1, '/')
		case c == '\'' || c == '"' || c == '`':
			end := closing(source, i+1, c)
			text := source[i+1 : end]
			if c != '`' || !strings.Contains(text, "${") {
				list = append(list, literal{strings.Count(source[:i], "\n") + 1, jsUnescape(text)})
			}
			i = end
		}
		last = source[min(i, len(source)-1)]
	}
	return list
}

// after returns the place behind the next occurrence of a text, or the end.
func after(source string, from int, text string) int {
	if at := strings.Index(source[from:], text); at >= 0 {
		return from + at + len(text)
	}
	return len(source)
}

// closing returns the place of a closing character that no backslash escapes, or the end.
func closing(source string, from int, c byte) int {
	for i := from; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return len(source)
}

// jsUnescape replaces the escapes that scripts in JavaScript have.
var jsEscapes = strings.NewReplacer("\\\r\n", "", "\\\n", "", `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, "'", `\"`, `"`, "\\`", "`",
	`\\`, `\`, `\$`, "$")

func jsUnescape(text string) string { return jsEscapes.Replace(text) }
