package ziplist

// Pairs returns the entries of a zipmap: field, value, field, value ... An empty zipmap is an
// error. As in Redis, bytes after the first end byte are ignored, but the last byte must be an end
// byte too.
func Pairs(zm []byte) ([]string, error) {
	if len(zm) < 2 || zm[len(zm)-1] != end {
		return nil, ErrCorrupt
	}
	r := zipmap{b: zm, p: 1}
	var out []string
	for zm[r.p] != end {
		field := r.text(r.length())
		n := r.length()
		unused := r.number(1)
		value := r.text(n)
		if r.text(unused); r.bad {
			return nil, ErrCorrupt
		}
		out = append(out, field, value)
	}
	if n := len(out) / 2; n == 0 || zm[0] != long && int(zm[0]) != n {
		return nil, ErrCorrupt
	}
	return out, nil
}

// zipmap reads b from p on; p never passes the last byte.
type zipmap struct {
	b   []byte
	p   int
	bad bool
}

// text reads n bytes, after which there must be at least one more.
func (r *zipmap) text(n int64) string {
	if r.bad || n >= int64(len(r.b)-r.p) {
		r.bad = true
		return ""
	}
	s := string(r.b[r.p : r.p+int(n)])
	r.p += int(n)
	return s
}

// number reads n bytes, little endian.
func (r *zipmap) number(n int64) (v int64) {
	s := r.text(n)
	for i := len(s) - 1; i >= 0; i-- {
		v = v<<8 | int64(s[i])
	}
	return v
}

// length reads a length. A length in 4 bytes must not fit into one.
func (r *zipmap) length() int64 {
	n := r.number(1)
	if n < long {
		return n
	}
	if n = r.number(4); n < long {
		r.bad = true
	}
	return n
}
