package datastore

import (
	"bytes"
	"errors"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
)

var (
	// ErrDumpFooter is returned for a dump of a version of the format that is not read, or with a
	// wrong checksum.
	ErrDumpFooter = errors.New("datastore: dump of an unknown version or with a wrong checksum")
	// ErrDumpFormat is returned for a dump that does not describe a value.
	ErrDumpFormat = errors.New("datastore: dump is malformed")
	// ErrDumpForeign is returned by a reader of Valkey's versions for a hash with field times in a
	// version that is Redis's.
	ErrDumpForeign = errors.New("datastore: dump of a foreign type")
)

// DumpOptions say how values are written and read. The zero value writes uncompressed dumps of
// version DumpVersion and checks the checksum when reading.
type DumpOptions struct {
	// rdbcompression: compress strings of more than 20 bytes if that makes them shorter
	Compress     bool
	SkipChecksum bool // do not verify the checksum when reading
	ZeroChecksum bool // a checksum of 0 is not verified, as since Redis 8.4
	Version      int  // version of the RDB format; 0 means DumpVersion; see also AnyVersion
	Relaxed      bool // rdb-version-check relaxed: read versions that Valkey does not know
}

// The first byte of a dump, the kind of value. Kinds with a comment are only read.
const (
	rdbString       = 0
	rdbList         = 1 // a sequence of strings
	rdbSet          = 2
	rdbZSetText     = 3 // with scores in decimal
	rdbHash         = 4
	rdbZSet         = 5
	rdbHashZipmap   = 9  // written before Redis 2.6
	rdbListZiplist  = 10 // one ziplist
	rdbIntset       = 11
	rdbZSetZiplist  = 12 // written before Redis 7.0
	rdbHashZiplist  = 13 // written before Redis 7.0
	rdbQuicklist    = 14 // a sequence of ziplists
	rdbStream       = 15 // written before Redis 7.0
	rdbHashListpack = 16
	rdbZSetListpack = 17
	rdbQuicklist2   = 18
	rdbStream2      = 19

	rdbSetListpack = 20 // written by Redis 7.2
	rdbStream3     = 21 // consumers have an active time
	rdbStream4     = 26 // written by Redis 8.6: with what it knows of producers

	// Hashes with fields that expire; the first two are from pre-releases of 7.4.
	rdbHashTimesEarly    = 22
	rdbHashListpackEarly = 23
	rdbHashTimes         = 24
	rdbHashListpackTimes = 25

	// Hashes with fields that expire, of Valkey. In a file the byte is that of rdbHashTimesEarly,
	// without foreignKind.
	rdbHashValkey = rdbHashTimesEarly | foreignKind
	foreignKind   = 0x80

	nodePlain  = 1 // a quicklist node that is one large element
	nodePacked = 2 // a quicklist node that is a listpack
)

// Dump returns the serialized form of o, as the DUMP command replies it.
func Dump(o Object, opt DumpOptions) []byte {
	w := newWriter(opt)
	w.object(o)
	return w.Seal(opt.version())
}

// DumpSize returns the number of bytes of o in a dump, without the kind and the footer, as DEBUG
// OBJECT shows it.
func DumpSize(o Object, opt DumpOptions) int {
	w := newWriter(opt)
	w.object(o)
	return w.Len() - 1
}

// Restore returns the value that payload is the serialized form of. payload was made by [Dump] or
// by Redis, in a version of the format up to that of opt. The value belongs to no key yet. Its
// encoding is the smallest that the limits allow. The error is [ErrDumpFooter] or [ErrDumpFormat].
func (s *Store) Restore(payload string, opt DumpOptions) (Object, error) {
	b := []byte(payload)
	if _, err := unseal(b, opt); err != nil {
		return nil, err
	}
	version := rdb.Version(b)
	r := rdbReader{Reader: rdb.NewReader(b), st: s, version: kindsOf(opt.version(), version)}
	r.keyMetadata()
	if len(b) > 0 && b[0] == rdbHashTimesEarly && foreign(opt.version(), version) {
		return nil, ErrDumpForeign
	}
	o := r.object()
	if o == nil || r.Bad {
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

// rdbWriter writes values.
type rdbWriter struct {
	rdb.Writer
	version int
}

func newWriter(opt DumpOptions) rdbWriter {
	return rdbWriter{Writer: rdb.Writer{Compress: opt.Compress}, version: opt.version()}
}

// rdbReader reads values.
type rdbReader struct {
	rdb.Reader
	st          *Store
	version     int  // the latest one whose kinds are known
	dropExpired bool // leave out hash fields that have expired, where the format is Valkey's
	allExpired  bool // the last value had fields, and all were left out

	texts []string            // of views
	items []ZItem             // of zsetOf
	seen  map[string]struct{} // of distinct
}

// unseal checks the footer and returns the bytes before it. The error is [ErrDumpFooter].
func unseal(b []byte, opt DumpOptions) ([]byte, error) {
	skip := opt.SkipChecksum || opt.ZeroChecksum && bytes.HasSuffix(b, make([]byte, 8))
	body, ok := rdb.Unseal(b, func(version int) bool { return reads(opt.version(), version, opt.Relaxed) }, skip)
	if !ok {
		return nil, ErrDumpFooter
	}
	return body, nil
}
