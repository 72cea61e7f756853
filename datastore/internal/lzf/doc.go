// Package lzf reads and writes the LZF compression that Redis puts strings of its dump format in.
//
// A compressed text is a row of instructions. A byte below 32 says that its value plus one bytes follow as they
// are. Any other byte is a reference: its upper three bits are the length less two (7: a byte with more
// length follows), its lower five and the byte behind are the distance back, less one.
package lzf
