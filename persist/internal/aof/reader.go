package aof

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/rdbhead"
)

const (
	readBuffer = 64 << 10
	maxLine    = 1024 // bytes of an annotation with its end, as in Redis
	maxHeader  = 32   // bytes of a line with a number
	maxArgs    = math.MaxInt32
	// DefaultMaxBulk is longer than any argument that a server has written. Redis cuts the end of a
	// file that promises up to as much, and ends with a crash where it promises more.
	DefaultMaxBulk = 1 << 40
)

// IsRDB reports whether a file begins as an RDB file does, for a server that knows those of Valkey
// 9 or not. Then it is the base of an append-only file, and commands may follow the RDB part (the
// preamble of Redis before 7.0): read that part from the same bufio.Reader, and then make a
// [Reader] of it.
func IsRDB(r *bufio.Reader, valkey bool) (bool, error) {
	head, err := r.Peek(rdbhead.Size)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return rdbhead.Begins(head, valkey), err
}

// Reader reads the commands of a file. Its memory is bounded by the command that it reads: it
// allocates as bytes arrive, never for a length that the file claims. It is for one goroutine.
type Reader struct {
	// MaxBulk is the greatest length of an argument, in bytes. Default [DefaultMaxBulk].
	MaxBulk int64

	r         *bufio.Reader
	name      string
	at        int64 // the offset of the next byte
	end       int64 // the end of the last entry
	safe      int64
	multi     bool
	timestamp int64
	err       error
}

// NewReader returns a Reader of the bytes of r, which begin at an offset of the file. name is for
// errors. If r is a bufio.Reader with a buffer of at least 64 KiB it is used as it is.
func NewReader(r io.Reader, name string, offset int64) *Reader {
	return &Reader{MaxBulk: DefaultMaxBulk, r: bufio.NewReaderSize(r, readBuffer), name: name, at: offset, end: offset, safe: offset}
}

// Offset returns the end of the last command or annotation that was read.
func (r *Reader) Offset() int64 { return r.end }

// Safe returns up to where the file is whole: [Reader.Offset], but inside a transaction the offset
// of its MULTI, or of the annotations before it.
func (r *Reader) Safe() int64 { return r.safe }

// InMulti reports whether a MULTI was read and its EXEC was not.
func (r *Reader) InMulti() bool { return r.multi }

// Timestamp returns the time of the last annotation #TS that was read, in seconds of Unix time; 0
// if there was none.
func (r *Reader) Timestamp() int64 { return r.timestamp }

// Next returns the arguments of the next command, at least one. It returns io.EOF at the end of a
// whole file, and otherwise an [Error]. After an error it returns the same error again.
func (r *Reader) Next() ([]string, error) {
	if r.err != nil {
		return nil, r.err
	}
	args, err := r.next()
	if err != nil {
		r.err = err
		return nil, err
	}
	return args, nil
}

func (r *Reader) next() ([]string, error) {
	for {
		mark, err := r.r.Peek(1)
		switch {
		case errors.Is(err, io.EOF) && r.multi:
			return nil, r.fail(Truncated, "a transaction has no EXEC")
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, r.unreadable(err)
		case mark[0] == '*':
			return r.command()
		case mark[0] != '#':
			return nil, r.fail(Corrupt, "a command or an annotation should begin here, not "+strconv.QuoteToASCII(string(mark)))
		}
		if err := r.annotation(); err != nil {
			return nil, err
		}
	}
}

// annotation reads a line that begins with #. Redis ignores such lines, and also half a line at the
// end of the file. Here that is damage: the next command would be appended to it and be lost.
func (r *Reader) annotation() error {
	line, err := r.line(maxLine)
	if err != nil {
		return err
	}
	if digits, ok := bytes.CutPrefix(line, []byte("#TS:")); ok {
		if n, err := strconv.ParseInt(string(bytes.TrimSuffix(digits, []byte("\r"))), 10, 64); err == nil {
			r.timestamp = n
		}
	}
	r.finish(r.multi)
	return nil
}

