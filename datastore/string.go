package datastore

import "fmt"

// String is the value of a string key. It is kept as an integer, as a text that it shares
// with whoever gave it (Go strings are immutable), or in a buffer of its own.
//
// Invariant: bytes of the buffer that [String.Text] has handed out are never written again. Appending
// writes behind them; SetRange copies the buffer first when lent is set.
type String struct {
	text string // the bytes; of an integer "" until somebody asks for them
	num  int64  // encInt: the integer. encRaw: size of the own buffer behind text, 0 for none
	enc  stringEnc
	lent bool // text, in the own buffer, was handed out
	solo bool // an integer that does not share Redis's object of small integers
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

// NewString returns a string; text that is the decimal form of an integer is kept as one.
func NewString(text string) *String {
	s := &String{}
	s.set(text)
	return s
}

func (s *String) set(text string) {
	if n, ok := ParseInt(text); ok {
		*s = String{text: text, num: n}
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

// Shared reports whether Redis would keep the value in one of the integer objects that all keys share.
func (s *String) Shared() bool {
	return s.enc == encInt && !s.solo && s.num >= 0 && s.num < sharedInts
}

// Len is the length in bytes.
func (s *String) Len() int {
	if s.enc == encInt {
		return len(s.Text())
	}
	return len(s.text)
}

// Text returns the bytes. They stay as they are, whatever happens to the String.
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

// view is Text for a look that ends before s changes: the bytes are not lent.
func (s *String) view() string {
	if s.enc == encInt {
		return s.Text()
	}
	return s.text
}

// Int returns the integer that the text is the decimal form of.
func (s *String) Int() (n int64, ok bool) {
	if s.enc == encInt {
		return s.num, true
	}
	return ParseInt(s.text)
}

// Set gives s another text, kept as an integer where it is one.
func (s *String) Set(st *Store, text string) {
	s.keep(st)
	s.set(text)
}

// SetPlain gives s another text that is kept as text even where it is an integer.
func (s *String) SetPlain(st *Store, text string) {
	s.keep(st)
	s.setPlain(text)
}

// SetInt makes s the integer n.
func (s *String) SetInt(st *Store, n int64) {
	s.keep(st)
	*s = String{num: n}
}

// keep journals s as it is, for a change that leaves its bytes alone.
func (s *String) keep(st *Store) {
	if st.Recording() {
		old := *s
		st.record(func() { *s = old })
	}
}

// clone returns a copy that shares the bytes; neither of the two writes to them again.
func (s *String) clone() Object {
	c := &String{text: s.text, enc: s.enc, solo: true}
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

// String returns the string under key, nil when there is no such key, and [ErrWrongType]
// when the key holds another type.
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

// SetString stores text under key, whatever was there; the expiry time goes, or stays with
// keepTTL. It emits nothing but the expired of an old value whose time has come.
func (db *DB) SetString(key, text string, keepTTL bool) *Entry {
	p, added := db.keys.put(key)
	if !added {
		if e := *p; !db.dead(e) {
			db.overwrite(e, text, keepTTL)
			return e
		}
		db.expire(*p)
		p, _ = db.keys.put(key)
	}
	both := &struct {
		e Entry
		s String
	}{} // one allocation
	both.s.set(text)
	both.e.init(key, &both.s, db.store.Now())
	*p = &both.e
	db.enter(*p)
	db.added(key)
	return &both.e
}

// NewText puts an empty string under a key that is not there, for SetRange or SetPlain to fill.
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
		db.Replace(e, NewString(text))
	}
	if !keepTTL && e.expireAt != 0 {
		db.setExpire(e, 0)
	}
	db.store.touch(e)
}
