package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxName is the longest name, in bytes.
const MaxName = 512

// NameRule says what CheckName checks.
const NameRule = "a name must be 1 to 512 bytes of UTF-8 without { and }"

// CheckName returns an error that wraps sentinel unless name can be the hash tag of keys: 1 to
// MaxName bytes of UTF-8 without braces.
func CheckName(sentinel error, name string) error {
	if strings.ContainsAny(name, "{}") {
		return fmt.Errorf("%w: %.60q", sentinel, name)
	}
	return CheckText(sentinel, name)
}

// CheckText returns an error that wraps sentinel unless text is 1 to MaxName bytes of UTF-8.
func CheckText(sentinel error, text string) error {
	if text == "" || len(text) > MaxName || !utf8.ValidString(text) {
		return fmt.Errorf("%w: %.60q", sentinel, text)
	}
	return nil
}

// Int is n as an argument.
func Int(n int64) string { return strconv.FormatInt(n, 10) }

// Millis is d in milliseconds, rounded up, as an argument.
func Millis(d time.Duration) string { return Int(CeilMillis(d)) }

// CeilMillis is d in milliseconds, rounded up.
func CeilMillis(d time.Duration) int64 {
	ms := d.Milliseconds()
	if time.Duration(ms)*time.Millisecond < d {
		ms++
	}
	return ms
}

// Micros is d in microseconds, rounded down, as an argument.
func Micros(d time.Duration) string { return Int(d.Microseconds()) }

// Names are the names of the values of an enumerated type, by value. A value whose name is empty
// does not exist.
type Names []string

// Of is the name of value i, or such as "State(7)" if it does not exist.
func (n Names) Of(kind string, i int) string {
	if i < 0 || i >= len(n) || n[i] == "" {
		return kind + "(" + strconv.Itoa(i) + ")"
	}
	return n[i]
}

// Text returns the name of value i, or an error if the value does not exist. The value 0 of a type
// that begins at 1 has the empty name.
func (n Names) Text(kind string, i int) ([]byte, error) {
	if i < 0 || i >= len(n) || n[i] == "" && i > 0 {
		return nil, fmt.Errorf("%s: there is no value %d", kind, i)
	}
	return []byte(n[i]), nil
}

// Read sets *i to the value of a name that Text has returned.
func (n Names) Read(kind string, i *int, text []byte) error {
	at := slices.Index(n, string(text))
	if at < 0 {
		return fmt.Errorf("%s: %.60q is none of %q", kind, text, slices.DeleteFunc(slices.Clone(n), func(s string) bool { return s == "" }))
	}
	*i = at
	return nil
}

// Find returns the value of a name, or 0 if there is none.
func (n Names) Find(name string) int {
	for i, s := range n {
		if s == name && s != "" {
			return i
		}
	}
	return 0
}

// Default sets *v to def if *v is zero.
func Default[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
