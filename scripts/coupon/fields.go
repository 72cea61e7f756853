package coupon

import (
	"net/url"
	"slices"
	"strings"
)

// Fields say what a claim is for: "user" and whatever else limits are scoped by. Values may hold any bytes.
type Fields map[string]string

// special are the bytes that part what is kept as text.
const special = "%:=& \n"

// escape writes the bytes that part as %XX.
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

// appendFields writes fields as one text, the same for the same fields: a=1&b=2.
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
