package zsetcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readZSet looks up a key for a read command.
func readZSet(c *server.Ctx, key string) (*datastore.ZSet, error) {
	z, err := c.DB.ZSet(key)
	c.CountLookup(z != nil || err != nil, key)
	return z, err
}

// parseScoreBound reads one end of a score interval: a double, which is exclusive when "(" stands
// before it. As in Redis, leading spaces are allowed unless servers.PlainNumbers, an empty text is
// 0, overflow gives infinity, and text behind a NUL byte is ignored.
func parseScoreBound(c *server.Ctx, s string) (score float64, exclusive, ok bool) {
	if s != "" && s[0] == '(' {
		exclusive, s = true, s[1:]
	}
	s, _, _ = strings.Cut(s, "\x00")
	if s == "" {
		return 0, exclusive, true
	}
	if c.Has(servers.PlainNumbers) && (parse.IsSpace(s[0]) || parse.IsHexadecimal(s)) {
		return 0, false, false
	}
	for s != "" && parse.IsSpace(s[0]) {
		s = s[1:]
	}
	score, ok = parse.Strtod(s)
	return score, exclusive, ok
}

func parseScoreRange(c *server.Ctx, lo, hi string) (r datastore.ScoreRange, ok bool) {
	var ok2 bool
	r.Min, r.MinEx, ok = parseScoreBound(c, lo)
	r.Max, r.MaxEx, ok2 = parseScoreBound(c, hi)
	return r, ok && ok2
}

// parseLexBound reads one end of an interval of members: - or +, or a member behind "[" or "(".
func parseLexBound(s string) (b datastore.LexBound, ok bool) {
	switch {
	case parse.IsToken(s, "-"):
		return datastore.LexBound{Inf: -1}, true
	case parse.IsToken(s, "+"):
		return datastore.LexBound{Inf: 1}, true
	case s != "" && (s[0] == '[' || s[0] == '('):
		return datastore.LexBound{Member: s[1:], Ex: s[0] == '('}, true
	}
	return b, false
}

func parseLexRange(lo, hi string) (r datastore.LexRange, ok bool) {
	var ok2 bool
	r.Min, ok = parseLexBound(lo)
	r.Max, ok2 = parseLexBound(hi)
	return r, ok && ok2
}

// scoredReply builds a list of members with scores: flat in RESP2, pairs in RESP3 or when nested.
type scoredReply struct {
	out    []reply.Value
	pairs  []reply.Value // one allocation for all pairs
	scores bool
	nested bool
	double func(float64) reply.Value
}

// newScoredReply makes room for n elements.
func newScoredReply(c *server.Ctx, n int, scores, nested bool) *scoredReply {
	r := &scoredReply{scores: scores, nested: nested, double: reply.Double}
	if c.Has(servers.ShortDoubles) {
		r.double = reply.Short
	}
	if scores && nested {
		r.pairs = make([]reply.Value, 0, 2*n)
	} else if scores {
		n *= 2
	}
	r.out = make([]reply.Value, 0, n)
	return r
}

// add appends one element. It returns true, so that Ascend and Descend continue.
func (r *scoredReply) add(it datastore.ZItem) bool {
	switch {
	case !r.scores:
		r.out = append(r.out, reply.Bulk(it.Member))
	case r.nested:
		n := len(r.pairs)
		r.pairs = append(r.pairs, reply.Bulk(it.Member), r.double(it.Score))
		r.out = append(r.out, reply.Array(r.pairs[n:n+2:n+2]...))
	default:
		r.out = append(r.out, reply.Bulk(it.Member), r.double(it.Score))
	}
	return true
}

func (r *scoredReply) value() reply.Value { return reply.Array(r.out...) }
