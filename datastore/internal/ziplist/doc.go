// Package ziplist reads the formats in which Redis stored small values before 7.0: ziplists and,
// before 2.6, zipmaps. They occur in dumps of those versions.
//
// A ziplist is a header of 10 bytes (little endian: total bytes in 32 bits, offset of the last
// entry in 32, number of entries in 16, where 65535 means that they must be counted), the entries,
// and the byte 0xFF. An entry is the size of the one before it (one byte, or 0xFE and 4 bytes), its
// encoding, and its data:
//
//	00xxxxxx text                    text of up to 63 bytes
//	01xxxxxx xxxxxxxx text           text of up to 16383 bytes, big endian
//	10______, length in 4 bytes, text
//	0xC0, 0xD0, 0xE0                 integer of 16, 32 or 64 bits, little endian
//	0xF0, 0xFE                       integer of 24 or 8 bits
//	0xF1 to 0xFD                     integer 0 to 12
//
// A zipmap is a byte with the number of pairs (254: they must be counted), the pairs, and the byte
// 0xFF. A field and a value are each a length (one byte, or 0xFE and 4 bytes) and that many bytes.
// Between the length of a value and its bytes is a byte with the number of unused bytes after the
// value.
package ziplist
