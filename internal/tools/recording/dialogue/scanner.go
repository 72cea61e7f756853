package dialogue

import (
	"bytes"
	"errors"
	"strconv"
)

// Limits of replies; see package resp.
const (
	maxDepth = 1024
	maxCount = 1<<31 - 1
	// maxString is the length of a string in bytes: more than a server can hold.
	maxString = 1 << 40
)

var errNotRESP = errors.New("not RESP")

// scanner finds the end of a frame, which is a reply or a push, in RESP2 or RESP3. It does not keep
// the bytes.
type scanner struct {
	mark  byte    // first byte of the frame; 0: the frame has not begun
	line  []byte  // beginning of the line in progress
	skip  int64   // bytes of the string in progress, with its CR LF
	stack []level // aggregates in progress, outermost first

	first     []byte // the first element of the frame, as far as it is short
	firstOver bool   // the first element is complete, or there is none, or it is long
	number    int64  // the last integer among the elements of the frame
}

// level is an aggregate of which elements are missing.
type level struct {
	left      int64
	attribute bool // it precedes an element and does not count as one
}

// longFirst is the length from which a first element is not kept. The names of pushes are shorter.
const longFirst = 24

func (s *scanner) reset() {
	*s = scanner{line: s.line[:0], stack: s.stack[:0], first: s.first[:0]}
}

// feed reads b up to the end of the frame. It returns how many bytes belong to the frame, and
// whether it is complete.
func (s *scanner) feed(b []byte) (n int, done bool, err error) {
	for n < len(b) {
		if s.skip > 0 {
			k := int(min(s.skip, int64(len(b)-n)))
			if s.atFirst() && len(s.first) < longFirst {
				s.first = append(s.first, b[n:n+min(k, longFirst+2-len(s.first))]...)
				s.firstOver = len(s.first) >= longFirst
			}
			n += k
			if s.skip -= int64(k); s.skip == 0 {
				s.first = bytes.TrimSuffix(s.first, []byte("\r\n"))
				if s.element() {
					return n, true, nil
				}
			}
			continue
		}
		end := bytes.IndexByte(b[n:], '\n')
		part := b[n:]
		if end >= 0 {
			part = b[n : n+end+1]
		}
		n += len(part)
		s.line = append(s.line, part[:min(len(part), max(0, 64-len(s.line)))]...)
		if s.mark == 0 {
			s.mark = s.line[0]
		}
		if end < 0 {
			continue
		}
		if done, err = s.header(bytes.TrimRight(s.line, "\r\n")); done || err != nil {
			return n, done, err
		}
		s.line = s.line[:0]
	}
	return n, false, nil
}

// atFirst reports whether the first element of the frame is in progress.
func (s *scanner) atFirst() bool { return len(s.stack) == 1 && !s.firstOver }

// header reads a line. It reports whether the frame is complete.
func (s *scanner) header(line []byte) (done bool, err error) {
	if len(line) == 0 {
		return false, errNotRESP
	}
	text := line[1:]
	switch line[0] {
	case '+', '-', ',', '(', '_', '#':
		if s.atFirst() {
			s.first = append(s.first, text...)
		}
	case ':':
		if len(s.stack) == 1 {
			s.number, _ = strconv.ParseInt(string(text), 10, 64)
		}
	case '$', '=', '!':
		size, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || size < -1 || size > maxString {
			return false, errNotRESP
		}
		if size >= 0 {
			s.skip = size + 2
			return false, nil
		}
	case '*', '~', '>', '%', '|':
		count, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || count < -1 || count > maxCount || len(s.stack) == maxDepth {
			return false, errNotRESP
		}
		return s.aggregate(line[0], count), nil
	default:
		return false, errNotRESP
	}
	return s.element(), nil
}

// aggregate begins an aggregate.
func (s *scanner) aggregate(mark byte, count int64) (done bool) {
	if mark == '%' || mark == '|' {
		count *= 2
	}
	if s.atFirst() {
		s.firstOver = true // the first element is an aggregate
	}
	if count <= 0 {
		return mark != '|' && s.element()
	}
	s.stack = append(s.stack, level{count, mark == '|'})
	return false
}

// element ends an element, and the aggregates that it completes. It reports whether the frame is
// complete.
func (s *scanner) element() (done bool) {
	for {
		top := len(s.stack) - 1
		if top < 0 {
			return true
		}
		if top == 0 {
			s.firstOver = true
		}
		if s.stack[top].left--; s.stack[top].left > 0 {
			return false
		}
		attribute := s.stack[top].attribute
		s.stack = s.stack[:top]
		if attribute {
			return false
		}
	}
}
