// Package intset stores distinct integers in ascending order in one block of bytes, in Redis's
// intset format.
//
// An intset consists of, in little endian: the width of an integer in bytes (2, 4 or 8) in 32 bits,
// the number of integers in 32 bits, and the integers. The width grows when an integer needs it,
// and never shrinks.
package intset
