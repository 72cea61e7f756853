package manifest

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

const (
	maxLine = 1024     // bytes of a line with its end, as in Redis
	maxSize = 16 << 20 // bytes of a manifest; Redis has no limit
)

// Error is the reason why a manifest is refused. Redis logs "Reading the manifest file, at line
// %d", then ">>> '%s'" with the line, and then the reason.
type Error struct {
	Line   int    // from 1
	InLine bool   // the reason is in this line, and not in the whole file
	Text   string // the line, if InLine
	Reason string // in the words of Redis, if Redis refuses it
}

func (e *Error) Error() string {
	if !e.InLine {
		return "AOF manifest: " + e.Reason
	}
	return fmt.Sprintf("AOF manifest, line %d, %q: %s", e.Line, e.Text, e.Reason)
}

// Parse reads the text of a manifest and accepts what Redis 7.0.15 accepts: words may be quoted,
// keys may be in any case, keys that it does not know (startoffset of Redis 7.2) are ignored, lines
// that begin with # are comments. It refuses three things that Redis accepts: a name that is empty,
// "." or "..", which is never a file, and more than 16 MiB. All errors are of type [Error].
func Parse(text []byte) (*Manifest, error) {
	switch {
	case len(text) == 0:
		return nil, &Error{Line: 1, Reason: "Found an empty AOF manifest"}
	case len(text) > maxSize:
		return nil, &Error{Line: 1, Reason: "The AOF manifest file is too long"}
	}
	m := &Manifest{}
	for number := 1; len(text) > 0; number++ {
		var line []byte
		line, text = cutLine(text)
		if line[0] == '#' {
			continue
		}
		if line[len(line)-1] != '\n' || bytes.IndexByte(line, 0) >= 0 {
			return nil, &Error{Line: number, Reason: "The AOF manifest file contains too long line"}
		}
		line = bytes.Trim(line, " \t\r\n")
		f, err := parseLine(line)
		if err == nil {
			err = m.add(f)
		}
		if err != nil {
			return nil, &Error{Line: number, InLine: true, Text: string(line), Reason: err.Error()}
		}
	}
	return m, nil
}

// cutLine cuts the first line off a text that is not empty. A longer line is cut into several, as
// in Redis: the second part of a long comment is not a comment.
func cutLine(text []byte) (line, rest []byte) {
	n := min(len(text), maxLine)
	if i := bytes.IndexByte(text[:n], '\n'); i >= 0 {
		n = i + 1
	}
	return text[:n], text[n:]
}

// reason is why a line is refused.
type reason string

func (r reason) Error() string { return string(r) }

const badFormat reason = "Invalid AOF manifest file format"

func parseLine(line []byte) (File, error) {
	words, ok := quoting.AppendWords(nil, line, false)
	if !ok || len(words) < 6 || len(words)%2 != 0 {
		return File{}, badFormat
	}
	var f File
	named := false
	for i := 0; i < len(words); i += 2 {
		value, _, _ := strings.Cut(words[i+1], "\x00") // Redis reads C strings
		switch key, _, _ := strings.Cut(words[i], "\x00"); {
		case strings.EqualFold(key, "file"):
			if strings.ContainsAny(value, `/\`) {
				return File{}, reason("File can't be a path, just a filename")
			}
			f.Name, named = value, true
		case strings.EqualFold(key, "seq"):
			f.Seq = leadingInteger(value)
		case strings.EqualFold(key, "type"):
			f.Type = 0
			if value != "" {
				f.Type = Type(value[0])
			}
		}
	}
	if !named || f.Seq == 0 || f.Type == 0 {
		return File{}, badFormat
	}
	if f.Name == "" || f.Name == "." || f.Name == ".." {
		return File{}, reason("File can't be a directory, just a filename")
	}
	return f, nil
}

func (m *Manifest) add(f File) error {
	switch f.Type {
	case Base:
		if m.Base != nil {
			return reason("Found duplicate base file information")
		}
		m.Base, m.lastBase = &f, f.Seq
	case History:
		m.History = append(m.History, f)
	case Incr:
		if f.Seq <= m.lastIncr {
			return reason("Found a non-monotonic sequence number")
		}
		m.Incr, m.lastIncr = append(m.Incr, f), f.Seq
	default:
		return reason("Unknown AOF file type")
	}
	return nil
}

// leadingInteger reads the integer at the beginning of s as atoll does: white space, a sign,
// digits; 0 without digits; the nearest integer if it does not fit.
func leadingInteger(s string) int64 {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	var n int64
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		digit := int64(s[i] - '0')
		if n < (math.MinInt64+digit)/10 {
			n = math.MinInt64
			break
		}
		n = n*10 - digit
	}
	switch {
	case negative:
		return n
	case n == math.MinInt64:
		return math.MaxInt64
	}
	return -n
}
