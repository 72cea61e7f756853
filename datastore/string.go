package datastore

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// String is the value of a string key. It is stored as an integer, as a Go string shared with the
// caller that set it, or in a buffer of its own.
//
// Invariant: bytes of the buffer that [String.Text] has returned are never changed. Append writes
// after them; SetRange copies the buffer first if lent is set.
type String struct {
	text string // the bytes; for encInt "" until Text is called
	// encInt: the integer. encRaw: size of the own buffer that text is in, 0 for none
	num      int64
	enc      stringEnc
	lent     bool // Text has returned text, which is in the own buffer
	unshared bool // an integer that does not use Redis's shared object of small integers
}

type stringEnc uint8

const (
	encInt stringEnc = iota
	encEmbstr
	encRaw
)

var stringEncNames = [...]string{"int", "embstr", "raw"}

// maxEmbstr is the longest text, in bytes, whose encoding is embstr.
const maxEmbstr = 44

// NewString returns a string. A text that is the decimal form of an integer is stored as an
// integer.
func NewString(text string) *String {
	s := &String{}
	s.set(text, false)
	return s
}

// newString is NewString for a store, whose limits say whether small integers are shared.
func (st *Store) newString(text string) *String {
	s := &String{}
	s.set(text, st.limits.OwnIntegers)
	return s
}

func (s *String) set(text string, unshared bool) {
	if n, ok := ParseInt(text); ok {
		*s = String{text: text, num: n, unshared: unshared}
		return
	}
	s.setPlain(text)
}

func (s *String) setPlain(text string) {
	*s = String{text: text, enc: encEmbstr}
	if len(text) > maxEmbstr {
		s.enc = encRaw
	}
}

// Type is TypeString.
func (s *String) Type() Type { return TypeString }

// Encoding is int, embstr or raw.
func (s *String) Encoding() string { return stringEncNames[s.enc] }

// Shared reports whether Redis would keep the value in one of the integer objects that all keys
// share.
func (s *String) Shared() bool {
	return s.enc == encInt && !s.unshared && s.num >= 0 && s.num < decimal.Shared
}

// Len is the length in bytes.
func (s *String) Len() int {
	if s.enc == encInt {
		return len(s.Text())
	}
	return len(s.text)
}

// Text returns the bytes. The result never changes, whatever happens to the String.
func (s *String) Text() string {
	if s.enc != encInt {
		s.lent = true
		return s.text
	}
	if s.text == "" {
		s.text = FormatInt(s.num)
	}
	return s.text
}

// view is Text, but the result is valid only until s changes, and lent is not set.
func (s *String) view() string {
	if s.enc == encInt {
		return s.Text()
	}
	return s.text
}

// Int returns the integer if the string is the decimal form of one.
func (s *String) Int() (n int64, ok bool) {
	if s.enc == encInt {
		return s.num, true
	}
	return ParseInt(s.text)
}

// Set replaces the text of s, which is stored as an integer if it is the decimal form of one.
func (s *String) Set(st *Store, text string) {
	s.journal(st)
	s.set(text, st.limits.OwnIntegers)
}

// SetPlain replaces the text of s and never stores it as an integer.
func (s *String) SetPlain(st *Store, text string) {
	s.journal(st)
	s.setPlain(text)
}

// SetInt makes s the integer n.
func (s *String) SetInt(st *Store, n int64) {
	s.journal(st)
	*s = String{num: n, unshared: st.limits.OwnIntegers}
}

// journal journals s, for a change that does not write to its buffer.
func (s *String) journal(st *Store) {
	if st.Recording() {
		old := *s
		st.recordKept(len(old.text), func() { *s = old })
	}
}

// clone returns a copy that shares the bytes; neither of the two changes them again.
func (s *String) clone() Object {
	c := &String{text: s.text, enc: s.enc, unshared: true}
	if s.enc == encInt {
		c.num = s.num
	} else {
		s.lent = true
	}
	return c
}

func (s *String) check() error {
	switch {
	case s.enc == encInt && s.text != "" && s.text != FormatInt(s.num):
		return fmt.Errorf("string: integer %d with text %q", s.num, s.text)
	case s.enc == encEmbstr && (len(s.text) > maxEmbstr || s.num != 0):
		return fmt.Errorf("string: embstr of %d bytes, buffer of %d", len(s.text), s.num)
	case s.enc == encRaw && s.num != 0 && s.num < int64(len(s.text)):
		return fmt.Errorf("string: %d bytes in a buffer of %d", len(s.text), s.num)
	}
	return nil
}

// String returns the string of key, nil if there is no such key. The error is [ErrWrongType].
func (db *DB) String(key string) (*String, error) {
	e := db.Lookup(key)
	if e == nil {
		return nil, nil
	}
	s, ok := e.obj.(*String)
	if !ok {
		return nil, ErrWrongType
	}
	if !db.store.reading {
		db.open(e)
	}
	return s, nil
}

// SetString stores text under key, whatever its old value was. The expiry time is removed, or kept
// with keepTTL. SetString emits nothing, except the event expired of an old value that has expired.
func (db *DB) SetString(key, text string, keepTTL bool) *Entry {
	p, added := db.keys.Put(key)
	if !added {
		if e := *p; !db.expired(e) {
			db.overwrite(e, text, keepTTL)
			return e
		}
		db.expire(*p)
		p, _ = db.keys.Put(key)
	}
	both := &struct {
		e Entry
		s String
	}{} // one allocation
	both.s.set(text, db.store.limits.OwnIntegers)
	both.e.init(key, &both.s, db.store.LastNow())
	*p = &both.e
	db.enter(*p)
	db.keyAdded(*p)
	return &both.e
}

// NewText puts an empty string under a missing key, for SetRange or SetPlain to fill.
func (db *DB) NewText(key string) *String {
	s := &String{enc: encEmbstr}
	db.Put(key, s)
	return s
}

func (db *DB) overwrite(e *Entry, text string, keepTTL bool) {
	if s, ok := e.obj.(*String); ok {
		db.open(e)
		s.Set(db.store, text)
	} else {
		db.Replace(e, db.store.newString(text))
	}
	if !keepTTL && e.expireAt != 0 {
		db.setExpire(e, 0)
	}
	db.store.touch(e)
}
