package zsetcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

type zrangeBy uint8

const (
	zrangeAuto zrangeBy = iota // given by the options; rank by default
	zrangeRank
	zrangeScore
	zrangeLex
)

// zrange is a parsed range of the ZRANGE family.
type zrange struct {
	by            zrangeBy
	reverse       bool
	withScores    bool
	start, stop   int64 // ranks
	score         datastore.ScoreRange
	lex           datastore.LexRange
	offset, limit int64 // limit -1: none
	fromEnd       bool  // a negative offset counts from the end
}

func zrangeCmd(c *server.Ctx) reply.Value        { return zrangeGeneric(c, zrangeAuto, false, false) }
func zrevrange(c *server.Ctx) reply.Value        { return zrangeGeneric(c, zrangeRank, true, true) }
func zrangebyscore(c *server.Ctx) reply.Value    { return zrangeGeneric(c, zrangeScore, false, true) }
func zrevrangebyscore(c *server.Ctx) reply.Value { return zrangeGeneric(c, zrangeScore, true, true) }
func zrangebylex(c *server.Ctx) reply.Value      { return zrangeGeneric(c, zrangeLex, false, true) }
func zrevrangebylex(c *server.Ctx) reply.Value   { return zrangeGeneric(c, zrangeLex, true, true) }

// zrangeGeneric replies with a range of Args[1]. fixed means that the name of the command gives the
// direction, so that REV is not an option.
func zrangeGeneric(c *server.Ctx, by zrangeBy, reverse, fixed bool) reply.Value {
	r := zrange{by: by, reverse: reverse}
	if e, ok := r.parse(c, c.Args[2:], fixed, false); !ok {
		return e
	}
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Array()
	}
	from, to := r.span(z)
	out := newScoredReply(c, to-from, r.withScores, c.Proto > 2)
	r.each(z, from, to, out.add)
	return out.value()
}

func zrangestore(c *server.Ctx) reply.Value {
	var r zrange
	if e, ok := r.parse(c, c.Args[3:], false, true); !ok {
		return e
	}
	z, err := readZSet(c, c.Args[2])
	if err != nil {
		return server.WrongType()
	}
	dst := c.Server.Store.NewZSet(nil)
	if z != nil {
		from, to := r.span(z)
		items := make([]datastore.ZItem, 0, to-from)
		r.each(z, from, to, func(it datastore.ZItem) bool { items = append(items, it); return true })
		// Redis chooses the encoding by the size if it knows the size in advance. Otherwise it starts
		// with the compact encoding, in which the first members lose the sign of -0.
		if r.by == zrangeRank && len(items) > c.Server.Store.Limits().ZSetMaxListpackEntries {
			dst = c.Server.Store.NewZSet(items)
		} else {
			for _, it := range items {
				dst.Set(it.Member, it.Score)
			}
		}
	}
	return StoreResult(c, "zrangestore", c.Args[1], dst)
}

// StoreResult stores z under key in place of any value, or deletes key when z is empty. It replies
// with the size. A geo command counts a change for each element, the others count one.
func StoreResult(c *server.Ctx, event, key string, z *datastore.ZSet) reply.Value {
	n := int64(z.Len())
	if n > 0 {
		c.DB.Put(key, z)
		changes := int64(1)
		if strings.HasPrefix(event, "geo") {
			changes = n
		}
		c.EmitN(changes, datastore.ClassZSet, event, key)
	} else if c.DB.Delete(key) { // deletes an expired key too
		c.Emit(datastore.ClassGeneric, "del", key)
	}
	return reply.Int(n)
}

