// Package listpack stores a sequence of strings and integers in one block of bytes, in the listpack
// format of Redis 7.0. Small hashes and sorted sets, and the nodes of lists and streams, are
// listpacks, in memory and in DUMP.
//
// A listpack is a header of 6 bytes (little endian: total bytes in 32 bits, number of entries in
// 16, where 65535 means that they must be counted), the entries, and the byte 0xFF. An entry is its
// encoding, its data, and the length of both, written so that it can be read backwards:
//
//	0xxxxxxx                     integer 0 to 127
//	10xxxxxx text                text of up to 63 bytes
//	110xxxxx xxxxxxxx            integer of 13 bits
//	1110xxxx xxxxxxxx text       text of up to 4095 bytes
//	0xF0, length in 4 bytes, text
//	0xF1 to 0xF4                 integer of 16, 24, 32 or 64 bits, little endian
//
// A text that is the decimal form of a 64-bit integer is stored as the integer, so that each text
// has exactly one encoding.
//
// Positions are offsets of entries in the block. After a change of the list, only positions before
// the change are still valid. Strings returned are copies.
package listpack
