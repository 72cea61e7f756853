package datastore

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore/internal/rdb"
	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

// FileOptions say how an RDB file is written. The zero value writes version DumpVersion,
// uncompressed and with a checksum.
type FileOptions struct {
	Dump       DumpOptions // Compress is rdbcompression; Version is that of the file
	NoChecksum bool        // rdbchecksum no: the checksum is 0, which readers do not verify
	Usage      FileUsage   // what is written about accesses
	Aux        []Aux       // the auxiliary fields, in order
	Functions  []string    // the source texts of the function libraries, in order
	NoKeys     bool        // the file has no keys
	// Commands writes commands in RESP that build the data set, in place of the RDB format: the base
	// of an append-only file with aof-use-rdb-preamble no. Only Functions, NoKeys and Head count then.
	Commands bool
	Head     string // with Commands: what precedes them
}

// Aux is an auxiliary field of an RDB file, for example redis-ver.
type Aux struct{ Name, Value string }

// FileUsage is what an RDB file says about the accesses to keys. Redis chooses it by
// maxmemory-policy.
type FileUsage uint8

// What is written. It is as of the moment at which a key is written, even in an [Image].
const (
	UsageNone FileUsage = iota
	UsageIdle           // the time since the last access, under an LRU policy
	UsageFreq           // the access frequency, under an LFU policy
)

// The opcodes of an RDB file. A byte below them is the kind of a value.
const (
	opKeyMeta   = 243 // Redis 8.6: metadata of modules; in Valkey 9.0, a slot that is being imported
	opSlotInfo  = 244 // Redis 7.4 and Valkey 9.0
	opFunction  = rdbFunction
	opFunction0 = rdbOldFunction
	opModuleAux = 247
	opIdle      = 248
	opFreq      = 249
	opAux       = 250
	opResize    = 251
	opExpireMs  = 252
	opExpire    = 253
	opSelect    = 254
	opEnd       = 255
)

// fileHead returns the beginning of a file of a version.
func fileHead(version int) []byte {
	if version >= valkey90Version {
		return fmt.Appendf(nil, "%s%03d", rdbhead.Valkey, version)
	}
	return fmt.Appendf(nil, "%s%04d", rdbhead.Redis, version)
}

// fileChunk is the number of bytes from which written bytes are passed on.
const fileChunk = 64 << 10

// keyWriter writes keys of an RDB file.
type keyWriter struct {
	rdbWriter
	st      *Store
	usage   FileUsage
	db      int            // the selected database; -1: none yet
	resizes map[int][2]int // for each database, what is written at its first key: keys, expiring keys

	commands bool // see FileOptions.Commands
}

// entry writes what precedes the value of e: its database, expiry time, usage, kind and key.
func (w *keyWriter) entry(db int, e *Entry) {
	if db != w.db {
		w.selectDB(db)
	}
	if w.commands {
		return
	}
	if e.expireAt != 0 {
		w.Byte(opExpireMs)
		w.Int64(e.expireAt)
	}
	switch w.usage {
	case UsageIdle:
		w.Byte(opIdle)
		w.Length(uint64(e.Idle(w.st.Now()) / 1000))
	case UsageFreq:
		w.Byte(opFreq)
		w.Byte(w.st.Freq(e))
	}
	w.kind(e.obj)
	w.Text(e.key)
}

func (w *keyWriter) selectDB(db int) {
	w.db = db
	if w.commands {
		w.command("SELECT", strconv.Itoa(db))
		return
	}
	w.Byte(opSelect)
	w.Length(uint64(db))
	if n, ok := w.resizes[db]; ok {
		w.Byte(opResize)
		w.Length(uint64(n[0]))
		w.Length(uint64(n[1]))
		delete(w.resizes, db)
	}
}

// fileWriter writes an RDB file in chunks.
type fileWriter struct {
	keyWriter
	opt     FileOptions
	out     io.Writer
	crc     uint64
	written int64 // bytes passed to out
	err     error // of out; nothing is written after it
}

func (s *Store) newFileWriter(out io.Writer, opt FileOptions) *fileWriter {
	w := &fileWriter{opt: opt, out: out}
	w.keyWriter = keyWriter{rdbWriter: newWriter(opt.Dump), st: s, usage: opt.Usage, db: -1, resizes: map[int][2]int{},
		commands: opt.Commands}
	for _, db := range s.dbs {
		w.resizes[db.id] = [2]int{db.Len(), db.Expires()}
	}
	return w
}

// header writes everything before the first key.
func (w *fileWriter) header() {
	if w.commands {
		w.RawText(w.opt.Head)
		for _, text := range w.opt.Functions {
			w.command("FUNCTION", "LOAD", text)
		}
		return
	}
	w.Raw(fileHead(w.version))
	for _, a := range w.opt.Aux {
		w.Byte(opAux)
		w.Text(a.Name)
		w.Text(a.Value)
	}
	for _, text := range w.opt.Functions {
		w.Byte(opFunction)
		w.Text(text)
	}
}

// end writes the end of the file and passes everything on.
func (w *fileWriter) end() error {
	if w.commands {
		w.flush(0)
		return w.err
	}
	w.Byte(opEnd)
	w.flush(0)
	sum := w.crc
	if w.opt.NoChecksum {
		sum = 0
	}
	w.Raw(binary.LittleEndian.AppendUint64(nil, sum))
	w.flush(0)
	return w.err
}

// flush passes on what has been written if that is at least atLeast bytes.
func (w *fileWriter) flush(atLeast int) {
	b := w.Buffer()
	if len(b) < atLeast || len(b) == 0 {
		return
	}
	if w.err == nil {
		if !w.opt.NoChecksum && !w.commands {
			w.crc = rdb.Checksum(w.crc, b)
		}
		w.written += int64(len(b))
		_, w.err = w.out.Write(b)
	}
	w.Reset()
}

// WriteFile writes the whole keyspace to out as an RDB file, in one go. It passes on chunks of
// about 64 KiB. An Image may be in progress. The error is that of out.
func (s *Store) WriteFile(out io.Writer, opt FileOptions) error {
	s.UpdateUsed()
	w := s.newFileWriter(out, opt)
	w.Pause = func() { w.flush(fileChunk) }
	w.header()
	for _, db := range s.dbs {
		if opt.NoKeys {
			break
		}
		db.keys.All(func(p **Entry) bool {
			w.entry(db.id, *p)
			w.body(*p)
			w.flush(fileChunk)
			return w.err == nil
		})
		if w.err != nil {
			return w.err
		}
	}
	return w.end()
}
