// Package ziplist reads the formats in which Redis kept small values before 7.0: ziplists and, before 2.6,
// zipmaps. Dumps of those versions hold them; nothing writes them any more.
//
// A ziplist is a header of 10 bytes (little endian: total bytes in 32 bits, offset of the last entry in 32, number of
// entries in 16, where 65535 means that they must be counted), the entries, and the byte 0xFF. An entry is
// the size of the one before it (one byte, or 0xFE and 4 bytes), its encoding, and its data:
//
//	00xxxxxx text                    text of up to 63 bytes
//	01xxxxxx xxxxxxxx text           text of up to 16383 bytes, big endian
//	10______, length in 4 bytes, text
//	0xC0, 0xD0, 0xE0                 integer of 16, 32 or 64 bits, little endian
//	0xF0, 0xFE                       integer of 24 or 8 bits
//	0xF1 to 0xFD                     integer 0 to 12
//
// A zipmap is a byte that counts its pairs (254: count them), the pairs, and the byte 0xFF. Field and value are a
// length (one byte, or 0xFE and 4 bytes) and their bytes; between the length of a value and its bytes
// stands a byte that says how many unused bytes follow it.
package ziplist
