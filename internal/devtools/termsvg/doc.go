// Command termsvg records a terminal session as an animated SVG picture:
//
//	go run ./internal/devtools/termsvg docs/images/demo.tape docs/images/demo.svg
//
// The tape has a command on each line; # begins a comment:
//
//	size 80 24          the terminal, before anything else
//	title redmoon       the text above it
//	type :debug stock   types text, a letter at a time
//	press Enter Tab     presses keys by tmux's names
//	await go1\.         waits until the screen matches a regular expression
//	pause 1.5           lets the watcher read for so many seconds
//
// The session runs in tmux, in a new folder, with bash and the program redmoon, which is built
// first. The files of the folder are those behind a line "-- NAME --", as in a txtar archive. The
// time of the picture is made from the tape: letters take 45 ms, keys 300 ms, so that two
// recordings differ only where the output differs.
package main
