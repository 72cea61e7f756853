// Package screen runs a program in a terminal for tests: keys are typed, the screen is read back.
// The terminal is tmux, which is a program of its own; each [Screen] has a tmux server of its own,
// independent of other screens and of the user's.
package screen
