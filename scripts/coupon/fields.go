package coupon

import (
	"net/url"
	"slices"
	"strings"
)

// Fields describe a claim: "user" and all other fields in the scope of a limit. Values may be any
// bytes; a value that a limit counts by must not be empty.
type Fields map[string]string

// special are the bytes that separate fields and values in stored text.
const special = "%:=& \n"

// escape writes special bytes as %XX.
func escape(s string) string {
	if !strings.ContainsAny(s, special) {
		return s
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+8)
	for i := range len(s) {
		c := s[i]
		if strings.IndexByte(special, c) >= 0 {
			b = append(b, '%', digits[c>>4], digits[c&15])
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// appendFields writes fields as one text, a=1&b=2. Equal fields have equal texts.
func appendFields(b []byte, f Fields) []byte {
	var space [8]string
	names := space[:0]
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(b, escape(name)...)
		b = append(b, '=')
		b = append(b, escape(f[name])...)
	}
	return b
}

// parseFields reads what appendFields wrote.
func parseFields(text string) (Fields, error) {
	f := Fields{}
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.PathUnescape(name)
		if err != nil {
			return nil, err
		}
		if f[name], err = url.PathUnescape(value); err != nil {
			return nil, err
		}
	}
	return f, nil
}
