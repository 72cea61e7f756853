package datastore

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

// DefaultMaxText is the default limit of a string in an RDB file, in bytes: the greatest length
// that the encodings of Redis have for it.
const DefaultMaxText = math.MaxUint32

// FileReaderOptions say how an RDB file is read. The zero value reads versions up to DumpVersion
// and verifies the checksum.
type FileReaderOptions struct {
	Version      int   // latest version of the format; 0 means DumpVersion; see also AnyVersion
	Relaxed      bool  // rdb-version-check relaxed: read versions that Valkey does not know
	Valkey       bool  // the file may begin with VALKEY, as in Valkey since 8.1, whatever Version is
	SkipChecksum bool  // rdbchecksum no
	MaxText      int64 // longest string in bytes; 0 means DefaultMaxText
}

// FileItemKind is the kind of a [FileItem].
type FileItemKind uint8

// The kinds of items.
const (
	FileAux       FileItemKind = iota + 1 // an auxiliary field: Name, Value
	FileFunction                          // a function library: its source text in Value
	FileModuleAux                         // data of a module, which cannot be loaded: its name in Name
	FileResize                            // number of keys in the database: Keys, Expires
	FileSelect                            // the database of the items that follow: DB
	FileSlot                              // number of keys in a hash slot (Redis 7.4): Slot, Keys, Expires
	FileKey                               // a key; its value is still to be read or skipped
)

// FileItem is one item of an RDB file.
type FileItem struct {
	Kind          FileItemKind
	Offset        int64 // where the item is; of a key, behind the opcodes that belong to it
	DB            int   // the selected database
	Name, Value   string
	Slot          int
	Keys, Expires uint64

	Key       string
	ValueKind ValueKind
	ExpireAt  int64 // ms since the epoch; 0 is never
	Idle      int64 // seconds since the last access; -1 is unknown
	Freq      int   // access frequency, 0 to 255; -1 is unknown
}

// FileReader reads an RDB file item by item, in memory bounded by the largest string in it. The
// value of a key is read by Value or Elements, or skipped by Describe or the next call of Next.
//
// After an error every call returns the same error.
type FileReader struct {
	r       rdbReader
	opt     FileReaderOptions
	item    FileItem
	version int
	begun   bool
	said    saidOfKey
	pending bool // the value of item is still to be read
	err     error
}

// saidOfKey is what the opcodes before a key say about it. Others may stand between them and the
// key, as in the dumps of KeyDB.
type saidOfKey struct {
	expireAt, idle int64
	freq           int
}

var nothingSaid = saidOfKey{idle: -1, freq: -1}

// NewFileReader returns a reader of src, which it reads about 64 KiB ahead.
func NewFileReader(src io.Reader, opt FileReaderOptions) *FileReader {
	if opt.Version == 0 {
		opt.Version = DumpVersion
	}
	if opt.MaxText <= 0 {
		opt.MaxText = DefaultMaxText
	}
	f := &FileReader{opt: opt, said: nothingSaid}
	f.r = rdbReader{Reader: rdb.NewSource(src, !opt.SkipChecksum, uint64(opt.MaxText)), version: opt.Version}
	f.r.st = New(Options{Databases: 1})
	return f
}

// Version is the version of the file's format, 0 before the first call of Next.
func (f *FileReader) Version() int { return f.version }

// Offset is the number of bytes read.
func (f *FileReader) Offset() int64 { return f.r.Offset() }

// Rest returns a reader of what follows the file in the source, after Next has returned io.EOF. The
// FileReader must not be used after it.
func (f *FileReader) Rest() io.Reader { return f.r.Rest() }

// Next returns the next item, valid until the next call, or [io.EOF] at the end of the file. Any
// other error is a [*FileError].
func (f *FileReader) Next() (*FileItem, error) {
	if f.err == nil && !f.begun {
		f.header()
	}
	if f.err == nil && f.pending {
		_, _ = f.Describe()
	}
	f.item = FileItem{DB: f.item.DB, Offset: f.r.Offset(), Idle: -1, Freq: -1}
	for f.err == nil {
		if f.next() {
			return &f.item, nil
		}
	}
	return nil, f.err
}

