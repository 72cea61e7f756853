package embedded

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escapes says what a backslash means in a kind of string.
type escapes struct {
	chars    string // pairs: the character behind the backslash, and what it stands for
	octal    bool   // up to three octal digits
	hex      int    // the most digits behind x; 0: x is nothing special. They are a code point, or a byte:
	bytes    bool
	four     bool // u and four digits, also as half of a surrogate pair
	eight    bool // U and eight digits
	braced   bool // u and digits in braces
	lineEnd  bool // a backslash before a line break removes both
	indented bool // and the white space that follows
	// keep says that the backslash stays before any other character. Otherwise only that character
	// stays.
	keep bool
}

const common = "n\nr\rt\t\\\\"

// The strings of the languages.
var (
	goEscapes     = &escapes{chars: common + "a\ab\bf\fv\v'\"\"\"", octal: true, hex: 2, bytes: true, four: true, eight: true}
	scriptEscapes = &escapes{chars: common + "b\bf\fv\v0\x00", hex: 2, four: true, braced: true, lineEnd: true}
	pythonEscapes = &escapes{chars: common + "a\ab\bf\fv\v''\"\"", octal: true, hex: 2, four: true, eight: true, lineEnd: true, keep: true}
	rubyEscapes   = &escapes{chars: common + "a\ab\bf\fv\ve\x1bs ", octal: true, hex: 2, bytes: true, four: true, braced: true,
		lineEnd: true}
	rubySingle    = &escapes{chars: "\\\\''", keep: true}
	rubyQuoted    = &escapes{chars: "\\\\", keep: true} // %q: also its own brackets
	phpEscapes    = &escapes{chars: common + "v\ve\x1bf\f$$\"\"", octal: true, hex: 2, bytes: true, braced: true, keep: true}
	phpHere       = &escapes{chars: common + "v\ve\x1bf\f$$", octal: true, hex: 2, bytes: true, braced: true, keep: true}
	phpSingle     = &escapes{chars: "\\\\''", keep: true}
	javaEscapes   = &escapes{chars: common + "b\bf\fs ''\"\"", octal: true, four: true, lineEnd: true}
	kotlinEscapes = &escapes{chars: common + "b\b''\"\"$$", four: true}
	cSharpEscapes = &escapes{chars: common + "a\ab\bf\fv\v0\x00e\x1b''\"\"", hex: 4, four: true, eight: true}
	rustEscapes   = &escapes{chars: common + "0\x00''\"\"", hex: 2, braced: true, lineEnd: true, indented: true}
)

// read returns what the escape at the beginning of a text stands for, and its length.
func (e *escapes) read(text string) (value string, size int) {
	if len(text) < 2 {
		return text, len(text)
	}
	c := text[1]
	for i := 0; i < len(e.chars); i += 2 {
		if e.chars[i] == c && !(c == '0' && len(text) > 2 && isOctal(text[2]) && e.octal) {
			return e.chars[i+1 : i+2], 2
		}
	}
	switch {
	case e.lineEnd && (c == '\n' || strings.HasPrefix(text[1:], "\r\n")):
		size = 1 + strings.IndexByte(text, '\n')
		for e.indented && size < len(text) && strings.IndexByte(" \t\r\n", text[size]) >= 0 {
			size++
		}
		return "", size
	case e.octal && isOctal(c):
		for size = 1; size < 4 && size < len(text) && isOctal(text[size]); {
			size++
		}
		return e.number(text[1:size], 8, true), size
	case e.hex > 0 && c == 'x' && digits(text[2:], e.hex) > 0:
		n := digits(text[2:], e.hex)
		return e.number(text[2:2+n], 16, e.bytes), 2 + n
	case e.braced && strings.HasPrefix(text, `\u{`):
		if n := digits(text[3:], 6); n > 0 && strings.HasPrefix(text[3+n:], "}") {
			return e.number(text[3:3+n], 16, false), 4 + n
		}
	case e.four && c == 'u' && digits(text[2:], 4) == 4:
		return readFour(text)
	case e.eight && c == 'U' && digits(text[2:], 8) == 8:
		return e.number(text[2:10], 16, false), 10
	}
	_, n := utf8.DecodeRuneInString(text[1:])
	if e.keep {
		return text[:1+n], 1 + n
	}
	return text[1 : 1+n], 1 + n
}

// readFour reads u and four digits, or two of these that are one character.
func readFour(text string) (string, int) {
	high, _ := strconv.ParseUint(text[2:6], 16, 32)
	if high >= 0xd800 && high < 0xdc00 && strings.HasPrefix(text[6:], `\u`) && digits(text[8:], 4) == 4 {
		low, _ := strconv.ParseUint(text[8:12], 16, 32)
		if low >= 0xdc00 && low < 0xe000 {
			return string(rune((high-0xd800)<<10 | (low - 0xdc00) + 0x10000)), 12
		}
	}
	return string(rune(high)), 6
}

// number returns the character, or the byte, with a number.
func (e *escapes) number(text string, base int, asByte bool) string {
	n, _ := strconv.ParseUint(text, base, 32)
	if asByte && e.bytes {
		return string([]byte{byte(n)})
	}
	return string(rune(n))
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// digits counts the hexadecimal digits at the beginning of a text, up to so many.
func digits(text string, most int) (n int) {
	for n < most && n < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[n]) >= 0 {
		n++
	}
	return n
}

// write returns the escape of a character that cannot stand for itself, or "" if there is none.
func (e *escapes) write(c byte) string {
	for i := 0; i < len(e.chars); i += 2 {
		if e.chars[i+1] == c && e.chars[i] != 's' {
			return `\` + e.chars[i:i+1]
		}
	}
	if e.keep || c == '\\' {
		return ""
	}
	return `\` + string(c)
}
