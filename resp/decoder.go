package resp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/reply"
)

// Limits of a Decoder. It never allocates memory because of a length alone: strings and lists grow
// as their bytes arrive.
const (
	maxDepth     = 1024      // levels of nested aggregates
	maxReplyLine = 1 << 20   // bytes of a status, error or number
	maxReplyBulk = 1 << 30   // bytes of a bulk string
	maxElements  = 1<<31 - 1 // elements of one aggregate
)

// ErrProtocol is wrapped by the errors that a [Decoder] returns for malformed RESP.
var ErrProtocol = errors.New("resp: protocol error")

// Decoder reads replies as a client does, in RESP2 and RESP3. A bulk string may have at most 1 GiB,
// a status, error or number 1 MiB; aggregates may be nested 1024 levels deep. A Decoder must not be
// used by several goroutines at the same time.
type Decoder struct {
	r *bufio.Reader
}

// NewDecoder returns a decoder that reads from r through a buffer of 16 KiB.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{r: bufio.NewReaderSize(r, 16<<10)} }

// Buffered returns the number of bytes that have been read but not yet decoded.
func (d *Decoder) Buffered() int { return d.r.Buffered() }

// Decode reads one reply, which may be a push message. An error reply is a value, not an error.
// Decode returns io.EOF if the stream ends between two replies, io.ErrUnexpectedEOF if it ends
// within one, and an error that wraps [ErrProtocol] for malformed bytes, after which the decoder
// must not be used again.
func (d *Decoder) Decode() (reply.Value, error) {
	if _, err := d.r.Peek(1); err != nil {
		return reply.Value{}, err
	}
	v, err := d.value(0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return v, err
}

func (d *Decoder) value(depth int) (reply.Value, error) {
	if depth > maxDepth {
		return reply.Value{}, fmt.Errorf("%w: nested deeper than %d", ErrProtocol, maxDepth)
	}
	line, err := d.line()
	if err != nil {
		return reply.Value{}, err
	}
	if line == "" {
		return reply.Value{}, fmt.Errorf("%w: empty line", ErrProtocol)
	}
	mark, rest := line[0], line[1:]
	switch mark {
	case '+':
		return reply.Status(rest), nil
	case '-':
		return reply.Err(rest), nil
	case ':':
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return reply.Value{}, malformed("integer", line)
		}
		return reply.Int(n), nil
	case '_':
		return reply.Nil(), nil
	case '#':
		if rest != "t" && rest != "f" {
			return reply.Value{}, malformed("boolean", line)
		}
		return reply.Bool(rest == "t"), nil
	case ',':
		f, err := parseDouble(rest)
		if err != nil {
			return reply.Value{}, malformed("double", line)
		}
		return reply.Double(f), nil
	case '(':
		return reply.BigNumber(rest), nil
	case '$', '!', '=':
		return d.blob(mark, rest, line)
	case '*', '~', '>', '%', '|':
		return d.aggregate(mark, rest, line, depth)
	}
	return reply.Value{}, malformed("type", line)
}

// blob reads a value that consists of a length and bytes.
func (d *Decoder) blob(mark byte, size, line string) (reply.Value, error) {
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n < -1 || n > maxReplyBulk {
		return reply.Value{}, malformed("length", line)
	}
	if n == -1 {
		return reply.Nil(), nil
	}
	s, err := d.bytes(int(n))
	if err != nil {
		return reply.Value{}, err
	}
	switch mark {
	case '!':
		return reply.Err(s), nil
	case '=':
		if len(s) < 4 || s[3] != ':' {
			return reply.Value{}, malformed("verbatim string", s[:min(len(s), 32)])
		}
		return reply.Verbatim(s[:3], s[4:]), nil
	}
	return reply.Bulk(s), nil
}

// aggregate reads a value that contains other values.
func (d *Decoder) aggregate(mark byte, size, line string, depth int) (reply.Value, error) {
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil || n < -1 || n > maxElements {
		return reply.Value{}, malformed("length", line)
	}
	if n == -1 {
		return reply.NilArray(), nil
	}
	switch mark {
	case '%':
		n *= 2
	case '|':
		n = 2*n + 1 // the reply that has the attributes follows them
	}
	list := make([]reply.Value, 0, min(n, 32))
	for range n {
		v, err := d.value(depth + 1)
		if err != nil {
			return reply.Value{}, err
		}
		list = append(list, v)
	}
	switch mark {
	case '%':
		return reply.Map(list...), nil
	case '~':
		return reply.Set(list...), nil
	case '>':
		return reply.Push(list...), nil
	case '|':
		return reply.Attribute(list[n-1], list[:n-1]...), nil
	}
	return reply.Array(list...), nil
}

// line reads up to the next CR LF and returns the bytes before it.
func (d *Decoder) line() (string, error) {
	var long []byte
	for {
		part, err := d.r.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			return cutCRLF(part)
		case err == nil:
			return cutCRLF(append(long, part...))
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
		long = append(long, part...)
		if len(long) > maxReplyLine {
			return "", fmt.Errorf("%w: line longer than %d bytes", ErrProtocol, maxReplyLine)
		}
	}
}

func cutCRLF(b []byte) (string, error) {
	if len(b) < 2 || b[len(b)-2] != '\r' {
		return "", fmt.Errorf("%w: line without CR LF", ErrProtocol)
	}
	return string(b[:len(b)-2]), nil
}

// bytes reads n bytes and the CR LF after them.
func (d *Decoder) bytes(n int) (string, error) {
	var sb strings.Builder
	for left := n; left > 0; {
		part, err := d.r.Peek(min(left, max(d.r.Buffered(), 1)))
		if err != nil {
			return "", err
		}
		if left == n {
			sb.Grow(min(n, 64<<10))
		}
		sb.Write(part)
		left -= len(part)
		_, _ = d.r.Discard(len(part))
	}
	end, err := d.r.Peek(2)
	if err != nil {
		return "", err
	}
	if end[0] != '\r' || end[1] != '\n' {
		return "", fmt.Errorf("%w: bulk string without CR LF", ErrProtocol)
	}
	_, err = d.r.Discard(2)
	return sb.String(), err
}

func parseDouble(s string) (float64, error) {
	switch s {
	case "inf", "+inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	case "nan":
		return math.Copysign(math.NaN(), 1), nil
	case "-nan":
		return math.Copysign(math.NaN(), -1), nil
	}
	return strconv.ParseFloat(s, 64)
}

func malformed(what, line string) error {
	return fmt.Errorf("%w: bad %s in %q", ErrProtocol, what, line[:min(len(line), 32)])
}
