package zsetcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scan"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func zcard(c *server.Ctx) reply.Value {
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(z.Len()))
}

func zscore(c *server.Ctx) reply.Value {
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	return zscoreReply(c, z, c.Args[2])
}

func zmscore(c *server.Ctx) reply.Value {
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	out := make([]reply.Value, len(c.Args)-2)
	for i, member := range c.Args[2:] {
		out[i] = zscoreReply(c, z, member)
	}
	return reply.Array(out...)
}

func zscoreReply(c *server.Ctx, z *datastore.ZSet, member string) reply.Value {
	if z != nil {
		if score, ok := z.Score(member); ok {
			return c.Double(score)
		}
	}
	return reply.Nil()
}

func zrank(c *server.Ctx) reply.Value    { return zrankGeneric(c, false) }
func zrevrank(c *server.Ctx) reply.Value { return zrankGeneric(c, true) }

func zrankGeneric(c *server.Ctx, reverse bool) reply.Value {
	if len(c.Args) > 3 {
		return zrankScore(c, reverse)
	}
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
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
func zrankScore(c *server.Ctx, reverse bool) reply.Value {
	switch {
	case len(c.Args) > 4:
		return reply.Err(cmdtable.ErrArity(c.Spec))
	case !parse.IsToken(c.Args[3], "withscore"):
		return reply.Err(errtext.Syntax)
	}
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
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
	return reply.Array(reply.Int(int64(rank)), c.Double(score))
}

func zcount(c *server.Ctx) reply.Value {
	r, ok := parseScoreRange(c, c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errtext.NotScoreRange)
	}
	return zcountGeneric(c, func(z *datastore.ZSet) (from, to int) { return z.ScoreSpan(r) })
}

func zlexcount(c *server.Ctx) reply.Value {
	r, ok := parseLexRange(c.Args[2], c.Args[3])
	if !ok {
		return reply.Err(errtext.NotLexRange)
	}
	return zcountGeneric(c, func(z *datastore.ZSet) (from, to int) { return z.LexSpan(r, false, 0) })
}

func zcountGeneric(c *server.Ctx, span func(*datastore.ZSet) (from, to int)) reply.Value {
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Int(0)
	}
	from, to := span(z)
	return reply.Int(int64(to - from))
}

// zscanScore formats a score for ZSCAN. In the compact encoding Redis stores a whole number as an
// integer and shows all its digits, and a float as in other replies. In the other encoding a float
// has 17 digits on every server.
func zscanScore(c *server.Ctx, score float64, compact bool) string {
	const half = 1 << 62
	if compact && score >= -half && score <= half && score == float64(int64(score)) {
		return strconv.FormatInt(int64(score), 10)
	}
	if !compact {
		return reply.Double(score).Text()
	}
	return c.Double(score).Text()
}

func zscan(c *server.Ctx) reply.Value {
	return scan.Pairs(c, readZSet, func(z *datastore.ZSet, cursor uint64, emit func(member, score string)) uint64 {
		return z.Scan(cursor, func(member string, score float64) { emit(member, zscanScore(c, score, z.Compact())) })
	})
}
