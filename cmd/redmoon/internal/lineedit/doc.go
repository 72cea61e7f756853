// Package lineedit reads the lines of a dialogue: an [Editor] at a terminal, with history,
// completion and hints, and a [Plain] reader from a pipe. An [Assistant] knows what the lines mean.
package lineedit
