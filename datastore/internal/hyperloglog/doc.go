// Package hyperloglog estimates how many different elements were added to a set, in the byte format of
// Redis: 16384 registers behind a header of 16 bytes.
//
// Vocabulary: an element's hash chooses a register (its index) and a count, the length of a run of zero bits; a
// register keeps the highest count that it was given. In the dense form each register takes 6 bits; the
// sparse form is a sequence of opcodes, each for a run of registers with one count. The header keeps the last
// estimate, the cache, and a bit that says that it is no longer good.
//
// A text is taken as it is, because clients can write any bytes: Valid looks at the header only, and a sparse
// form that does not describe 16384 registers gives [ErrCorrupted] when it is read. No text makes this package panic.
//
// Source: P. Flajolet and others, HyperLogLog (2007); the estimate is O. Ertl's (2017), as in Redis since 5.0.
package hyperloglog
