package resp

import (
	"bytes"
	"math"
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/quoting"
)

// Sizes of the request parser; the limits are Redis's.
const (
	readSize     = 16 << 10  // bytes of a connection's read buffer
	inlineMax    = 64 << 10  // bytes of an inline request, and of a length line
	maxBulkLen   = 512 << 20 // bytes of an argument, by default
	bigChunk     = 64 << 10  // first allocation for an argument that does not fit the read buffer
	arenaKeep    = 1024      // arguments whose room is kept between batches
	noAuthCount  = 10        // arguments of a request before authentication
	noAuthLength = 16384     // bytes of an argument before authentication
)

// protocolError is an error in the bytes of a request: the text that follows "ERR Protocol error: ".
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// parser cuts the bytes of a connection into requests. The connection reads into room, says so with
// fill, and takes requests with next until there is none.
//
// Invariant: what lies in buf[r:w] is unread, but for the spans of the request in progress, which lie before r and
// are made strings before buf moves.
type parser struct {
	maxBulk int64 // bytes of one argument
	noAuth  bool  // the stricter limits before authentication hold

	buf   []byte
	r, w  int
	left  int    // arguments that are missing in the request in progress; 0: none is in progress
	bulk  int    // bytes of the argument in progress; -1: its length is not known
	big   []byte // the argument in progress, where it does not fit buf; grows as its bytes come
	spans []span // arguments of the request in progress that are in buf

	arena []string // arguments, of the requests that next has returned and, from first, of the one in progress
	first int
	names names
}

func newParser() *parser {
	return &parser{maxBulk: maxBulkLen, buf: make([]byte, readSize), bulk: -1, names: names{}}
}

// room is where the next bytes of the connection are to be read to. It is never empty.
func (p *parser) room() []byte {
	if p.big != nil && len(p.big) < p.bulk {
		if len(p.big) == cap(p.big) {
			grown := make([]byte, len(p.big), min(2*cap(p.big), p.bulk))
			copy(grown, p.big)
			p.big = grown
		}
		return p.big[len(p.big):cap(p.big)]
	}
	if p.w == len(p.buf) || p.r == p.w {
		p.compact()
	}
	return p.buf[p.w:]
}

// compact makes room at the end of buf. Only a line without end makes buf grow.
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

// fill says that n bytes have been read to room.
func (p *parser) fill(n int) {
	if p.big != nil && len(p.big) < p.bulk {
		p.big = p.big[:len(p.big)+n]
		return
	}
	p.w += n
}

// pending is how many bytes Redis would hold of what has come and has not been taken: of an argument that stands alone, no more than
// the line break behind it.
func (p *parser) pending() int64 {
	if p.big != nil {
		return int64(len(p.big) + min(p.w-p.r, 2))
	}
	return int64(p.w - p.r)
}

// size is how many bytes the buffers take.
func (p *parser) size() int64 { return int64(len(p.buf) + cap(p.big)) }

// progress counts the arguments of the request in progress that have come, and their bytes.
func (p *parser) progress() (n, bytes int64) {
	for _, s := range p.spans {
		bytes += int64(s.to - s.from)
	}
	for _, a := range p.arena[p.first:] {
		bytes += int64(len(a))
	}
	return int64(len(p.spans) + len(p.arena) - p.first), bytes
}

// next returns the next request, which is never empty, or nil when its bytes have not all come. Its strings are
// the caller's; the slice is good until reset. After an error the parser is of no more use.
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

// reset forgets the requests that next has returned.
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
	if p.arena, ok = quoting.AppendWords(p.arena, bytes.TrimSuffix(unread[:end], []byte{'\r'})); !ok {
		return false, protocolError("unbalanced quotes in request")
	}
	return true, nil
}

// count reads the number of arguments; left stays 0 when the request is empty.
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
		if len(p.big) < p.bulk || unread < 2 {
			return false, nil
		}
		p.arena = append(p.arena, unsafe.String(&p.big[0], len(p.big)))
		p.big = nil
		p.r += 2 // Redis does not look at these two bytes
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

// startBig moves the argument in progress out of buf.
func (p *parser) startBig() {
	p.takeSpans()
	have := min(p.w-p.r, p.bulk)
	p.big = make([]byte, have, min(max(bigChunk, have), p.bulk))
	copy(p.big, p.buf[p.r:p.r+have])
	p.r += have
}

// takeSpans makes the arguments that lie in buf strings.
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

// line takes a length line: up to a CR, and the byte behind it, whatever that is. It returns at
// least one byte, which may be the CR.
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

// tooLong is the error for a length line that has not ended, if it is too long already.
func (p *parser) tooLong(text string) error {
	unread := p.buf[p.r:p.w]
	if len(unread) > inlineMax && indexBeforeNUL(unread, '\r') < 0 {
		return protocolError(text)
	}
	return nil
}

// indexBeforeNUL is the index of c in b, where Redis, which searches a C string, would find it; else -1.
func indexBeforeNUL(b []byte, c byte) int {
	i := bytes.IndexByte(b, c)
	if i >= 0 && bytes.IndexByte(b[:i], 0) >= 0 {
		return -1
	}
	return i
}

// parseLength reads a decimal number as strictly as Redis does: no plus sign, no leading zeros, no spaces, no
// negative zero, 64 bits.
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
