package hashcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/sample"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func hrandfield(c *server.Ctx) reply.Value {
	if len(c.Args) > 2 {
		return hrandfieldCount(c)
	}
	h, err := readHash(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if h == nil || !c.DB.ExpireAllFields(c.Args[1], h) {
		return reply.Nil()
	}
	field, _ := h.Random(c.Server.Store.Rand())
	return reply.Bulk(field)
}

func hrandfieldCount(c *server.Ctx) reply.Value {
	count, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	if count == math.MinInt64 {
		return reply.Err(errtext.CountRange)
	}
	withValues := len(c.Args) > 3
	if len(c.Args) > 4 || withValues && !parse.IsToken(c.Args[3], "withvalues") {
		return reply.Err(errtext.Syntax)
	}
	if withValues && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		return reply.Err(errtext.Range)
	}
	h, err := readHash(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if h == nil || count == 0 || !c.DB.ExpireAllFields(c.Args[1], h) {
		return reply.Array()
	}
	if v, refused := c.RefuseLarge(-count, MaxRandomCount(withValues)); refused {
		return v
	}
	out := fieldReply{values: withValues, nested: c.Proto > 2}
	sample.Indexes(c, h.Len(), h.Compact(), count, func(i int) { out.add(h, i) })
	return reply.Array(out.out...)
}

// MaxRandomCount returns the limit of the count of HRANDFIELD and ZRANDMEMBER, negative or
// positive; pairs says whether values or scores are returned too.
func MaxRandomCount(pairs bool) int64 {
	if pairs {
		return 3 // in RESP3 an array of two
	}
	return 1
}

// fieldReply builds a list of fields, or of fields with values: flat in RESP2, pairs in RESP3.
type fieldReply struct {
	out            []reply.Value
	values, nested bool
}

func (r *fieldReply) add(h *datastore.Hash, i int) {
	field, value := h.At(i)
	switch {
	case !r.values:
		r.out = append(r.out, reply.Bulk(field))
	case r.nested:
		r.out = append(r.out, reply.Array(reply.Bulk(field), reply.Bulk(value)))
	default:
		r.out = append(r.out, reply.Bulk(field), reply.Bulk(value))
	}
}
