package resp

import (
	"github.com/redmoon-lua/redmoon/internal/core/wire"
	"github.com/redmoon-lua/redmoon/reply"
)

// Append appends v to b as redis-server 7.0 sends it over protocol proto (2 or 3). In RESP2 the
// types of RESP3 are replaced: a map becomes a flat array, a double a bulk string, a boolean 1 or
// 0; attributes are omitted. A value of kind None appends nothing.
func Append(b []byte, v reply.Value, proto int) []byte { return wire.Append(b, v, proto) }

// AppendCommand appends a request as clients send it: an array of bulk strings.
func AppendCommand(b []byte, args ...string) []byte { return wire.AppendCommand(b, args...) }
