package datastore

import (
	"fmt"
	"strconv"
)

// The errors about an RDB file, in Redis's words. They are wrapped in a [FileError].
var (
	// ErrFileShort is returned if the file ends too early.
	ErrFileShort error = fileText("Short read or OOM loading DB. Unrecoverable error, aborting now.")
	// ErrFileSignature is returned if the file begins neither with REDIS nor with VALKEY, or not with
	// the one that the options allow.
	ErrFileSignature error = fileText("Wrong signature trying to load DB from file")
	// ErrFileVersion is returned for a version of the format that the options do not allow. The error
	// text goes on with the version.
	ErrFileVersion error = fileText("Can't handle RDB format version")
	// ErrFileChecksum is returned if the checksum is wrong.
	ErrFileChecksum error = fileText("RDB CRC error")
	// ErrFileFormat is returned for bytes that do not describe a value.
	ErrFileFormat error = fileText("Invalid value in RDB file")
	// ErrFileKind is returned for an unknown kind of value. The error text goes on with its number.
	ErrFileKind error = fileText("Unknown RDB encoding type")
	// ErrFileForeign is returned by a reader of Valkey's versions for a kind of value that Redis has
	// added. The error text goes on with its number and the version.
	ErrFileForeign error = fileText("Can't handle foreign type or opcode")
	// ErrFileUnknown is ErrFileKind if the version is read because of [FileReaderOptions].Relaxed.
	ErrFileUnknown error = fileText("Unknown type or opcode when loading DB. Unrecoverable error, aborting now.")
	// ErrFileModule is returned for the value of a module. The error text goes on with its name.
	ErrFileModule error = fileText("The RDB file contains module data I can't load: no matching module type")
	// ErrFileModuleAux is returned for other data of a module. The error text goes on with its name.
	ErrFileModuleAux error = fileText("The RDB file contains AUX module data I can't load: no matching module")
	// ErrFileDuplicate is returned if a key occurs twice, or is in the store already.
	ErrFileDuplicate error = fileText("RDB has duplicated key")
	// ErrFileDatabase is returned for keys of a database that the store does not have.
	ErrFileDatabase error = fileText("Data file was created with a Redis server configured to handle more databases")
)

// fileText is an error in Redis's words.
type fileText string

func (e fileText) Error() string { return string(e) }

// FileError is an error at a place of an RDB file.
type FileError struct {
	Err    error  // one of the errors above, or an error of the source
	Detail string // appended to the text of Err; may be empty
	Offset int64  // where the byte, value or opcode that is wrong begins
	DB     int    // the selected database
	Key    string // the key whose value is wrong
	HasKey bool   // Key is known
}

// Error names the offset and the key.
func (e *FileError) Error() string {
	text := e.Text()
	text += fmt.Sprintf(" (offset %d", e.Offset)
	if e.HasKey {
		text += fmt.Sprintf(", key %s in DB %d", quoteKey(e.Key), e.DB)
	}
	return text + ")"
}

// Text is Err with Detail, as Redis logs it.
func (e *FileError) Text() string {
	switch {
	case e.Detail == "":
		return e.Err.Error()
	case e.Detail[0] == ':':
		return e.Err.Error() + e.Detail
	}
	return e.Err.Error() + " " + e.Detail
}

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

// quoteKey returns a key in quotes, shortened if it is long.
func quoteKey(key string) string {
	const most = 128
	if len(key) > most {
		return strconv.Quote(key[:most]) + "..."
	}
	return strconv.Quote(key)
}
