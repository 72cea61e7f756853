package strlib

// property is a set of character classes.
type property uint16

const (
	alpha property = 1 << iota
	control
	decimal
	lower
	punctuation
	space
	upper
	hexadecimal
	zero
)

var (
	properties = newProperties()          // of each byte, in the C locale
	classes    = newClasses()             // the class of a letter after %; 0: the letter itself
	classSets  = newClassSets()           // the bytes of each class
	special    = newByteSet("^$*+?.([%-") // the bytes that make a pattern more than plain text for find; ) does not
)

func newProperties() (t [256]property) {
	for i := range 128 {
		c := byte(i)
		var p property
		if c-'a' < 26 {
			p |= alpha | lower
		}
		if c-'A' < 26 {
			p |= alpha | upper
		}
		if c-'0' < 10 {
			p |= decimal | hexadecimal
		}
		if c|0x20-'a' < 6 && p&alpha != 0 {
			p |= hexadecimal
		}
		if c == ' ' || c-'\t' < 5 {
			p |= space
		}
		if c < ' ' || c == 0x7f {
			p |= control
		}
		if c > ' ' && c < 0x7f && p == 0 {
			p |= punctuation
		}
		t[i] = p
	}
	t[0] |= zero
	return t
}

func newClasses() (t [256]property) {
	for letter, p := range map[byte]property{
		'a': alpha, 'c': control, 'd': decimal, 'l': lower, 'p': punctuation, 's': space, 'u': upper,
		'w': alpha | decimal, 'x': hexadecimal, 'z': zero,
	} {
		t[letter], t[letter-'a'+'A'] = p, p
	}
	return t
}

// inClass reports whether c is in the class of a letter after %. A capital is the complement of its
// class.
func inClass(c, letter byte) bool {
	p := classes[letter]
	if p == 0 {
		return c == letter
	}
	return (properties[c]&p != 0) == (letter >= 'a')
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func newByteSet(members string) (s byteSet) {
	for i := range len(members) {
		s.add(members[i])
	}
	return s
}

func newClassSets() (t [256]byteSet) {
	for letter := range t {
		for c := range 256 {
			if inClass(byte(c), byte(letter)) {
				t[letter].add(byte(c))
			}
		}
	}
	return t
}

// readSet returns the set of a pattern's [...]. p is the index of its [, and last that of its ]. If
// an escape is last, the bracket is its letter.
func readSet(pat string, p, last int) (s byteSet) {
	p++
	negated := pat[p] == '^'
	if negated {
		p++
	}
	for ; p < last; p++ {
		switch {
		case pat[p] == '%':
			p++
			for i, word := range classSets[pat[p]] {
				s[i] |= word
			}
		case pat[p+1] == '-' && p+2 < last:
			for c := int(pat[p]); c <= int(pat[p+2]); c++ {
				s.add(byte(c))
			}
			p += 2
		default:
			s.add(pat[p])
		}
	}
	if negated {
		for i := range s {
			s[i] = ^s[i]
		}
	}
	return s
}
