package recording

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Bytes are a JSON string if they are valid UTF-8 without many control characters, else an object
// with the bytes in base64. Two more forms stand for an argument: {"script": SHA1} for the text of
// a script that stands in a line of its own, and {"redacted": true}.

const hexDigits = "0123456789abcdef"

// appendBytes appends s in JSON.
func appendBytes[T string | []byte](dst []byte, s T) []byte {
	if !isText(s) {
		dst = append(dst, `{"b64":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, `"}`...)
	}
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// isText reports whether s is better read as a string.
func isText[T string | []byte](s T) bool {
	if !utf8.ValidString(string(s)) {
		return false
	}
	control := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			control++
		}
	}
	return control <= len(s)/4
}

// value is one of the forms of bytes.
type value struct {
	text     string
	script   string // SHA1, instead of text
	redacted bool   // instead of text
}

var errForm = errors.New(`it must be a string, or an object with one of b64, script and redacted`)

// UnmarshalJSON implements json.Unmarshaler.
func (v *value) UnmarshalJSON(b []byte) error {
	*v = value{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &v.text)
	}
	var form struct {
		B64      *string `json:"b64"`
		Script   string  `json:"script"`
		Redacted bool    `json:"redacted"`
	}
	if len(b) == 0 || b[0] != '{' {
		return errForm
	}
	if err := json.Unmarshal(b, &form); err != nil {
		return err
	}
	switch {
	case form.B64 != nil && form.Script == "" && !form.Redacted:
		text, err := base64.StdEncoding.DecodeString(*form.B64)
		v.text = string(text)
		return err
	case form.B64 == nil && form.Script != "" && !form.Redacted:
		v.script = form.Script
	case form.B64 == nil && form.Script == "" && form.Redacted:
		v.redacted = true
	default:
		return errForm
	}
	return nil
}
