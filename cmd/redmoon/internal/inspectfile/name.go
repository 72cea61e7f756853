package inspectfile

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// maxName is the length from which names are cut, in bytes.
const maxName = 1024

// Name is a key or another text of a file. It may be anything, and it is cut if it is long.
type Name struct {
	text   string
	length int // before the cut, bytes
}

// newName returns a Name that keeps none of the memory of a long text.
func newName(text string) Name {
	n := Name{text, len(text)}
	if len(text) > maxName {
		n.text = strings.Clone(text[:maxName])
	}
	return n
}

// String returns the name as people read it: in quotes, with escapes, if it has characters that are
// not printable. It never has control characters.
func (n Name) String() string {
	text := n.text
	if !printable(text) {
		text = string(quoting.Append(nil, text))
	}
	if n.length > len(n.text) {
		text += "…"
	}
	return text
}

func printable(text string) bool {
	if text == "" || !utf8.ValidString(text) || strings.ContainsRune(`"'`, rune(text[0])) || strings.TrimSpace(text) != text {
		return false
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// MarshalJSON returns a string if the name is valid UTF-8 and was not cut, and otherwise an object:
// its text with replaced bytes, the bytes as base64, and the length before the cut.
func (n Name) MarshalJSON() ([]byte, error) {
	if n.length == len(n.text) && utf8.ValidString(n.text) {
		return json.Marshal(n.text)
	}
	return json.Marshal(struct {
		Text   string `json:"text"`
		Base64 []byte `json:"base64"`
		Length int    `json:"length"`
	}{n.text, []byte(n.text), n.length})
}

// SafeText returns a text with all characters that are not printable escaped, so that it can be
// shown on a terminal.
func SafeText(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
