// Package luac compiles Lua texts into the instructions that Lua 5.1's own compiler emits, one for
// one and with the same lines, in gopher-lua's encoding. So a debugger stops where Redis's does,
// and errors name the same lines and variables.
//
// The tests compare instructions with those that string.dump returns on redis-server.
//
// Lua compiles in one pass. The line of an instruction depends on how far the text has been read
// when it is emitted, and the choice of instructions depends on what is known of an expression
// then. The vocabulary:
//
//   - a [funcState] collects the instructions of one function of the text;
//   - an [expDesc] is an expression that is being compiled: a constant, a variable that has not
//     been read yet, a jump that depends on it, an instruction whose register is still open, or a
//     register;
//   - a jump list contains the jumps to the same, still unknown place. Each holds the distance to
//     the next.
//
// Functions, types and kinds of expressions have the names of lparser.c, lcode.c and ldebug.c in
// Go's spelling: luaK_patchtohere is patchToHere, test_then_block is testThenBlock, VNONRELOC is
// vNonReloc. Where one has another name, its comment gives Lua's. Lua has nothing like the files
// given.go, places.go and tape.go.
//
// A Machine of package machine runs the code after machine.Adapt.
package luac
