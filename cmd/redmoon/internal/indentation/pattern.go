package indentation

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pattern is the name of a section, such as "*.{lua,js}".
//
//   - any characters except a slash
//     **         any characters
//     ?          any character except a slash
//     [a-c] [!a] one of these characters, or none of them
//     {a,b}      one of these patterns
//     {1..9}     a number of this range
//     \          takes the meaning from the character behind it
//
// A pattern without a slash is for files of any depth.
type pattern struct {
	re     *regexp.Regexp
	ranges [][2]int // what the groups of re may be
}

// match reports whether a path matches, which is relative to the folder of the file.
func (p *pattern) match(path string) bool {
	m := p.re.FindStringSubmatch("/" + path)
	if m == nil {
		return false
	}
	for i, r := range p.ranges {
		if m[i+1] == "" {
			continue // a part of another alternative
		}
		if n, err := strconv.Atoi(m[i+1]); err != nil || n < r[0] || n > r[1] {
			return false
		}
	}
	return true
}

// compile returns a pattern, or nil if no path matches it.
func compile(name string) *pattern {
	if strings.Contains(name, "/") {
		name = "/" + strings.TrimPrefix(name, "/")
	} else {
		name = "/**/" + name
	}
	t := translator{name: name, ends: ends(name)}
	for t.at < len(name) {
		t.step()
	}
	re, err := regexp.Compile("(?s)^" + t.out.String() + "$")
	if err != nil {
		return nil
	}
	return &pattern{re, t.ranges}
}

// ends returns the offset of the end of each brace by that of its beginning. It is empty if there
// are braces without a partner.
func ends(name string) map[int]int {
	found, open := map[int]int{}, []int{}
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '\\':
			i++
		case '{':
			open = append(open, i)
		case '}':
			if len(open) == 0 {
				return nil
			}
			found[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return nil
	}
	return found
}

// translator makes a regular expression of a pattern.
type translator struct {
	name   string
	at     int
	ends   map[int]int
	braces []bool // the open ones; whether they have alternatives
	out    strings.Builder
	ranges [][2]int
}

var numbers = regexp.MustCompile(`^([+-]?\d+)\.\.([+-]?\d+)$`)

// step translates the next element.
func (t *translator) step() {
	rest := t.name[t.at:]
	switch {
	case strings.HasPrefix(rest, "/**/"):
		t.write(4, "(?:/|/.*/)")
	case strings.HasPrefix(rest, "**"):
		t.write(2, ".*")
	case rest[0] == '*':
		t.write(1, "[^/]*")
	case rest[0] == '?':
		t.write(1, "[^/]")
	case rest[0] == '[':
		t.class(rest)
	case rest[0] == '{' && t.ends != nil:
		t.brace(rest)
	case rest[0] == '}' && len(t.braces) > 0:
		alternatives := t.braces[len(t.braces)-1]
		t.braces = t.braces[:len(t.braces)-1]
		if alternatives {
			t.write(1, ")")
		} else {
			t.write(1, `\}`)
		}
	case rest[0] == ',' && len(t.braces) > 0 && t.braces[len(t.braces)-1]:
		t.write(1, "|")
	case rest[0] == '\\' && len(rest) > 1:
		t.at++
		t.literal(rest[1:])
	default:
		t.literal(rest)
	}
}

// write writes a part of the expression for the next n bytes.
func (t *translator) write(n int, expression string) {
	t.at += n
	t.out.WriteString(expression)
}

// literal writes the first character of rest.
func (t *translator) literal(rest string) {
	_, n := utf8.DecodeRuneInString(rest)
	t.write(n, regexp.QuoteMeta(rest[:n]))
}

// class translates [a-c]. A bracket without an end, or around a slash, is a character.
func (t *translator) class(rest string) {
	end := 1
	for end < len(rest) && rest[end] != ']' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) || end == 1 || strings.Contains(rest[:end], "/") {
		t.literal(rest)
		return
	}
	inside, begin := rest[1:end], "["
	if len(inside) > 1 && (inside[0] == '!' || inside[0] == '^') {
		inside, begin = inside[1:], "[^/"
	}
	t.write(end+1, begin)
	for i := 0; i < len(inside); {
		if inside[i] == '-' {
			t.out.WriteByte('-')
			i++
			continue
		}
		if inside[i] == '\\' && i+1 < len(inside) {
			i++
		}
		_, n := utf8.DecodeRuneInString(inside[i:])
		t.out.WriteString(regexp.QuoteMeta(inside[i : i+n]))
		i += n
	}
	t.out.WriteByte(']')
}

// brace translates the beginning of {a,b}, or the whole of {1..9}. Braces without a comma are
// characters.
func (t *translator) brace(rest string) {
	inside := rest[1 : t.ends[t.at]-t.at]
	if m := numbers.FindStringSubmatch(inside); m != nil {
		from, errFrom := strconv.Atoi(m[1])
		to, errTo := strconv.Atoi(m[2])
		if errFrom == nil && errTo == nil {
			t.ranges = append(t.ranges, [2]int{min(from, to), max(from, to)})
			t.write(len(inside)+2, `([+-]?\d+)`)
			return
		}
	}
	alternatives := hasComma(inside)
	t.braces = append(t.braces, alternatives)
	if alternatives {
		t.write(1, "(?:")
	} else {
		t.write(1, `\{`)
	}
}

// hasComma reports whether there is a comma outside of further braces.
func hasComma(inside string) bool {
	depth := 0
	for i := 0; i < len(inside); i++ {
		switch inside[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}