// header reads the signature and the version.
func (f *FileReader) header() {
	f.begun = true
	b := string(f.r.Take(9))
	if f.r.Bad {
		f.malformed(0)
		return
	}
	digits, valkey := b[5:], false
	switch own := f.opt.Version; {
	case own == AnyVersion || own >= valkey90Version || f.opt.Valkey:
		if digits, valkey = strings.CutPrefix(b, rdbhead.Valkey); valkey {
			break
		}
		var redis bool
		if digits, redis = strings.CutPrefix(b, rdbhead.Redis+"0"); !redis {
			detail := ""
			if own >= valkey90Version {
				detail = ": " + b
			}
			f.fail(ErrFileSignature, detail, 0)
			return
		}
	case b[:5] != rdbhead.Redis:
		f.fail(ErrFileSignature, "", 0)
		return
	}
	n := fileVersion(digits)
	if !f.reads(n, valkey) {
		f.fail(ErrFileVersion, strconv.Itoa(n), 5)
		return
	}
	f.version = n
	f.r.version = kindsOf(f.opt.Version, n)
}

// reads reports whether a file of a version can be read, which begins with VALKEY or not.
func (f *FileReader) reads(version int, valkey bool) bool {
	own := f.opt.Version
	switch {
	case version < 1, !valkey && version >= valkey90Version:
		return false
	case valkey && version < valkey90Version && (own >= valkey90Version || own == AnyVersion):
		return false
	case valkey && f.opt.Relaxed:
		return true
	}
	return reads(own, version, f.opt.Relaxed)
}

// fileVersion reads the number at the beginning of a text, as C's atoi does.
func fileVersion(text string) (n int) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	sign := 1
	if text != "" && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return sign * n
}

// fail sets the error.
func (f *FileReader) fail(err error, detail string, offset int64) {
	if f.err == nil {
		f.err = &FileError{Err: err, Detail: detail, Offset: offset, DB: f.item.DB, Key: f.item.Key, HasKey: f.item.Kind == FileKey}
	}
}

// malformed sets the error for what begins at offset, which the reader could not read.
func (f *FileReader) malformed(offset int64) {
	switch err := f.r.Err(); {
	case err == nil:
		f.fail(ErrFileFormat, "", offset)
	case errors.Is(err, io.EOF):
		f.fail(ErrFileShort, "", f.r.Offset())
	default:
		f.fail(err, "", f.r.Offset())
	}
}

// next reads one opcode and what belongs to it, and reports whether that is an item.
func (f *FileReader) next() bool {
	at := f.r.Offset()
	op := f.r.Byte()
	found := !f.r.Bad && f.read(op, at)
	if f.r.Bad {
		f.malformed(at)
		return false
	}
	f.item.Offset = at
	return found && f.err == nil
}

func (f *FileReader) read(op byte, at int64) (found bool) {
	r, it := &f.r, &f.item
	switch op {
	case opExpire:
		f.said.expireAt = f.time(r.Int32() * 1000)
	case opExpireMs:
		f.said.expireAt = f.time(r.Int64())
	case opFreq:
		f.said.freq = int(r.Byte())
	case opIdle:
		f.said.idle = int64(min(r.Length(), math.MaxInt64/1000))
	case opSelect:
		n := r.Length()
		if n > math.MaxInt32 {
			r.Fail()
			return false
		}
		it.Kind, it.DB = FileSelect, int(n)
		return true
	case opResize:
		it.Kind, it.Keys, it.Expires = FileResize, r.Length(), r.Length()
		return true
	case opAux:
		it.Kind, it.Name, it.Value = FileAux, r.Text(), r.Text()
		return true
	case opFunction:
		it.Kind, it.Value = FileFunction, r.Text()
		return true
	case opFunction0:
		text, err := r.oldFunction()
		if err != nil {
			r.Fail()
		}
		it.Kind, it.Value = FileFunction, text
		return true
	case opModuleAux:
		it.Kind, it.Name = FileModuleAux, moduleName(r.Length())
		r.Length()
		r.Length()
		r.skipModule()
		return true
	case opSlotInfo:
		if f.r.version < redis74Version {
			f.fail(ErrFileKind, strconv.Itoa(int(op)), at)
			return false
		}
		it.Kind, it.Slot, it.Keys, it.Expires = FileSlot, int(min(r.Length(), Slots)), r.Length(), r.Length()
		return true
	case opKeyMeta:
		if f.r.version < redis86Version || f.r.version >= valkey90Version {
			return f.key(op, at)
		}
		f.r.skipKeyMetadata()
	case opEnd:
		f.end(at)
	default:
		return f.key(op, at)
	}
	return false
}

