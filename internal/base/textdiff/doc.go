// Package textdiff compares two texts line by line.
//
// [Hunks] finds what differs. [Unified] prints it as diff -u does, [Near] gives the lines to a
// reporter, and editors take the hunks as edits. The last two are why this is not a library that
// returns a unified diff as bytes.
package textdiff
