// Package hyperloglog estimates how many different elements were added to a set, in the byte format
// of Redis: a header of 16 bytes and 16384 registers.
//
// Vocabulary: an element's hash selects a register (its index) and a count, the length of a run of
// zero bits; a register holds the greatest count of its elements. In the dense form each register
// takes 6 bits. The sparse form is a sequence of opcodes, each for a run of registers with the same
// count. The header holds the last estimate, the cache, and a bit that marks it as stale.
//
// Clients can write any bytes: Valid checks only the header and the length, and reading a sparse
// form that does not describe 16384 registers returns [ErrCorrupted]. No valid text makes this
// package panic.
//
// Source: P. Flajolet and others, HyperLogLog (2007); the estimate is O. Ertl's (2017), as in Redis
// since 5.0.
package hyperloglog