// time returns the expiry time at, in ms since the epoch. The time 0 is one that has passed.
func (f *FileReader) time(at int64) int64 {
	if at == 0 {
		return 1
	}
	return at
}

// key reads a key.
func (f *FileReader) key(kind byte, at int64) bool {
	it := &f.item
	known, ok := knownKind(kind, f.r.version)
	switch {
	case f.r.version >= valkey90Version && f.version < valkey90Version && kind >= rdbHashTimesEarly:
		f.fail(ErrFileForeign, fmt.Sprintf("%d in RDB with version %d", kind, f.version), at)
		return false
	case !ok && f.r.version >= valkey90Version && f.opt.Relaxed:
		f.fail(ErrFileUnknown, "", at)
		return false
	case !ok:
		f.fail(ErrFileKind, strconv.Itoa(int(kind)), at)
		return false
	}
	key := f.r.Text()
	if f.r.Bad {
		return false
	}
	it.Kind, it.Key, it.ValueKind = FileKey, key, known
	it.ExpireAt, it.Idle, it.Freq = f.said.expireAt, f.said.idle, f.said.freq
	f.said = nothingSaid
	f.pending = true
	return true
}

// end reads the checksum after the end of the file.
func (f *FileReader) end(at int64) {
	if f.version >= 5 {
		sum := f.r.Sum()
		got := uint64(f.r.Int64())
		if f.r.Bad {
			return
		}
		if !f.opt.SkipChecksum && got != 0 && got != sum {
			f.fail(ErrFileChecksum, fmt.Sprintf("expected: (%x) but got (%x)", sum, got), at)
			return
		}
	}
	f.err = io.EOF
}

// Value builds the value of the key that Next has returned last, as a value of st that belongs to
// no key yet. Its encoding is the smallest that the limits of st allow. It returns nil if the value
// has no elements: Redis skips such a key.
func (f *FileReader) Value(st *Store) (Object, error) {
	at := f.r.Offset()
	if !f.beginValue(at) {
		return nil, f.err
	}
	f.r.st = st
	o := f.r.valueOf(byte(f.item.ValueKind))
	if f.r.Bad || o == nil {
		f.malformed(at)
		return nil, f.err
	}
	if o.Len() == 0 && !mayBeEmpty(o) {
		return nil, nil
	}
	return o, nil
}

// text is Value for a string.
func (f *FileReader) text() (string, error) {
	at := f.r.Offset()
	f.pending = false
	text := f.r.Text()
	if f.r.Bad {
		f.malformed(at)
	}
	return text, f.err
}

// beginValue is called before the value at offset at is read; it reports whether that can be.
func (f *FileReader) beginValue(at int64) bool {
	if f.err != nil {
		return false
	}
	if !f.pending {
		panic("datastore: no value of an RDB file to read")
	}
	f.pending = false
	if k := f.item.ValueKind; k == rdbModule || k == rdbModule2 {
		f.fail(ErrFileModule, "'"+moduleName(f.r.Length())+"'", at)
		return false
	}
	return true
}
