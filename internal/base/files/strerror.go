package files

import (
	"errors"
	"strings"
	"syscall"
)

// Strerror returns the text of the error of a system call as C's strerror does: its reason alone,
// capitalized, without the call and the paths ("No such file or directory"). Of an error that does
// not come from a system call it returns the whole text, capitalized. err must not be nil.
func Strerror(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		err = number
	}
	text := err.Error()
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
