package command

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func zrandmember(c *Ctx) reply.Value {
	if len(c.Args) > 2 {
		return c.zrandmemberCount()
	}
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil {
		return reply.Nil()
	}
	return reply.Bulk(z.Random(c.Server.Store.Rand()).Member)
}

func (c *Ctx) zrandmemberCount() reply.Value {
	count, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	if count == math.MinInt64 {
		return reply.Err(errCountRange)
	}
	withScores := len(c.Args) > 3
	if len(c.Args) > 4 || withScores && !isToken(c.Args[3], "withscores") {
		return reply.Err(errSyntax)
	}
	if withScores && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		return reply.Err(errRange)
	}
	z, err := c.readZSet(c.Args[1])
	if err != nil {
		return wrongType()
	}
	if z == nil || count == 0 {
		return reply.Array()
	}
	if v, refused := c.refuseLarge(-count, valuesEach(withScores)); refused {
		return v
	}
	rng, n := c.Server.Store.Rand(), z.Len()
	if count < 0 {
		out := newScoredReply(int(min(-count, 1<<16)), withScores, c.Proto > 2)
		for range -count {
			out.add(z.Random(rng))
		}
		return out.value()
	}
	size := int(min(count, int64(n)))
	out := newScoredReply(size, withScores, c.Proto > 2)
	if size == n {
		z.Descend(n-1, n, out.add)
		return out.value()
	}
	for _, rank := range sampleRanks(n, size, rng.IntN) {
		out.add(z.At(rank))
	}
	return out.value()
}

// sampleRanks picks size of the numbers 0 to n-1 (Floyd's method) and shuffles them: each sequence is
// equally likely.
func sampleRanks(n, size int, intN func(int) int) []int {
	picked := make(map[int]struct{}, size)
	out := make([]int, 0, size)
	for i := n - size; i < n; i++ {
		k := intN(i + 1)
		if _, dup := picked[k]; dup {
			k = i
		}
		picked[k] = struct{}{}
		out = append(out, k)
		j := intN(len(out))
		out[len(out)-1], out[j] = out[j], k
	}
	return out
}
