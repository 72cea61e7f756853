package inspect

import (
	stdjson "encoding/json"
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"
	json "layeh.com/gopher-json"

	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
)

// maxDepth is the maximum number of levels of nested tables.
const maxDepth = 32

// limits bound what is written of a value.
type limits struct {
	entries int // keys and values in all
	text    int // bytes of strings in all
}

// Errors of [JSON], in addition to those of gopher-json.
var (
	errCycle  = errors.New("cannot encode a table inside itself to JSON")
	errDeep   = errors.New("cannot encode tables nested more than 32 deep to JSON")
	errLarge  = errors.New("cannot encode to JSON: the value is too large")
	errBinary = errors.New("cannot encode a string that is not UTF-8 to JSON")
)

// Text returns a value as readable text, for a log: a table as JSON if it can be written so and has
// at most 4,096 keys and values and 64 KiB of strings, anything else as tostring writes it. Bytes
// that are not UTF-8 become U+FFFD in JSON. shown returns the table that walks over a table see.
func Text(v lua.LValue, shown func(*lua.LTable) *lua.LTable) string {
	if _, ok := v.(*lua.LTable); ok {
		c := copier{limits: limits{entries: 1 << 12, text: 64 << 10}, shown: shown}
		if text, err := c.encode(v); err == nil {
			return text
		}
	}
	if s, ok := args.Text(v); ok {
		return s
	}
	return v.String()
}

// unescape restores the characters that encoding/json escapes for HTML. It matches a pair of
// backslashes first, because what follows it is not an escape.
var unescape = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// JSON returns a value as one line of JSON; nil is null and an empty table is []. It returns an
// error if the value holds a function, a thread, userdata, NaN, an infinity, a table inside itself,
// a table with mixed keys or gaps, or a string that is not UTF-8; and if it has more than 32 levels
// of tables, 65,536 keys and values or 1 MiB of strings. shown is as in [Text].
func JSON(v lua.LValue, shown func(*lua.LTable) *lua.LTable) (string, error) {
	c := copier{limits: limits{entries: 1 << 16, text: 1 << 20}, shown: shown}
	text, err := c.encode(v)
	switch {
	case err != nil:
		return "", err
	case c.binary:
		return "", errBinary
	}
	return unescape.Replace(text), nil
}

// encode writes a value as JSON within the limits.
func (c *copier) encode(v lua.LValue) (string, error) {
	c.open = map[*lua.LTable]bool{}
	if v = c.value(v); c.err != nil {
		return "", c.err
	}
	text, err := json.Encode(v)
	for m := (*stdjson.MarshalerError)(nil); errors.As(err, &m); { // one for each table around the cause
		err = m.Err
	}
	return string(text), err
}
