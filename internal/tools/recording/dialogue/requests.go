package dialogue

import (
	"bytes"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// maxInline is the number of bytes that an inline request, and a line with a length, may have.
const maxInline = 64 << 10

// requests cuts what a client sends into arguments, as redis-server does. It keeps only lines.
type requests struct {
	line     []byte // the line in progress
	left     int64  // arguments that are missing in the request in progress
	inString bool   // skip belongs to an argument
	skip     int64  // bytes of the argument in progress that are missing, with its CR LF

	arg  func(piece []byte, last bool) // gets the argument in pieces
	over func()                        // is called at the end of a request
}

// feed reads b.
func (r *requests) feed(b []byte) error {
	for len(b) > 0 {
		if r.inString {
			b = r.stringPiece(b)
			continue
		}
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			if r.line = append(r.line, b...); len(r.line) > maxInline {
				return errNotRESP
			}
			return nil
		}
		line := b[:end]
		b = b[end+1:]
		if len(r.line) > 0 {
			r.line = append(r.line, line...)
			line = r.line
		}
		err := r.header(bytes.TrimSuffix(line, []byte{'\r'}))
		r.line = r.line[:0]
		if err != nil {
			return err
		}
	}
	return nil
}

// stringPiece reads a piece of an argument and returns what is behind it.
func (r *requests) stringPiece(b []byte) []byte {
	k := min(r.skip, int64(len(b)))
	piece := b[:min(k, max(0, r.skip-2))]
	r.skip -= k
	if r.skip > 0 {
		if len(piece) > 0 {
			r.arg(piece, false)
		}
		return b[k:]
	}
	r.inString = false
	r.left--
	r.arg(piece, true)
	if r.left == 0 {
		r.over()
	}
	return b[k:]
}

// header reads a line: the number of arguments, the length of one, or an inline request.
func (r *requests) header(line []byte) error {
	if r.left > 0 {
		if len(line) == 0 || line[0] != '$' {
			return errNotRESP
		}
		size, err := strconv.ParseInt(string(line[1:]), 10, 64)
		if err != nil || size < 0 || size > maxString {
			return errNotRESP
		}
		r.inString, r.skip = true, size+2
		return nil
	}
	if len(line) > 0 && line[0] == '*' {
		count, err := strconv.ParseInt(string(line[1:]), 10, 64)
		if err != nil || count > maxCount {
			return errNotRESP
		}
		r.left = max(count, 0)
		return nil
	}
	if zero := bytes.IndexByte(line, 0); zero >= 0 {
		return errNotRESP // as in Redis, which waits for a line break before the NUL byte
	}
	words, ok := quoting.AppendWords(nil, line, false)
	if !ok {
		return errNotRESP
	}
	for _, w := range words {
		r.arg([]byte(w), true)
	}
	if len(words) > 0 {
		r.over()
	}
	return nil
}
