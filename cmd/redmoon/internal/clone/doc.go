// Package clone copies the data of a running Redis server into an RDB file.
//
// It asks the server for a copy as a replica does (SYNC), and hangs up when the copy is there. If
// the server refuses that, it reads the keys one by one (SCAN, DUMP) and writes the same file.
//
// The server is not trusted. A length that it announces reserves no memory, lines are short, the
// file is checked from beginning to end before it gets its name, and a server that sends nothing
// for [Silence] is given up.
package clone
