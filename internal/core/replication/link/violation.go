package link

import (
	"errors"
	"fmt"
)

// ErrProtocol is wrapped by the error of a connection after which the position of the replica means
// nothing any more.
var ErrProtocol = errors.New("protocol violated")

// Violation is the error of a stream that is not in the protocol. It wraps [ErrProtocol].
type Violation struct {
	Reply string // the error that a client gets for it; "": the stream is not in the protocol at all
	Note  string // the same for the log
	Seen  string // what had arrived and was not read, shortened
}

// Error implements error.
func (v *Violation) Error() string { return fmt.Sprintf("%v: %s", ErrProtocol, v.Note) }

// Unwrap returns [ErrProtocol].
func (v *Violation) Unwrap() error { return ErrProtocol }

// seenMost is the length from which what has arrived is shortened for the log.
const seenMost = 128

// seen returns what has arrived as the log shows it.
func seen(b []byte) string {
	text, half := "", seenMost/2
	if len(b) < seenMost {
		text = fmt.Sprintf("Query buffer during protocol error: '%s'", b)
	} else {
		text = fmt.Sprintf("Query buffer during protocol error: '%s' (... more %d bytes ...) '%s'", b[:half], len(b)-seenMost, b[len(b)-half:])
	}
	out := []byte(text)
	for i, c := range out {
		if c < ' ' || c > '~' {
			out[i] = '.'
		}
	}
	return string(out)
}
