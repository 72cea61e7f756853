package display

import (
	"bytes"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// Shape returns v as a client of protocol proto (2 or 3) receives it. In RESP2 maps and sets are
// lists, doubles are strings, and booleans are numbers.
func Shape(v engine.Value, proto int) engine.Value {
	if v.Kind() == engine.KindNone || v.IsError() {
		return v
	}
	shaped, err := resp.NewDecoder(bytes.NewReader(resp.Append(nil, v, proto))).Decode()
	if err != nil {
		return v // nested deeper than a client can read
	}
	return shaped
}
