package zsetcmds

import (
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// zsource is one input of ZUNION and related commands: a sorted set, a set (whose members have
// score 1) or, when both are nil, a missing key.
type zsource struct {
	zset   *datastore.ZSet
	set    *datastore.Set
	weight float64
}

func (s *zsource) len() int {
	switch {
	case s.zset != nil:
		return s.zset.Len()
	case s.set != nil:
		return s.set.Len()
	}
	return 0
}

func (s *zsource) score(member string) (score float64, ok bool) {
	switch {
	case s.zset != nil:
		return s.zset.Score(member)
	case s.set != nil:
		return 1, s.set.Has(member)
	}
	return 0, false
}

// each calls f for every member until f returns false.
func (s *zsource) each(f func(datastore.ZItem) bool) {
	switch {
	case s.zset != nil:
		s.zset.Ascend(0, s.zset.Len(), f)
	case s.set != nil:
		s.set.All(func(member string) bool { return f(datastore.ZItem{Score: 1, Member: member}) })
	}
}

// weighted returns a score times the source's weight, and 0 instead of NaN.
func (s *zsource) weighted(score float64) float64 {
	if score *= s.weight; math.IsNaN(score) {
		return 0
	}
	return score
}

// zalgebra is a parsed ZUNION, ZINTER or ZDIFF.
type zalgebra struct {
	sources    []zsource
	aggregate  func(a, b float64) float64
	withScores bool
	limit      int64 // of ZINTERCARD; 0: none
}

// zalgebraOptions say which options a command has.
type zalgebraOptions uint8

const (
	zoptWeights zalgebraOptions = 1 << iota // WEIGHTS and AGGREGATE
	zoptScores                              // WITHSCORES
	zoptLimit                               // LIMIT
)

func zunion(c *server.Ctx) reply.Value {
	return zalgebraReply(c, zoptWeights|zoptScores, (*zalgebra).union)
}
func zinter(c *server.Ctx) reply.Value {
	return zalgebraReply(c, zoptWeights|zoptScores, (*zalgebra).inter)
}
func zdiff(c *server.Ctx) reply.Value { return zalgebraReply(c, zoptScores, (*zalgebra).diff) }

func zunionstore(c *server.Ctx) reply.Value { return zalgebraStore(c, zoptWeights, (*zalgebra).union) }
func zinterstore(c *server.Ctx) reply.Value { return zalgebraStore(c, zoptWeights, (*zalgebra).inter) }
func zdiffstore(c *server.Ctx) reply.Value  { return zalgebraStore(c, 0, (*zalgebra).diff) }

func zalgebraReply(c *server.Ctx, opts zalgebraOptions, run func(*zalgebra) []datastore.ZItem) reply.Value {
	a, e, ok := parseZalgebra(c, c.Args[1:], opts)
	if !ok {
		return e
	}
	items := run(a)
	datastore.SortZItems(items)
	out := newScoredReply(c, len(items), a.withScores, c.Proto > 2)
	for _, it := range items {
		out.add(it)
	}
	return out.value()
}

func zalgebraStore(c *server.Ctx, opts zalgebraOptions, run func(*zalgebra) []datastore.ZItem) reply.Value {
	a, e, ok := parseZalgebra(c, c.Args[2:], opts)
	if !ok {
		return e
	}
	return StoreResult(c, c.Spec.Name, c.Args[1], c.Server.Store.NewZSet(run(a)))
}

func zintercard(c *server.Ctx) reply.Value {
	a, e, ok := parseZalgebra(c, c.Args[1:], zoptLimit)
	if !ok {
		return e
	}
	n := int64(0)
	a.eachCommon(func(datastore.ZItem, []zsource) bool {
		n++
		return n != a.limit
	})
	return reply.Int(n)
}

// parseZalgebra reads numkeys key ... options and looks the keys up.
func parseZalgebra(c *server.Ctx, args []string, opts zalgebraOptions) (a *zalgebra, errReply reply.Value, ok bool) {
	n, ok := parse.Int(args[0])
	switch {
	case !ok:
		return nil, reply.Err(errtext.NotInteger), false
	case n < 1:
		return nil, reply.Errorf("ERR at least 1 input key is needed for '%s' command", c.Spec.FullName()), false
	case n > int64(len(args)-1):
		return nil, reply.Err(errtext.Syntax), false
	}
	a = &zalgebra{sources: make([]zsource, n), aggregate: addScores}
	for i, key := range args[1 : n+1] {
		src := &a.sources[i]
		src.weight = 1
		e := c.DB.Lookup(key)
		c.CountLookup(e != nil, key)
		if e == nil {
			continue
		}
		switch obj := e.Object().(type) {
		case *datastore.ZSet:
			src.zset = obj
		case *datastore.Set:
			src.set = obj
		default:
			return nil, server.WrongType(), false
		}
	}
	errReply, ok = a.parseOptions(c, args[n+1:], opts)
	return a, errReply, ok
}

func (a *zalgebra) parseOptions(c *server.Ctx, args []string, opts zalgebraOptions) (errReply reply.Value, ok bool) {
	for len(args) > 0 {
		switch name := args[0]; {
		case opts&zoptWeights != 0 && parse.IsToken(name, "weights") && len(args) > len(a.sources):
			for i := range a.sources {
				if a.sources[i].weight, ok = c.Float(args[i+1]); !ok {
					return reply.Err("ERR weight value is not a float"), false
				}
			}
			args = args[len(a.sources)+1:]
		case opts&zoptWeights != 0 && parse.IsToken(name, "aggregate") && len(args) > 1:
			if a.aggregate, ok = aggregateOf(args[1]); !ok {
				return reply.Err(errtext.Syntax), false
			}
			args = args[2:]
		case opts&zoptScores != 0 && parse.IsToken(name, "withscores"):
			a.withScores, args = true, args[1:]
		case opts&zoptLimit != 0 && parse.IsToken(name, "limit") && len(args) > 1:
			if a.limit, ok = parse.Int(args[1]); !ok || a.limit < 0 {
				return reply.Err(errtext.LimitNegative), false
			}
			args = args[2:]
		default:
			return reply.Err(errtext.Syntax), false
		}
	}
	return reply.Value{}, true
}

func aggregateOf(name string) (f func(a, b float64) float64, ok bool) {
	switch {
	case parse.IsToken(name, "sum"):
		return addScores, true
	case parse.IsToken(name, "min"):
		return minScore, true
	case parse.IsToken(name, "max"):
		return maxScore, true
	}
	return nil, false
}

// addScores returns a sum in which inf and -inf give 0.
func addScores(a, b float64) float64 {
	if a += b; math.IsNaN(a) {
		return 0
	}
	return a
}

func minScore(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func maxScore(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// bySize sorts the sources by size; the sort is stable. Redis sorts them too, and the order decides
// in which order scores are added.
func (a *zalgebra) bySize() {
	slices.SortStableFunc(a.sources, func(x, y zsource) int { return x.len() - y.len() })
}

func (a *zalgebra) union() []datastore.ZItem {
	a.bySize()
	largest := a.sources[len(a.sources)-1].len()
	items := make([]datastore.ZItem, 0, largest)
	places := make(map[string]int, largest)
	for i := range a.sources {
		s := &a.sources[i]
		s.each(func(it datastore.ZItem) bool {
			it.Score = s.weighted(it.Score)
			if p, ok := places[it.Member]; ok {
				items[p].Score = a.aggregate(items[p].Score, it.Score)
			} else {
				places[it.Member] = len(items)
				items = append(items, it)
			}
			return true
		})
	}
	return items
}

// eachCommon calls f with every element of the smallest source that all other sources have, until f
// returns false.
func (a *zalgebra) eachCommon(f func(it datastore.ZItem, others []zsource) bool) {
	a.bySize()
	others := a.sources[1:]
	a.sources[0].each(func(it datastore.ZItem) bool {
		for i := range others {
			if _, ok := others[i].score(it.Member); !ok {
				return true
			}
		}
		return f(it, others)
	})
}

func (a *zalgebra) inter() (items []datastore.ZItem) {
	a.eachCommon(func(it datastore.ZItem, others []zsource) bool {
		it.Score = a.sources[0].weighted(it.Score)
		for i := range others {
			score, _ := others[i].score(it.Member)
			it.Score = a.aggregate(it.Score, score*others[i].weight)
		}
		items = append(items, it)
		return true
	})
	return items
}

func (a *zalgebra) diff() (items []datastore.ZItem) {
	others := a.sources[1:]
	a.sources[0].each(func(it datastore.ZItem) bool {
		for i := range others {
			if _, ok := others[i].score(it.Member); ok {
				return true
			}
		}
		items = append(items, it)
		return true
	})
	return items
}