// parse reads the two bounds and the options behind them.
func (r *zrange) parse(c *server.Ctx, args []string, fixed, store bool) (errReply reply.Value, ok bool) {
	if e, ok := r.parseOptions(args[2:], fixed, store); !ok {
		return e, false
	}
	r.fromEnd = c.Has(servers.NegativeOffsets) && !c.Has(servers.PlainOffsets)
	lo, hi := args[0], args[1]
	if r.reverse && r.by != zrangeRank {
		lo, hi = hi, lo
	}
	switch r.by {
	case zrangeScore:
		r.score, ok = parseScoreRange(c, lo, hi)
		return reply.Err(errtext.NotScoreRange), ok
	case zrangeLex:
		r.lex, ok = parseLexRange(lo, hi)
		return reply.Err(errtext.NotLexRange), ok
	}
	var ok2 bool
	r.start, ok = parse.Int(lo)
	r.stop, ok2 = parse.Int(hi)
	return reply.Err(errtext.NotInteger), ok && ok2
}

func (r *zrange) parseOptions(args []string, fixed, store bool) (errReply reply.Value, ok bool) {
	r.limit = -1
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case !store && parse.IsToken(a, "withscores"):
			r.withScores = true
		case parse.IsToken(a, "limit") && len(args) > 2:
			var ok2 bool
			r.offset, ok = parse.Int(args[1])
			r.limit, ok2 = parse.Int(args[2])
			if !ok || !ok2 {
				return reply.Err(errtext.NotInteger), false
			}
			args = args[2:]
		case !fixed && !r.reverse && parse.IsToken(a, "rev"):
			r.reverse = true
		case r.by == zrangeAuto && parse.IsToken(a, "bylex"):
			r.by = zrangeLex
		case r.by == zrangeAuto && parse.IsToken(a, "byscore"):
			r.by = zrangeScore
		default:
			return reply.Err(errtext.Syntax), false
		}
	}
	if r.by == zrangeAuto {
		r.by = zrangeRank
	}
	if r.limit != -1 && r.by == zrangeRank {
		return reply.Err("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"), false
	}
	if r.withScores && r.by == zrangeLex {
		return reply.Err("ERR syntax error, WITHSCORES not supported in combination with BYLEX"), false
	}
	return reply.Value{}, true
}

// span returns the ranks from to to-1, counted from the front, that the range covers.
func (r *zrange) span(z *datastore.ZSet) (from, to int) {
	switch r.by {
	case zrangeRank:
		from, to = rankSpan(r.start, r.stop, z.Len())
		if r.reverse {
			from, to = z.Len()-to, z.Len()-from
		}
		return from, to
	case zrangeScore:
		from, to = z.ScoreSpan(r.score)
	default:
		if r.offset >= 0 {
			from, to = z.LexSpan(r.lex, r.reverse, r.offset)
			return r.cut(from, to, 0)
		}
		from, to = z.LexSpan(r.lex, r.reverse, 0)
	}
	if r.offset < 0 && r.fromEnd && !z.Compact() {
		return r.cut(from, to, int64(to-from)+r.offset)
	}
	return r.cut(from, to, r.offset)
}

// cut applies LIMIT to a span.
func (r *zrange) cut(from, to int, offset int64) (int, int) {
	n := int64(to - from)
	if offset < 0 || offset >= n {
		return 0, 0
	}
	n -= offset
	if r.limit >= 0 {
		n = min(n, r.limit)
	}
	if r.reverse {
		to -= int(offset)
		return to - int(n), to
	}
	from += int(offset)
	return from, from + int(n)
}

// rankSpan turns the first and last rank, negative ones counted from the end, of n elements
// into a half-open interval.
func rankSpan(start, stop int64, n int) (from, to int) {
	size := int64(n)
	if start < 0 {
		start = max(0, start+size)
	}
	if stop < 0 {
		stop += size
	}
	stop = min(stop, size-1)
	if start > stop {
		return 0, 0
	}
	return int(start), int(stop) + 1
}

// each calls f for the elements of a span in the range's direction.
func (r *zrange) each(z *datastore.ZSet, from, to int, f func(datastore.ZItem) bool) {
	if r.reverse {
		z.Descend(to-1, to-from, f)
	} else {
		z.Ascend(from, to-from, f)
	}
}
