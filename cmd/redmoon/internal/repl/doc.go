// Package repl is the dialogue of "redmoon repl": it reads command lines, runs them in one session
// of an engine and prints the replies as redis-cli does. At a terminal lines come from an [Editor],
// with history, completion and hints; from a pipe they come as they are.
//
// Ctrl-C at the prompt clears the line. While a command runs, it stops a script that has written
// nothing; the engine and its data live until the dialogue ends.
package repl
