// Package machine runs code of package luac by an instruction loop of our own, which replaces the
// loop of LState. It works on gopher-lua's frames and registers. It passes the instructions that it
// has no reason to run itself to gopher-lua's handlers.
//
// It runs an instruction itself
//
//   - to read and write tables through package tables, which keeps Lua 5.1's own layout;
//   - to compute %, ^ and numeric loops as C does;
//   - to check at each loop and call whether the script must end;
//   - to count nested Go code, as Lua counts C calls;
//   - for speed, if scripts spend much of their time in it.
//
// gopher-lua does not offer this from outside. So this package mirrors the layout of LState, and
// links to the table of handlers. [Supported] checks that gopher-lua is as expected.
package machine
