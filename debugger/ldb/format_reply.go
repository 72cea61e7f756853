package ldb

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// formatReply returns a RESP reply as Redis's debugger shows it. A type that Redis's debugger does
// not know is shown as nothing, and so is everything after it.
func formatReply(wire string) string {
	var b strings.Builder
	appendReply(&b, wire)
	return b.String()
}

// appendReply adds the first reply of wire to b and returns the bytes after it.
func appendReply(b *strings.Builder, wire string) string {
	if wire == "" {
		return ""
	}
	line, rest, _ := strings.Cut(wire[1:], "\r\n")
	count, _ := strconv.Atoi(line)
	switch wire[0] {
	case ':':
		b.WriteString(line)
	case '+', '-':
		b.Write(quoting.Append(nil, wire[:1]+line))
	case '$':
		if count < 0 {
			b.WriteString("NULL")
			return rest
		}
		b.Write(quoting.Append(nil, rest[:count]))
		return rest[count+2:]
	case '*':
		if count < 0 {
			b.WriteString("NULL")
			return rest
		}
		return elements(b, rest, count, "[", "]")
	case '~':
		return elements(b, rest, count, "~(", ")")
	case '%':
		return pairs(b, rest, count)
	case '_':
		b.WriteString("(null)")
	case '#':
		if line == "t" {
			b.WriteString("#true")
		} else {
			b.WriteString("#false")
		}
	case ',':
		b.WriteString("(double) " + line)
	default:
		return wire
	}
	return rest
}

func elements(b *strings.Builder, wire string, count int, open, end string) string {
	b.WriteString(open)
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		wire = appendReply(b, wire)
	}
	b.WriteString(end)
	return wire
}

func pairs(b *strings.Builder, wire string, count int) string {
	b.WriteByte('{')
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		wire = appendReply(b, wire)
		b.WriteString(" => ")
		wire = appendReply(b, wire)
	}
	b.WriteByte('}')
	return wire
}
