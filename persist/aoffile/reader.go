package aoffile

import (
	"bufio"
	"errors"
	"io"

	"github.com/redmoon-lua/redmoon/persist/internal/aof"
)

// Command is a command of a file.
type Command struct {
	Args   []string // the name first; at least one
	Offset int64    // where the command begins, or the annotations (#TS) before it
	Size   int64    // bytes of both
	// Time is the last annotation #TS before the command, in seconds of Unix time; 0 is unknown.
	Time int64
}

// Reader reads the commands of a file. It is for one goroutine.
type Reader struct{ r *aof.Reader }

// NewReader returns a Reader of r, whose first byte is at an offset of the file: 0, or the size of
// the RDB file that the append-only file begins with. name is for errors.
func NewReader(r io.Reader, name string, offset int64) *Reader {
	return &Reader{aof.NewReader(r, name, offset)}
}

// Next returns the next command. It returns [io.EOF] at the end of a whole file, and otherwise an
// [*Error]. After an error it returns the same error again.
func (r *Reader) Next() (Command, error) {
	start := r.r.Offset()
	args, err := r.r.Next()
	if err != nil {
		return Command{}, public(err)
	}
	return Command{Args: args, Offset: start, Size: r.r.Offset() - start, Time: r.r.Timestamp()}, nil
}

// Offset returns the end of the last command that was read.
func (r *Reader) Offset() int64 { return r.r.Offset() }

// Error is the reason why a [Reader] stopped before the end of a file.
type Error struct {
	Truncated bool   // the file ends inside a command or a transaction; cutting it at Safe repairs it
	Multi     bool   // the damage is inside a transaction that begins at Safe
	Offset    int64  // of the first byte that is wrong or missing
	Safe      int64  // up to here the file is whole
	Reason    string // without name and offset
	Err       error  // of the file system; nil if the bytes are wrong

	text string
}

// Error names the file, the offset and the reason.
func (e *Error) Error() string { return e.text }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func public(err error) error {
	var e *aof.Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{
		Truncated: e.Damage == aof.Truncated, Multi: e.Multi, Offset: e.Offset, Safe: e.Safe, Reason: e.Reason, Err: e.Err,
		text: e.Error(),
	}
}

// IsRDB reports whether r goes on with an RDB file of any server, which then is the first part of
// an append-only file. It consumes nothing.
func IsRDB(r *bufio.Reader) (bool, error) { return aof.IsRDB(r, true) }
