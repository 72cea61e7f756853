package syntax

import "github.com/yuin/gopher-lua/ast"

// Chunk is a text that has been parsed.
type Chunk struct {
	Stmts []ast.Stmt
	Last  int              // the line of the last token, where Lua returns
	Tests map[ast.Expr]int // the lines where Lua tests what decides a condition, an "and" or an "or"
	Loads map[ast.Expr]int // the lines where Lua makes a boolean of a comparison
	Again map[ast.Stmt]int // the lines where Lua decides whether a for loop goes on
}
