package replication

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// longestHost is the length from which REPLCONF ip-address is refused.
const longestHost = 256

// ReplConf runs REPLCONF: what a replica says about itself, and its acknowledgments, which have no
// reply.
func (st *State) ReplConf(c *server.Ctx) reply.Value {
	if c.NArg()%2 == 0 {
		return reply.Err(errtext.Syntax)
	}
	for i := 1; i < c.NArg(); i += 2 {
		option, value := c.Args[i], c.Args[i+1]
		switch strings.ToLower(option) {
		case "ack", "fack":
			if r := st.bySession[c.Session]; r != nil && r.isReplica() {
				if i+3 < c.NArg() && strings.EqualFold(c.Args[i+2], "fack") {
					if offset, ok := parse.Int(c.Args[i+3]); ok {
						r.fileOffset = max(r.fileOffset, offset)
					}
				}
				if offset, ok := parse.Int(value); ok {
					st.acknowledge(r, offset)
				}
			}
			return reply.None()
		case "getack":
			return reply.None() // the link to a master answers that of the master
		}
		if v, ok := st.introduce(st.ofSession(c.Session), strings.ToLower(option), value); !ok {
			if v.Kind() == reply.KindNone {
				return reply.Errorf("ERR Unrecognized REPLCONF option: %s", errtext.OneLine(option))
			}
			return v
		}
	}
	return reply.OK()
}

// introduce notes one option. If it returns false, problem is the reply, or there is no such
// option.
func (st *State) introduce(r *replica, option, value string) (problem reply.Value, ok bool) {
	switch option {
	case "listening-port":
		n, ok := parse.Int(value)
		if !ok {
			return reply.Err(errtext.NotInteger), false
		}
		r.port = int(int32(n)) // the type in Redis
	case "ip-address":
		if len(value) >= longestHost {
			return reply.Err(fmt.Sprintf("ERR REPLCONF ip-address provided by replica instance is too long: %d bytes", len(value))), false
		}
		r.ip = value
	case "capa":
		switch strings.ToLower(value) {
		case "eof":
			r.capa |= capEOF
		case "psync2":
			r.capa |= capPSync2
		}
	case "rdb-only":
		n, ok := parse.Int(value)
		switch {
		case !ok:
			return reply.Err(errtext.NotInteger), false
		case n != 0 && n != 1:
			return reply.Err(errtext.NotZeroOrOne), false
		}
		r.rdbOnly = n == 1
	case "rdb-filter-only":
		words, ok := quoting.Words(value)
		if !ok {
			return reply.Err("ERR Missing rdb-filter-only values"), false
		}
		r.noData, r.noFunctions = true, true
		for _, word := range words {
			if !strings.EqualFold(word, "functions") {
				return reply.Err("ERR Unsupported rdb-filter-only option: " + errtext.OneLine(word)), false
			}
			r.noFunctions = false
		}
	default:
		return reply.None(), false
	}
	return reply.None(), true
}
