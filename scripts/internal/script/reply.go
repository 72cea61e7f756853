package script

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

// Reply is the reply of a script: its outcome and the details that follow it.
//
// The methods that read details do not return errors. The first detail that is missing or has
// another type than asked for sets the error that Err returns; what is read from it is zero.
type Reply struct {
	Outcome string

	script  *Script
	details []engine.Value
	err     error
}

// Len is the number of details.
func (r *Reply) Len() int { return len(r.details) }

// Value is detail i, counted from 0.
func (r *Reply) Value(i int) engine.Value {
	if i >= len(r.details) {
		r.fail("has %d details, want at least %d", len(r.details), i+1)
		return engine.Value{}
	}
	return r.details[i]
}

// Int is detail i, an integer or a text that holds one in decimal. Scripts send a number as text
// where it may have more digits than Lua prints.
func (r *Reply) Int(i int) int64 { return r.IntOf(r.Value(i)) }

// Text is detail i, a text.
func (r *Reply) Text(i int) string { return r.TextOf(r.Value(i)) }

// List is detail i, a list.
func (r *Reply) List(i int) []engine.Value { return r.ListOf(r.Value(i)) }

// Texts is detail i, a list of texts.
func (r *Reply) Texts(i int) []string { return r.TextsOf(r.Value(i)) }

// IntOf is an integer within a detail; see Int.
func (r *Reply) IntOf(v engine.Value) int64 {
	if v.Kind() == engine.KindInt || v.Kind() == engine.KindBulk {
		if n, err := v.Int(); err == nil {
			return n
		}
	}
	r.fail("has %v where an integer is expected", v)
	return 0
}

// TextOf is a text within a detail.
func (r *Reply) TextOf(v engine.Value) string {
	if v.Kind() != engine.KindBulk {
		r.fail("has %v where a text is expected", v)
		return ""
	}
	return v.Text()
}

// ListOf is a list within a detail.
func (r *Reply) ListOf(v engine.Value) []engine.Value {
	if v.Kind() != engine.KindArray {
		r.fail("has %v where a list is expected", v)
		return nil
	}
	return v.Slice()
}

// TextsOf is a list of texts within a detail.
func (r *Reply) TextsOf(v engine.Value) []string {
	list := r.ListOf(v)
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = r.TextOf(x)
	}
	return texts
}

// Err is the first error of reading details, or nil.
func (r *Reply) Err() error { return r.err }

// Unexpected is the error for an outcome that the caller does not know.
func (r *Reply) Unexpected() error {
	return fmt.Errorf("%s: unexpected outcome %q", r.script.name, r.Outcome)
}

// Malformed is the error for details that have the expected types but do not make sense.
func (r *Reply) Malformed(format string, args ...any) error {
	r.fail(format, args...)
	return r.err
}

func (r *Reply) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: the reply %q "+format, append([]any{r.script.name, r.Outcome}, args...)...)
	}
}
