// Package syntax parses Lua 5.1 into gopher-lua's AST.
//
// gopher-lua's own parser takes more than Lua 5.1 does (goto, calls of string constants), cannot tell "local
// function f" from "local f = function", and words its errors in its own way. This one accepts and
// refuses what the Lua inside Redis does, with the same texts, and gives nodes the lines that Lua's
// compiler would put into its line table.
package syntax
