// Package aof reads and writes the files of an append-only file that consist of commands: RESP
// arrays of bulk strings, and annotation lines that begin with #.
//
// A [Reader] reads one file. It distinguishes a file that ends too early, which a crash can leave,
// from one whose bytes are wrong, and says up to where the file is whole. A transaction without its
// EXEC is not whole: [Reader.Safe] lies before its MULTI.
//
// A [Writer] appends to one file after another. It has one goroutine, which writes, flushes, and
// runs the callbacks of [Writer.OnSafe]: all callers that wait share one flush.
//
// A position counts the bytes that were appended to a Writer since it was made, over all files.
package aof
