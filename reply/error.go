package reply

import (
	"fmt"
	"strings"
)

// Error is a Redis error reply: a code such as ERR or WRONGTYPE and a message.
type Error struct {
	Code    string // first word of the error line, by convention in upper case
	Message string // the rest of the line
}

// Error returns the error line, code first, as Redis sends it after the dash.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code
	}
	return e.Code + " " + e.Message
}

// Is reports whether target is an *Error with the same code and, if target has a message, the same
// message. errors.Is calls it.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}

// ParseError splits an error line, without the dash, into code and message at its first space.
func ParseError(line string) *Error {
	code, msg, _ := strings.Cut(line, " ")
	return &Error{Code: code, Message: msg}
}

// Err returns an error reply. line is the code and the message, without a dash, CR or LF.
func Err(line string) Value { return newText(KindError, line) }

// Errorf is [Err] with formatting. It does not quote arguments: quote user input with %q if it may
// have a CR or LF.
func Errorf(format string, args ...any) Value { return Err(fmt.Sprintf(format, args...)) }
