// Package inspectfile says what is in the files of a Redis: an RDB file, an append-only file, or
// the manifest of one with all its files. "redmoon inspect" prints it.
//
// A [Report] is collected in one pass over each file. Its memory has a bound that does not depend
// on the files: lists keep their first entries, tables of prefixes and keys drop their lightest
// entries when they are full, long names are cut. Only a single value or command that is large
// itself takes memory in proportion to its size.
//
// Names of keys are hostile: they are escaped before they reach a terminal or a page.
package inspectfile
