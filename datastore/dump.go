package datastore

import (
	"encoding/binary"
	"errors"
	"hash/crc64"
	"math/bits"
)

// DumpVersion is the version of Redis's RDB format that dumps are written in unless the options say otherwise. Older
// ones are read too.
const DumpVersion = 10

// setListpackVersion is the first version of the format that has sets of a few texts as listpacks.
const setListpackVersion = 11

// streamActiveVersion is the first version of the format that tells when consumers of streams last got entries.
const streamActiveVersion = 11

// fieldTimesVersion is the first version of the format that knows of fields of hashes that expire.
const fieldTimesVersion = 12

var (
	// ErrDumpFooter is returned for a dump of a later version, or whose checksum is not that of its bytes.
	ErrDumpFooter = errors.New("datastore: dump of an unknown version or with a wrong checksum")
	// ErrDumpFormat is returned for a dump that is no value.
	ErrDumpFormat = errors.New("datastore: dump is malformed")
)

// DumpOptions say how values are written and read. They are Redis's parameters of the same name. The zero value
// works.
type DumpOptions struct {
	Compress     bool // rdbcompression: texts of more than 20 bytes are compressed where that makes them shorter
	SkipChecksum bool // reading does not look at the checksum
	Version      int  // of the RDB format; 0 means DumpVersion
}

// The kinds of values in a dump: its first byte. The commented ones are written no more.
const (
	rdbString       = 0
	rdbList         = 1 // a row of texts
	rdbSet          = 2
	rdbZSetText     = 3 // with scores in decimal
	rdbHash         = 4
	rdbZSet         = 5
	rdbHashZipmap   = 9  // Redis before 2.6
	rdbListZiplist  = 10 // one ziplist
	rdbIntset       = 11
	rdbZSetZiplist  = 12 // Redis before 7.0
	rdbHashZiplist  = 13 // Redis before 7.0
	rdbQuicklist    = 14 // a row of ziplists
	rdbStream       = 15 // Redis before 7.0
	rdbHashListpack = 16
	rdbZSetListpack = 17
	rdbQuicklist2   = 18
	rdbStream2      = 19

	rdbSetListpack = 20 // sets that Redis 7.2 keeps as listpacks
	rdbStream3     = 21 // consumers tell when they last got entries

	// Hashes with fields that expire; the first two are of releases before 7.4 was finished.
	rdbHashTimesEarly    = 22
	rdbHashListpackEarly = 23
	rdbHashTimes         = 24
	rdbHashListpackTimes = 25

	footerSize = 10
	nodePlain  = 1 // a node of a quicklist that is one element
	nodePacked = 2 // a node that is a listpack
)

// jones is the table of the checksum, CRC-64 with the polynomial of David T. Jones.
var jones = crc64.MakeTable(bits.Reverse64(0xad93d23594c935a9))

// checksum is Redis's CRC-64 of b, which begins at 0 and is not inverted.
func checksum(b []byte) uint64 { return ^crc64.Update(^uint64(0), jones, b) }

// Dump returns the serialized form of o, as DUMP answers it.
func Dump(o Object, opt DumpOptions) []byte {
	w := rdbWriter{opt: opt}
	w.object(o)
	return w.seal()
}

// DumpSize is the number of bytes that o takes in a dump, without its kind and the footer.
func DumpSize(o Object, opt DumpOptions) int {
	w := rdbWriter{opt: opt}
	w.object(o)
	return len(w.buf) - 1
}

// Restore returns the value that payload, made by [Dump] or by Redis up to 7.0, is the serialized form of. It belongs
// to no key yet. Its encoding is that which the limits allow. The error is [ErrDumpFooter] or [ErrDumpFormat].
func (s *Store) Restore(payload string, opt DumpOptions) (Object, error) {
	b := []byte(payload)
	if _, err := unseal(b, opt); err != nil {
		return nil, err
	}
	r := rdbReader{st: s, buf: b, version: opt.version()}
	o := r.object()
	if o == nil || r.bad {
		return nil, ErrDumpFormat
	}
	return o, nil
}

func (o DumpOptions) version() int {
	if o.Version == 0 {
		return DumpVersion
	}
	return o.Version
}

// seal appends the footer, the version of the format and the checksum, and returns it all.
func (w *rdbWriter) seal() []byte {
	w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(w.opt.version()))
	return binary.LittleEndian.AppendUint64(w.buf, checksum(w.buf))
}

// unseal checks the footer and returns what stands before it. The error is [ErrDumpFooter].
func unseal(b []byte, opt DumpOptions) ([]byte, error) {
	if len(b) < footerSize {
		return nil, ErrDumpFooter
	}
	body, footer := b[:len(b)-footerSize], b[len(b)-footerSize:]
	if int(binary.LittleEndian.Uint16(footer)) > opt.version() {
		return nil, ErrDumpFooter
	}
	if !opt.SkipChecksum && binary.LittleEndian.Uint64(footer[2:]) != checksum(b[:len(b)-8]) {
		return nil, ErrDumpFooter
	}
	return body, nil
}
