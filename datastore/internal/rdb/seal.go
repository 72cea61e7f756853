package rdb

import (
	"encoding/binary"
)

// FooterSize is the size in bytes of the version and the checksum at the end of a dump.
const FooterSize = 10

// Seal appends the footer (version of the format, checksum) and returns the whole dump.
func (w *Writer) Seal(version int) []byte {
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(version))
	return binary.LittleEndian.AppendUint64(w.buf, Checksum(0, w.buf))
}

// Version returns the version in the footer of a dump.
func Version(b []byte) int { return int(binary.LittleEndian.Uint16(b[len(b)-FooterSize:])) }

// Unseal checks the footer of a dump and returns the bytes before it. ok is false if reads is false
// for the version of the dump or, unless skipChecksum is set, its checksum is wrong.
func Unseal(b []byte, reads func(version int) bool, skipChecksum bool) (body []byte, ok bool) {
	if len(b) < FooterSize {
		return nil, false
	}
	body, footer := b[:len(b)-FooterSize], b[len(b)-FooterSize:]
	if !reads(Version(b)) {
		return nil, false
	}
	if !skipChecksum && binary.LittleEndian.Uint64(footer[2:]) != Checksum(0, b[:len(b)-8]) {
		return nil, false
	}
	return body, true
}
