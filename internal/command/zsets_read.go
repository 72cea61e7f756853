package command

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func zcard(c *Ctx) reply.Value {
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(z.Len()))
}

func zscore(c *Ctx) reply.Value {
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	return zscoreReply(z, c.Args[2])
}

func zmscore(c *Ctx) reply.Value {
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	out := make([]reply.Value, len(c.Args)-2)
	for i, member := range c.Args[2:] {
		out[i] = zscoreReply(z, member)
	}
	return reply.Array(out...)
}

func zscoreReply(z *datastore.ZSet, member string) reply.Value {
	if z != nil {
		if score, ok := z.Score(member); ok {
			return reply.Double(score)
		}
	}
	return reply.Nil()
}

func zrank(c *Ctx) reply.Value    { return c.zrankGeneric(false) }
func zrevrank(c *Ctx) reply.Value { return c.zrankGeneric(true) }

func (c *Ctx) zrankGeneric(reverse bool) reply.Value {
	if len(c.Args) > 3 {
		return c.zrankScore(reverse)
	}
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil {
		return reply.Nil()
	}
	rank, _, ok := z.Rank(c.Args[2])
	if !ok {
		return reply.Nil()
	}
	if reverse {
		rank = z.Len() - 1 - rank
	}
	return reply.Int(int64(rank))
}

// zrankScore is ZRANK or ZREVRANK with WITHSCORE.
func (c *Ctx) zrankScore(reverse bool) reply.Value {
	switch {
	case len(c.Args) > 4:
		return reply.Err(errArity(c.Spec))
	case !isToken(c.Args[3], "withscore"):
		return reply.Err(errSyntax)
	}
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil {
		return reply.NilArray()
	}
	rank, score, ok := z.Rank(c.Args[2])
	if !ok {
		return reply.NilArray()
	}
	if reverse {
		rank = z.Len() - 1 - rank
	}
	return reply.Array(reply.Int(int64(rank)), reply.Double(score))
}

func zcount(c *Ctx) reply.Value {
	r, ok := parseScoreRange(c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errNotScoreRange)
	}
	return c.zcountGeneric(func(z *datastore.ZSet) (from, to int) { return z.ScoreSpan(r) })
}

func zlexcount(c *Ctx) reply.Value {
	r, ok := parseLexRange(c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errNotLexRange)
	}
	return c.zcountGeneric(func(z *datastore.ZSet) (from, to int) { return z.LexSpan(r, false, 0) })
}

func (c *Ctx) zcountGeneric(span func(*datastore.ZSet) (from, to int)) reply.Value {
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	from, to := span(z)
	return reply.Int(int64(to - from))
}

// zscanScore is a score as ZSCAN spells it. In the compact form Redis keeps a whole number as an integer
// and shows all its digits; otherwise the text is that of other replies.
func zscanScore(score float64, compact bool) string {
	const half = 1 << 62
	if compact && score >= -half && score <= half && score == float64(int64(score)) {
		return strconv.FormatInt(int64(score), 10)
	}
	return reply.FormatDouble(score)
}

func zscan(c *Ctx) reply.Value {
	return scanPairs(c, (*Ctx).readZSet, func(z *datastore.ZSet, cursor uint64, emit func(member, score string)) uint64 {
		return z.Scan(cursor, func(member string, score float64) { emit(member, zscanScore(score, z.Compact())) })
	})
}
