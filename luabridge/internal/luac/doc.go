// Package luac compiles a chunk into the instructions that Lua 5.1's own compiler emits for it, one for one and with the same lines, in gopher-lua's
// encoding. A debugger stops where Redis's does because there is nothing else that it could stop at.
//
// gopher-lua's compiler emits other instructions, in another order; scripts that nobody steps through are compiled by it. The two are
// not compared with each other: both are compared with Redis, and this one instruction by instruction with what string.dump gives there.
//
// Lua compiles in one pass, so what an instruction's line is depends on how far the text has been read when it is emitted, and which
// instructions there are on what is known of an expression then. The vocabulary:
//
//   - a [function] collects the instructions of one function of the text;
//   - an [operand] is what is known of an expression: a constant, a variable not read yet, a jump that tells true from false,
//     an instruction whose register is still open, a register;
//   - a jump list is the jumps that lead to the same, yet unknown place: each holds the distance to the next.
//
// The text must be one that package syntax has parsed without complaint: what is no Lua, or exceeds its limits, is not looked for again.
package luac