// command reads an array of bulk strings.
func (r *Reader) command() ([]string, error) {
	n, err := r.number('*', 1, maxArgs)
	if err != nil {
		return nil, err
	}
	args := make([]string, 0, min(n, 16))
	for range n {
		arg, err := r.bulk()
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	multi, err := r.transaction(args[0])
	if err != nil {
		return nil, err
	}
	r.finish(multi)
	return args, nil
}

// transaction returns whether the file is inside a transaction after a command.
func (r *Reader) transaction(command string) (bool, error) {
	switch {
	case strings.EqualFold(command, "multi"):
		if r.multi {
			return false, r.failAt(r.end, Corrupt, "MULTI inside a transaction")
		}
		return true, nil
	case strings.EqualFold(command, "exec"):
		if !r.multi {
			return false, r.failAt(r.end, Corrupt, "EXEC without MULTI")
		}
		return false, nil
	}
	return r.multi, nil
}

// finish notes the end of an entry.
func (r *Reader) finish(multi bool) {
	r.end, r.multi = r.at, multi
	if !multi {
		r.safe = r.end
	}
}

func (r *Reader) bulk() (string, error) {
	n, err := r.number('$', 0, r.MaxBulk)
	if err != nil {
		return "", err
	}
	s, err := r.bytes(n)
	if err != nil {
		return "", err
	}
	end, err := r.r.Peek(2)
	switch {
	case len(end) > 0 && end[0] != '\r' || len(end) > 1 && end[1] != '\n':
		return "", r.fail(Corrupt, "an argument should end here, not go on with "+strconv.QuoteToASCII(string(end)))
	case err != nil:
		return "", r.short(err, "the end of an argument is missing")
	}
	r.skip(2)
	return s, nil
}

// bytes reads n bytes.
func (r *Reader) bytes(n int64) (string, error) {
	var b strings.Builder
	b.Grow(int(min(n, readBuffer)))
	for left := n; left > 0; {
		if r.r.Buffered() == 0 {
			if _, err := r.r.Peek(1); err != nil {
				return "", r.short(err, strconv.FormatInt(left, 10)+" bytes of an argument are missing")
			}
		}
		part, _ := r.r.Peek(int(min(left, int64(r.r.Buffered()))))
		b.Write(part)
		left -= int64(len(part))
		r.skip(len(part))
	}
	return b.String(), nil
}

// number reads a line that consists of a mark and a decimal number.
func (r *Reader) number(mark byte, low, high int64) (int64, error) {
	if head, err := r.r.Peek(1); err != nil {
		return 0, r.short(err, "an argument is missing")
	} else if head[0] != mark {
		return 0, r.fail(Corrupt, "an argument should begin here, not "+strconv.QuoteToASCII(string(head)))
	}
	start := r.at
	line, err := r.line(maxHeader)
	if err != nil {
		return 0, err
	}
	digits, ok := bytes.CutSuffix(line[1:], []byte("\r"))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if !ok || err != nil || n < low || n > high || digits[0] == '+' {
		return 0, r.failAt(start, Corrupt, "not a length: "+strconv.QuoteToASCII(string(line)))
	}
	return n, nil
}

// line reads a line of at most limit bytes and returns it without its line feed. It is valid until
// the next read. If the file ends before the line feed, a line that cannot become a number is
// corrupt.
func (r *Reader) line(limit int) ([]byte, error) {
	line, err := r.r.Peek(limit)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		r.skip(i + 1)
		return line[:i], nil
	}
	switch {
	case err == nil || len(line) >= limit:
		return nil, r.fail(Corrupt, "the line is longer than "+strconv.Itoa(limit)+" bytes")
	case line[0] != '#' && !beginsNumber(line[1:]):
		return nil, r.fail(Corrupt, "not a length: "+strconv.QuoteToASCII(string(line)))
	}
	start := r.at
	r.skip(len(line))
	return nil, r.shortAt(start, err, "the end of the line is missing")
}

// beginsNumber reports whether a line with a number may begin so.
func beginsNumber(b []byte) bool {
	b = bytes.TrimLeft(b, "0123456789")
	return len(b) == 0 || len(b) == 1 && b[0] == '\r'
}

func (r *Reader) skip(n int) {
	_, _ = r.r.Discard(n) // the bytes are in the buffer
	r.at += int64(n)
}

// short is the error of a file that ended where it should not, or could not be read.
func (r *Reader) short(err error, reason string) *Error { return r.shortAt(r.at, err, reason) }

func (r *Reader) shortAt(at int64, err error, reason string) *Error {
	if errors.Is(err, io.EOF) {
		return r.failAt(at, Truncated, reason)
	}
	return r.unreadable(err)
}

func (r *Reader) unreadable(err error) *Error {
	e := r.fail(Unreadable, err.Error())
	e.Err = err
	return e
}

func (r *Reader) fail(d Damage, reason string) *Error { return r.failAt(r.at, d, reason) }

func (r *Reader) failAt(at int64, d Damage, reason string) *Error {
	return &Error{Damage: d, Name: r.name, Offset: at, Safe: r.safe, Multi: r.multi, Reason: reason}
}
