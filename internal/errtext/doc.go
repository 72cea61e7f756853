// Package errtext holds the error texts of Redis that more than one command answers. Each text
// stands once. Texts of a single command stand beside its handler.
package errtext
