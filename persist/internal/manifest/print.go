package manifest

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// Append appends the text of the manifest to b, as Redis prints it: the base, history and
// incremental files.
func (m *Manifest) Append(b []byte) []byte {
	if m.Base != nil {
		b = m.Base.append(b)
	}
	for _, f := range m.History {
		b = f.append(b)
	}
	for _, f := range m.Incr {
		b = f.append(b)
	}
	return b
}

func (f File) append(b []byte) []byte {
	b = append(b, "file "...)
	if needsQuotes(f.Name) {
		b = quoting.Append(b, f.Name)
	} else {
		b = append(b, f.Name...)
	}
	b = append(b, " seq "...)
	b = strconv.AppendInt(b, f.Seq, 10)
	return append(append(b, " type "...), byte(f.Type), '\n')
}

// needsQuotes differs from Redis in one byte: Redis prints a name with an apostrophe bare and
// cannot read it back.
func needsQuotes(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '\'':
			return true
		}
	}
	return name == ""
}
