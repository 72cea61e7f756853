// Package inspectfile says what is in the files of a Redis: an RDB file, an append-only file, or
// the manifest of one with all its files. "redmoon inspect" prints it.
//
// A [Report] is collected in one pass over each file. Its memory has a bound that does not depend
// on the files: lists keep their first entries, tables of prefixes and keys drop their lightest
// entries when they are full, long names are cut. Only a single value or command that is large
// itself takes memory in proportion to its size.
//
// [Compare] does not use package keydiff, which has both states in memory: it knows of each key
// only a digest, reads files that are larger than the memory part by part, and also reports what is
// not in a keyspace, such as the encoding and the size in the file.
//
// Names of keys are hostile: they are escaped before they reach a terminal or a page.
package inspectfile
