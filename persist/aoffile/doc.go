// Package aoffile reads the append-only files of Redis, for programs that look into them: the
// commands of one file with their places, the files that a manifest lists, and what is wrong with
// a file. It opens nothing for writing.
//
// Readers trust nothing that they read. They take memory in proportion to the largest command.
package aoffile
