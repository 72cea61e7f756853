// Package manifest reads and writes the manifest of a multi-part append-only file, in the format of
// Redis 7.0: the list of files that together are the data.
//
//	file appendonly.aof.2.base.rdb seq 2 type b
//	file appendonly.aof.1.incr.aof seq 1 type h
//	file appendonly.aof.2.incr.aof seq 2 type i
//
// The base file (b) holds a state, the incremental files (i) the commands after it, in order.
// History files (h) are superseded and wait for their removal. The manifest lies in the directory
// of these files (appenddirname), and its name is that of the append-only file (appendfilename)
// with ".manifest". It is replaced as a whole.
package manifest
