package command

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func hrandfield(c *Ctx) reply.Value {
	if len(c.Args) > 2 {
		return c.hrandfieldCount()
	}
	h, err := c.readHash(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if h == nil || !c.DB.ExpireAllFields(c.Args[1], h) {
		return reply.Nil()
	}
	field, _ := h.Random(c.Server.Store.Rand())
	return reply.Bulk(field)
}

func (c *Ctx) hrandfieldCount() reply.Value {
	count, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	if count == math.MinInt64 {
		return reply.Err(errCountRange)
	}
	withValues := len(c.Args) > 3
	if len(c.Args) > 4 || withValues && !isToken(c.Args[3], "withvalues") {
		return reply.Err(errSyntax)
	}
	if withValues && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		return reply.Err(errRange)
	}
	h, err := c.readHash(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if h == nil || count == 0 || !c.DB.ExpireAllFields(c.Args[1], h) {
		return reply.Array()
	}
	if v, refused := c.refuseLarge(-count, valuesEach(withValues)); refused {
		return v
	}
	out := fieldReply{values: withValues, nested: c.Proto > 2}
	c.pickPlaces(h.Len(), h.Compact(), count, func(i int) { out.add(h, i) })
	return reply.Array(out.out...)
}

// valuesEach returns the largest number of reply values for one member.
func valuesEach(pairs bool) int64 {
	if pairs {
		return 3 // in RESP3 an array of two
	}
	return 1
}

// pickPlaces calls f for places 0 to n-1, n > 0, chosen at random: for a positive count that many different ones
// (all when there are no more), in ascending order if sorted is set; for a negative one -count, each
// chosen anew.
func (c *Ctx) pickPlaces(n int, sorted bool, count int64, f func(i int)) {
	rng := c.Server.Store.Rand()
	switch {
	case count < 0:
		for range -count {
			f(rng.IntN(n))
		}
	case count >= int64(n):
		for i := range n {
			f(i)
		}
	default:
		places := sampleRanks(n, int(count), rng.IntN)
		if sorted {
			slices.Sort(places)
		}
		for _, i := range places {
			f(i)
		}
	}
}

// fieldReply is a list of fields, or of fields with values: flat in RESP2, pairs in RESP3.
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
