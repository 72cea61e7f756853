package resp

import (
	"bytes"
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/parts"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// Sizes of the request parser; the limits are Redis's.
const (
	readSize     = 16 << 10  // bytes of a connection's read buffer
	inlineMax    = 64 << 10  // greatest size in bytes of an inline request, and of a length line
	maxBulkLen   = 512 << 20 // greatest size of an argument in bytes, by default
	arenaKeep    = 1024      // greatest capacity, in arguments, that is kept between batches
	noAuthCount  = 10        // greatest number of arguments of a request before authentication
	noAuthLength = 16384     // greatest size of an argument in bytes before authentication
)

// protocolError is the text after "ERR Protocol error: " for a malformed request.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// parser splits the bytes of a connection into requests. The connection reads bytes into room,
// calls fill, and then calls next until it returns no request.
//
// Invariant: buf[r:w] is not yet parsed. The spans of the request in progress are before r; they
// are converted to strings before buf moves.
type parser struct {
	maxBulk int64 // greatest size of an argument in bytes
	noAuth  bool  // use the stricter limits before authentication
	joined  bool  // a word of a line goes on behind a closing quote

	buf  []byte
	r, w int
	// number of arguments missing in the request in progress; 0: no request is in progress
	left  int
	bulk  int         // size of the argument in progress in bytes; -1: not yet known
	big   *parts.Text // the argument in progress, if it does not fit into buf
	spans []span      // arguments of the request in progress that are in buf

	// arguments of the requests that next has returned and, from first on, of the one in progress
	arena []string
	first int
	names names
}

func newParser() *parser {
	return &parser{maxBulk: maxBulkLen, buf: make([]byte, readSize), bulk: -1, names: names{}}
}

// room returns the slice into which the next bytes of the connection must be read. It is never
// empty.
func (p *parser) room() []byte {
	if p.big != nil && !p.big.Whole() {
		return p.big.Room()
	}
	if p.w == len(p.buf) || p.r == p.w {
		p.compact()
	}
	return p.buf[p.w:]
}

// compact makes room at the end of buf. buf grows only for a line that does not fit.
func (p *parser) compact() {
	p.takeSpans()
	buf := p.buf
	switch unread := p.w - p.r; {
	case unread == len(buf):
		p.buf = make([]byte, 2*len(buf))
	case len(buf) > readSize && unread < readSize:
		p.buf = make([]byte, readSize)
	}
	p.w = copy(p.buf, buf[p.r:p.w])
	p.r = 0
}

// fill adds the n bytes that were read into room.
func (p *parser) fill(n int) {
	if p.big != nil && !p.big.Whole() {
		p.big.Fill(n)
		return
	}
	p.w += n
}

// pending returns the number of bytes that Redis would have in its query buffer: those received but
// not yet in a request. Of a large argument in a buffer of its own, only the line break after it
// counts.
func (p *parser) pending() int64 {
	if p.big != nil {
		return int64(p.big.Len() + min(p.w-p.r, 2))
	}
	return int64(p.w - p.r)
}

// size returns the size of the buffers in bytes.
func (p *parser) size() int64 {
	if p.big != nil {
		return int64(len(p.buf) + p.big.Held())
	}
	return int64(len(p.buf))
}

// progress returns the number of complete arguments of the request in progress, and their bytes.
func (p *parser) progress() (n, bytes int64) {
	for _, s := range p.spans {
		bytes += int64(s.to - s.from)
	}
	for _, a := range p.arena[p.first:] {
		bytes += int64(len(a))
	}
	return int64(len(p.spans) + len(p.arena) - p.first), bytes
}

// next returns the next request, which is never empty, or nil if it is incomplete. The caller owns
// the strings; the slice is valid until reset. After an error the parser must not be used again.
func (p *parser) next() ([]string, error) {
	for {
		ready, err := p.request()
		if !ready || err != nil {
			return nil, err
		}
		args := p.arena[p.first:len(p.arena):len(p.arena)]
		p.first = len(p.arena)
		if len(args) > 0 {
			return args, nil
		}
	}
}

// reset drops the requests that next has returned.
func (p *parser) reset() {
	n := copy(p.arena, p.arena[p.first:])
	clear(p.arena[n:])
	p.arena, p.first = p.arena[:n], 0
	if n == 0 && cap(p.arena) > arenaKeep {
		p.arena = nil
	}
}

// request reads one request, which may be empty, into arena.
func (p *parser) request() (ready bool, err error) {
	if p.left == 0 {
		if p.r == p.w {
			return false, nil
		}
		if p.buf[p.r] != '*' {
			return p.inline()
		}
		if ready, err := p.count(); !ready || err != nil || p.left == 0 {
			return ready, err
		}
	}
	for p.left > 0 {
		if ready, err := p.argument(); !ready || err != nil {
			return false, err
		}
		p.left--
	}
	p.takeSpans()
	return true, nil
}

// inline reads a request that is a line of words.
func (p *parser) inline() (ready bool, err error) {
	unread := p.buf[p.r:p.w]
	end := indexBeforeNUL(unread, '\n')
	if end < 0 {
		if len(unread) > inlineMax {
			return false, protocolError("too big inline request")
		}
		return false, nil
	}
	p.r += end + 1
	var ok bool
	if p.arena, ok = quoting.AppendWords(p.arena, bytes.TrimSuffix(unread[:end], []byte{'\r'}), p.joined); !ok {
		return false, protocolError("unbalanced quotes in request")
	}
	return true, nil
}

// count reads the number of arguments; left stays 0 if the request is empty.
func (p *parser) count() (ready bool, err error) {
	line, ok := p.line()
	if !ok {
		return false, p.tooLong("too big mbulk count string")
	}
	n, ok := parseLength(line[1:])
	switch {
	case !ok || n > math.MaxInt32:
		return false, protocolError("invalid multibulk length")
	case p.noAuth && n > noAuthCount:
		return false, protocolError("unauthenticated multibulk length")
	}
	p.left = int(max(n, 0))
	return true, nil
}

// argument reads one argument, with its length, into spans or arena.
func (p *parser) argument() (ready bool, err error) {
	if p.bulk < 0 {
		if ready, err := p.length(); !ready {
			return false, err
		}
	}
	unread := p.w - p.r
	switch {
	case p.big != nil:
		if !p.big.Whole() || unread < 2 {
			return false, nil
		}
		p.arena = append(p.arena, p.big.String())
		p.big = nil
		p.r += 2 // as in Redis, these two bytes are not checked
	case unread >= p.bulk+2:
		p.spans = append(p.spans, span{p.r, p.r + p.bulk})
		p.r += p.bulk + 2
	case p.bulk+2 > readSize:
		p.startBig()
		return p.argument()
	default:
		return false, nil
	}
	p.bulk = -1
	return true, nil
}

// length reads an argument's length.
func (p *parser) length() (ready bool, err error) {
	line, ok := p.line()
	if !ok {
		return false, p.tooLong("too big bulk count string")
	}
	if line[0] != '$' {
		return false, protocolError("expected '$', got '" + string(line[:1]) + "'")
	}
	n, ok := parseLength(line[1:])
	switch {
	case !ok || n < 0 || n > p.maxBulk:
		return false, protocolError("invalid bulk length")
	case p.noAuth && n > noAuthLength:
		return false, protocolError("unauthenticated bulk length")
	}
	p.bulk = int(n)
	return true, nil
}

// startBig moves the argument in progress from buf to big.
func (p *parser) startBig() {
	p.takeSpans()
	have := min(p.w-p.r, p.bulk)
	p.big = parts.New(p.bulk, p.buf[p.r:p.r+have])
	p.r += have
}

// takeSpans converts the arguments that are in buf to strings.
func (p *parser) takeSpans() {
	spans := p.spans
	if len(spans) == 0 {
		return
	}
	if len(p.arena) == p.first {
		if name, ok := p.names.intern(p.buf[spans[0].from:spans[0].to]); ok {
			p.arena = append(p.arena, name)
			spans = spans[1:]
		}
	}
	p.arena = appendStrings(p.arena, p.buf, spans)
	p.spans = p.spans[:0]
}

// line reads a length line, up to a CR and the byte after it, whatever that is. It returns at least
// one byte, which may be the CR.
func (p *parser) line() ([]byte, bool) {
	unread := p.buf[p.r:p.w]
	end := -1
	for i, c := range unread {
		if c == '\r' {
			end = i
			break
		}
		if c == 0 {
			break
		}
	}
	if end < 0 || end+2 > len(unread) {
		return nil, false
	}
	p.r += end + 2
	if end == 0 {
		return unread[:1], true
	}
	return unread[:end], true
}

// tooLong returns the error for an incomplete length line that is already too long, or nil.
func (p *parser) tooLong(text string) error {
	unread := p.buf[p.r:p.w]
	if len(unread) > inlineMax && indexBeforeNUL(unread, '\r') < 0 {
		return protocolError(text)
	}
	return nil
}

// indexBeforeNUL returns the index of c in b, or -1 if there is none before the first NUL byte.
// Redis searches a C string.
func indexBeforeNUL(b []byte, c byte) int {
	i := bytes.IndexByte(b, c)
	if i >= 0 && bytes.IndexByte(b[:i], 0) >= 0 {
		return -1
	}
	return i
}

// parseLength parses a decimal 64-bit number as strictly as Redis does: no plus sign, no leading
// zeros, no spaces, no negative zero.
func parseLength(b []byte) (int64, bool) {
	neg := len(b) > 1 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	switch {
	case len(b) == 0 || len(b) > 19:
		return 0, false
	case b[0] == '0':
		return 0, len(b) == 1 && !neg
	}
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if neg {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n <= math.MaxInt64
}
