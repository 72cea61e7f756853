// Package intset keeps distinct integers, ascending, in one block of bytes, in the format that Redis calls intset.
//
// An intset is, little endian, the width of a number in bytes (2, 4 or 8) in 32 bits, the number of
// integers in 32 bits, and the integers. The width grows when a number needs it, and never shrinks.
package intset
