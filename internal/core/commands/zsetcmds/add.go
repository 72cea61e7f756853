package zsetcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// AddOptions are the options of ZADD.
type AddOptions struct {
	Nx, Xx, gt, lt, Ch, incr bool
}

// parseZaddOptions reads the options that begin args and returns what follows them.
func parseZaddOptions(args []string) (o AddOptions, rest []string) {
	for i, a := range args {
		switch {
		case parse.IsToken(a, "nx"):
			o.Nx = true
		case parse.IsToken(a, "xx"):
			o.Xx = true
		case parse.IsToken(a, "ch"):
			o.Ch = true
		case parse.IsToken(a, "incr"):
			o.incr = true
		case parse.IsToken(a, "gt"):
			o.gt = true
		case parse.IsToken(a, "lt"):
			o.lt = true
		default:
			return o, args[i:]
		}
	}
	return o, nil
}

func zadd(c *server.Ctx) reply.Value {
	o, pairs := parseZaddOptions(c.Args[2:])
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		return reply.Err(errtext.Syntax)
	case o.Nx && o.Xx:
		return reply.Err("ERR XX and NX options at the same time are not compatible")
	case o.gt && o.Nx || o.lt && o.Nx || o.gt && o.lt:
		return reply.Err("ERR GT, LT, and/or NX options at the same time are not compatible")
	case o.incr && len(pairs) > 2:
		return reply.Err("ERR INCR option supports a single increment-element pair")
	}
	return zaddGeneric(c, o, pairs)
}

// zincrby rejects increments that are spelled like an option of ZADD, as Redis does.
func zincrby(c *server.Ctx) reply.Value {
	if _, pairs := parseZaddOptions(c.Args[2:]); len(pairs) != 2 {
		return reply.Err(errtext.Syntax)
	}
	return zaddGeneric(c, AddOptions{incr: true}, c.Args[2:])
}

// zaddGeneric adds (score, member) pairs under Args[1].
func zaddGeneric(c *server.Ctx, o AddOptions, pairs []string) reply.Value {
	var few [4]datastore.ZItem
	items := few[:0]
	if len(pairs) > 2*len(few) {
		items = make([]datastore.ZItem, 0, len(pairs)/2)
	}
	var score float64
	for i := 0; i < len(pairs); i += 2 {
		if i == 0 || pairs[i] != pairs[i-2] { // often all have the same score
			var ok bool
			if score, ok = c.Float(pairs[i]); !ok {
				return reply.Err(errtext.NotFloat)
			}
		}
		items = append(items, datastore.ZItem{Score: score, Member: pairs[i+1]})
	}
	return AddItems(c, o, items)
}

// AddItems adds items under Args[1].
func AddItems(c *server.Ctx, o AddOptions, items []datastore.ZItem) reply.Value {
	key := c.Args[1]
	z, err := c.DB.ZSet(key)
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		if o.Xx {
			if o.incr {
				return reply.Nil()
			}
			return reply.Int(0)
		}
		z, _ = c.DB.ZSetForWrite(key)
	}
	z.Expect(items)
	var added, updated int64
	var last float64
	var skipped bool
	for _, it := range items {
		var isNew, changed bool
		last, isNew, changed, skipped = o.apply(z, it.Member, it.Score)
		if math.IsNaN(last) {
			return reply.Err("ERR resulting score is not a number (NaN)")
		}
		if isNew {
			added++
		} else if changed {
			updated++
		}
	}
	if added+updated > 0 {
		event := "zadd"
		if o.incr {
			event = "zincr"
		}
		c.EmitN(added+updated, datastore.ClassZSet, event, key)
	}
	switch {
	case o.incr && skipped:
		return reply.Nil()
	case o.incr:
		return c.Double(last)
	case o.Ch:
		return reply.Int(added + updated)
	}
	return reply.Int(added)
}

// apply sets the score of one member if the options allow it. If the result is NaN, the increment
// gave NaN and nothing was changed.
func (o *AddOptions) apply(z *datastore.ZSet, member string, score float64) (result float64, isNew, changed, skipped bool) {
	if o.Nx || o.Xx || o.gt || o.lt || o.incr {
		p, old, found := z.Find(member)
		switch {
		case found && o.Nx, !found && o.Xx:
			return score, false, false, true
		case found && o.incr:
			if score += old; math.IsNaN(score) {
				return score, false, false, false
			}
		}
		if found && (o.lt && score >= old || o.gt && score <= old) {
			return score, false, false, true
		}
		if found {
			return score, false, z.Rescore(p, member, score), false
		}
	}
	isNew, changed = z.Set(member, score)
	return score, isNew, changed, false
}
