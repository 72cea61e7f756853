// Package screen runs a program in a terminal for tests: keys are typed, the screen is read back.
// The terminal is tmux, which is a program of its own; each [Screen] has a server of its own, so
// that none is disturbed by another or by that of a user.
package screen
