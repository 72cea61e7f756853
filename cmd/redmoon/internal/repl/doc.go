// Package repl is the dialogue of "redmoon repl" and "redmoon debug". It runs each line, which is a
// Redis command, Lua code or a command of the prompt, and prints the reply as redis-cli does.
// Package lineedit reads the lines, and package backend runs commands and scripts.
//
// The tables of the prompt's commands are in the files *_commands.go, breakpoints.go and
// inspect.go. The help text, completion and docs/repl.md are derived from them.
//
// A dialogue reads lines. Its parts run them, each with the state that it owns:
//
//   - runner: Redis commands, the loaded script and Lua.
//   - breakpoints: where scripts stop.
//   - player: steps through the current script, and shows what it and other scripts do.
//   - inspector: shows and changes the variables of the current script.
//   - data: keys, snapshots, the clock.
//   - helper: describes commands. assistant completes what is typed.
//
// Parts share printer, which prints, and caller, whose calls Ctrl-C ends.
//
// Ctrl-C at the prompt clears the line. While a command runs, Ctrl-C stops a script that has
// written nothing. The engine and its data exist until the dialogue ends.
package repl
