package rdb

import (
	"encoding/binary"
	"hash/crc64"
	"math/bits"
)

// slices are the tables of the checksum for eight bytes at a time: slices[k][b] is the checksum of
// the byte b followed by k zero bytes.
var slices = func() *[8][256]uint64 {
	var t [8][256]uint64
	t[0] = *crc64.MakeTable(bits.Reverse64(0xad93d23594c935a9))
	for i := range t[0] {
		crc := t[0][i]
		for k := 1; k < len(t); k++ {
			crc = t[0][byte(crc)] ^ crc>>8
			t[k][i] = crc
		}
	}
	return &t
}()

// Checksum returns Redis's CRC-64 of the bytes whose checksum is crc, followed by b. It has the
// polynomial of David T. Jones, begins at 0 and is not inverted.
func Checksum(crc uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		crc ^= binary.LittleEndian.Uint64(b)
		crc = slices[7][byte(crc)] ^ slices[6][byte(crc>>8)] ^ slices[5][byte(crc>>16)] ^ slices[4][byte(crc>>24)] ^
			slices[3][byte(crc>>32)] ^ slices[2][byte(crc>>40)] ^ slices[1][byte(crc>>48)] ^ slices[0][crc>>56]
	}
	for _, c := range b {
		crc = slices[0][byte(crc)^c] ^ crc>>8
	}
	return crc
}
