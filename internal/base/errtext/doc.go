// Package errtext holds the error texts of Redis that several commands use. Texts of a single
// command are next to its handler.
package errtext
