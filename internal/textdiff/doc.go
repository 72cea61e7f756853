// Package textdiff compares two texts line by line.
//
// [Hunks] finds what differs; [Unified] prints it as diff -u does.
package textdiff
