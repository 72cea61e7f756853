// Package syntax cuts a text into the tokens of Lua 5.1, and reports its syntax errors.
//
// It accepts and refuses what the Lua in Redis does, with the same error messages, and says at
// which line each token ends. There is no parser here: package luac emits code while it reads
// tokens, as Lua does, and package luatree builds trees for tools.
package syntax
