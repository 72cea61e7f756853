// Package machine runs gopher-lua's bytecode by an instruction loop of our own, in place of the one in LState. It works on
// gopher-lua's frames and registers, and hands every instruction that it has no reason to run itself to gopher-lua's handler.
//
// The reasons to run one: tables must be read and written by package tables, which keeps Lua 5.1's own layout (so order and
// length cost nothing until they are asked for); % and ^ and numeric for follow C; a loop or call looks whether the script
// is to end; nesting through Go code is counted, as Lua counts C calls; and the instructions that scripts spend
// their time in are faster here.
//
// gopher-lua offers no way to do that from outside, so this package mirrors the layout of LState, and links to the
// table of handlers. [Supported] looks whether the gopher-lua that the program is built with has all of that.
package machine
