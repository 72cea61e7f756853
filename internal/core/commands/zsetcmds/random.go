package zsetcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/hashcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/sample"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func zrandmember(c *server.Ctx) reply.Value {
	if len(c.Args) > 2 {
		return zrandmemberCount(c)
	}
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil {
		return reply.Nil()
	}
	return reply.Bulk(z.Random(c.Server.Store.Rand()).Member)
}

func zrandmemberCount(c *server.Ctx) reply.Value {
	count, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err(errtext.NotInteger)
	}
	if count == math.MinInt64 {
		return reply.Err(errtext.CountRange)
	}
	withScores := len(c.Args) > 3
	if len(c.Args) > 4 || withScores && !parse.IsToken(c.Args[3], "withscores") {
		return reply.Err(errtext.Syntax)
	}
	if withScores && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		return reply.Err(errtext.Range)
	}
	z, err := readZSet(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if z == nil || count == 0 {
		return reply.Array()
	}
	if v, refused := c.RefuseLarge(-count, hashcmds.MaxRandomCount(withScores)); refused {
		return v
	}
	rng, n := c.Server.Store.Rand(), z.Len()
	if count < 0 {
		out := newScoredReply(c, int(min(-count, 1<<16)), withScores, c.Proto > 2)
		for range -count {
			out.add(z.Random(rng))
		}
		return out.value()
	}
	size := int(min(count, int64(n)))
	out := newScoredReply(c, size, withScores, c.Proto > 2)
	if size == n {
		z.Descend(n-1, n, out.add)
		return out.value()
	}
	for _, rank := range sample.Ranks(n, size, rng.IntN) {
		out.add(z.At(rank))
	}
	return out.value()
}
