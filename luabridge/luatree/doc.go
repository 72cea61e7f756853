// Package luatree parses Lua 5.1 into a syntax tree for tools: linters, formatters, editors.
//
// A [Tree] keeps what a compiler forgets: the exact range of every node, the comments, parentheses
// and which declaration each name refers to. Ranges are byte offsets; [Tree.Position] converts them
// to lines and columns.
//
// The parser uses the lexer of Redmoon's compiler and accepts the texts that the compiler accepts,
// apart from the compiler's limits on the size of functions. It also accepts a first line that
// begins with "#!", as Redis does. Nesting is limited to Lua's 200 levels, and a chain of operators
// to 1,000 parts, so no text can exhaust the stack.
//
// A Tree does not change after [Parse] and any number of goroutines may read it.
package luatree
