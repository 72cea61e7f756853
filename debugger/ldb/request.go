package ldb

import (
	"bytes"
	"math"
	"strings"
)

const (
	maxArgs   = 1024
	maxArgLen = 1024 // bytes
)

// parseCommand parses a command that a client has sent. It returns nil if more bytes are needed,
// and bad if the bytes are not a command. As in Redis, bytes before the first asterisk are skipped,
// an argument must not be empty, and bytes that are not needed to find the arguments are not
// checked. A NUL byte there counts as the end of the input.
func parseCommand(b []byte) (args []string, bad bool) {
	if len(b) == 0 {
		return nil, false
	}
	at := bytes.IndexByte(b, '*')
	if at < 0 || bytes.IndexByte(b[:at], 0) >= 0 {
		return nil, true
	}
	count, p, ok := header(b, at+1)
	if !ok {
		return nil, false
	}
	if count <= 0 || count > maxArgs {
		return nil, true
	}
	found := make([][]byte, 0, count)
	for range count {
		if p >= len(b) || b[p] == 0 {
			return nil, false
		}
		if b[p] != '$' {
			return nil, true
		}
		var size int32
		if size, p, ok = header(b, p+1); !ok {
			return nil, false
		}
		if size <= 0 || size > maxArgLen {
			return nil, true
		}
		end := p + int(size)
		if end+2 > len(b) {
			return nil, false
		}
		found = append(found, b[p:end])
		if b[end] != '\r' || b[end+1] != '\n' {
			return nil, true
		}
		p = end + 2
	}
	for _, arg := range found {
		args = append(args, string(arg))
	}
	return args, false
}

// header parses the number up to the end of its line. next is where the next line begins.
func header(b []byte, at int) (n int32, next int, ok bool) {
	line, _, found := bytes.Cut(b[at:], []byte("\r\n"))
	if !found || bytes.IndexByte(line, 0) >= 0 {
		return 0, at, false
	}
	return atoi(string(line)), at + len(line) + 2, true
}

// cString returns s as C code sees it: up to its first NUL byte.
func cString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// atoi is C's atoi: it skips blanks and ignores everything after the digits. A number that is too
// large loses its upper 32 bits.
func atoi(s string) int32 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	var n uint64
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		digit := uint64(s[i] - '0')
		if n > (limit-digit)/10 {
			n = limit
			break
		}
		n = n*10 + digit
	}
	if negative {
		n = -n
	}
	return int32(n)
}
