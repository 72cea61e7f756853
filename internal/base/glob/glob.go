package glob

// Match reports whether s matches a pattern of *, ?, [class] and \escape, as KEYS,
// SCAN and CONFIG GET match. With fold the case of ASCII letters does not matter.
//
// Only the last star is ever tried again: every other element of a pattern takes exactly one
// byte, so an earlier star that took more could match nothing that the last one cannot. That
// bounds the work to len(pattern)*len(s) for any pattern.
//
// As in Redis the empty text matches only the empty pattern, not "*". Commands therefore handle "*"
// themselves.
func Match(pattern, s string, fold bool) bool {
	if s == "" {
		return pattern == ""
	}
	p, i := 0, 0
	star, mark := -1, 0 // behind the last star; where in s its rest was tried last
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			for p < len(pattern) && pattern[p] == '*' {
				p++
			}
			if p == len(pattern) {
				return true
			}
			star, mark = p, i
			continue
		}
		if p < len(pattern) {
			if next, ok := globByte(pattern, p, s[i], fold); ok {
				p, i = next, i+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		mark++
		p, i = star, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// globByte matches the one-byte element of pattern that begins at p, and returns
// where the next one begins.
func globByte(pattern string, p int, b byte, fold bool) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return globClass(pattern, p+1, b, fold)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, sameByte(pattern[p], b, fold)
}

// globClass matches the class whose first byte, behind the bracket, is at p. As in Redis, a class
// that is not closed ends with the pattern, the ends of a range may stand in either order, bytes
// above 127 are less than all others in a range, and an escaped byte keeps its case.
func globClass(pattern string, p int, b byte, fold bool) (next int, ok bool) {
	not := p < len(pattern) && pattern[p] == '^'
	if not {
		p++
	}
	match := false
	for p < len(pattern) && pattern[p] != ']' {
		switch rest := len(pattern) - p; {
		case pattern[p] == '\\' && rest >= 2:
			match = match || pattern[p+1] == b
			p += 2
		case rest >= 3 && pattern[p+1] == '-':
			match = match || inRange(pattern[p], pattern[p+2], b, fold)
			p += 3
		default:
			match = match || sameByte(pattern[p], b, fold)
			p++
		}
	}
	return min(p+1, len(pattern)), match != not
}

func inRange(from, to, b byte, fold bool) bool {
	lo, hi := int8(from), int8(to)
	if lo > hi {
		lo, hi = hi, lo
	}
	if fold {
		lo, hi, b = int8(Lower(byte(lo))), int8(Lower(byte(hi))), Lower(b)
	}
	return lo <= int8(b) && int8(b) <= hi
}

func sameByte(a, b byte, fold bool) bool {
	return a == b || fold && Lower(a) == Lower(b)
}

// Lower returns b in lower case if it is an ASCII letter.
func Lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}
