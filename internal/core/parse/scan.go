package parse

import (
	"strconv"
	"strings"
)

// PlainCursor reads a cursor as Redis does since 7.2: a number below zero is none, white space may
// precede it, and what does not fit into 64 bits with a sign is read as by [Cursor].
func PlainCursor(s string) (uint64, bool) {
	if n, ok := Int(s); ok {
		return uint64(n), n >= 0
	}
	s, _, _ = strings.Cut(s, "\x00")
	if s = strings.TrimLeft(s, " \t\n\v\f\r"); s == "" {
		return 0, false
	}
	return Cursor(s)
}

// Cursor reads a cursor as C's strtoul does: a sign is allowed, a minus wraps around, the
// empty text is 0, and text behind a NUL byte is ignored.
func Cursor(s string) (uint64, bool) {
	s, _, _ = strings.Cut(s, "\x00")
	if s == "" {
		return 0, true
	}
	digits := strings.TrimPrefix(s, "+")
	minus := len(digits) == len(s) && s[0] == '-'
	if minus {
		digits = s[1:]
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if minus {
		n = -n
	}
	return n, err == nil
}
