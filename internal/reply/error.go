package reply

import (
	"fmt"
	"strings"
)

// Error is a Redis error reply: a code such as ERR or WRONGTYPE and a message.
type Error struct {
	Code    string // first word of the error line, upper case
	Message string // the rest of the line
}

// Error returns the error line, code first, as Redis sends it after the dash.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code
	}
	return e.Code + " " + e.Message
}

// Is reports whether target is an *Error with the same code and, when target
// has a message, the same message. It serves errors.Is.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}

// ParseError splits an error line into code and message.
func ParseError(line string) *Error {
	code, msg, _ := strings.Cut(line, " ")
	return &Error{Code: code, Message: msg}
}

// Err is an error reply; line holds the code and the message, without a dash.
func Err(line string) Value { return newText(KindError, line) }

// Told is the error reply v, marked as one that the error statistics have counted already: a script hands on what a command
// answered it.
func Told(v Value) Value {
	v.marks |= toldMark
	return v
}

// Refused is the error reply v, marked as one to a command that was refused before it ran.
func Refused(v Value) Value {
	v.marks |= refusedMark
	return v
}

// Refused reports whether v was marked by [Refused].
func (v Value) Refused() bool { return v.marks&refusedMark != 0 }

// Told reports whether v was marked by [Told].
func (v Value) Told() bool { return v.marks&toldMark != 0 }

// Errorf is [Err] with formatting. Arguments are put in as they are: a caller that quotes
// user input does so first.
func Errorf(format string, args ...any) Value { return Err(fmt.Sprintf(format, args...)) }
