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

// Unseal checks the footer of a dump and returns the bytes before it. ok is false if the version
// of the dump is later than version or, unless skipChecksum is set, its checksum is wrong.
func Unseal(b []byte, version int, skipChecksum bool) (body []byte, ok bool) {
	if len(b) < FooterSize {
		return nil, false
	}
	body, footer := b[:len(b)-FooterSize], b[len(b)-FooterSize:]
	if int(binary.LittleEndian.Uint16(footer)) > version {
		return nil, false
	}
	if !skipChecksum && binary.LittleEndian.Uint64(footer[2:]) != Checksum(0, b[:len(b)-8]) {
		return nil, false
	}
	return body, true
}
