// Package lzf implements the LZF compression of strings in Redis's dump format.
//
// A compressed text is a sequence of instructions. A byte n below 32 is followed by n+1 literal
// bytes. Any other byte is a reference: its upper three bits are the length minus two (7: a byte
// with more length follows), its lower five bits and the next byte are the distance back, minus
// one.
package lzf
