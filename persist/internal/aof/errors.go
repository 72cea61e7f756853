package aof

import "fmt"

// Damage is what is wrong with a file.
type Damage int

const (
	// Truncated: the file ends inside a command, inside an annotation or inside a transaction.
	// Cutting the file at Safe repairs it (aof-load-truncated).
	Truncated Damage = iota + 1
	// Corrupt: the bytes at Offset are not what an append-only file has there.
	Corrupt
	// Unreadable: reading failed. Err is the reason.
	Unreadable
)

// Error is the reason why a [Reader] stopped before the end of a file.
type Error struct {
	Damage Damage
	Name   string // of the file
	Offset int64  // of the first byte that is wrong or missing
	Safe   int64  // up to here the file is whole; see [Reader.Safe]
	Multi  bool   // the file ends, or is wrong, inside a transaction that begins at Safe
	Reason string
	Err    error // of the file system, or nil
}

// Error begins with the words in which Redis logs the damage.
func (e *Error) Error() string {
	what := "Unrecoverable error reading the append only file"
	switch e.Damage {
	case Truncated:
		what = "Unexpected end of file reading the append only file"
	case Corrupt:
		what = "Bad file format reading the append only file"
	}
	return fmt.Sprintf("%s %s: at offset %d: %s; the file is whole up to offset %d", what, e.Name, e.Offset, e.Reason, e.Safe)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
