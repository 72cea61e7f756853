package listcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func blpop(c *server.Ctx) reply.Value { return blockingPop(c, true) }
func brpop(c *server.Ctx) reply.Value { return blockingPop(c, false) }

func blockingPop(c *server.Ctx, front bool) reply.Value {
	timeout, bad, ok := parse.Timeout(c.Args[len(c.Args)-1], c.LongestTimeout())
	if !ok {
		return bad
	}
	return c.ServeOrBlock(timeout, reply.NilArray(), server.BlockOptions{
		On: datastore.TypeList, Keys: c.Args[1 : len(c.Args)-1], HidesChanges: true,
		Serve: func(c *server.Ctx, key string) (reply.Value, bool) {
			l, err := c.DB.List(key)
			if l == nil || err != nil {
				return server.MissingKey(err)
			}
			if c.HasEffects() {
				c.EffectIs(popName(front), key)
			}
			el := popFrom(l, front)
			c.Emit(datastore.ClassList, popEvent(front), key)
			dropEmpty(c, key, l)
			return reply.Array(reply.Bulk(key), reply.Bulk(el)), true
		},
	})
}

// popName returns the command that pops from an end of a list.
func popName(front bool) string {
	if front {
		return "LPOP"
	}
	return "RPOP"
}

func blmpop(c *server.Ctx) reply.Value {
	m, bad, ok := parse.Mpop(c.Args[2:], "left", "right")
	if !ok {
		return bad
	}
	timeout, bad, ok := parse.Timeout(c.Args[1], c.LongestTimeout())
	if !ok {
		return bad
	}
	return c.ServeOrBlock(timeout, reply.NilArray(), server.BlockOptions{
		On: datastore.TypeList, Keys: m.Keys,
		Serve: func(c *server.Ctx, key string) (reply.Value, bool) { return popManyOf(c, key, !m.Last, m.Count) },
	})
}

func blmove(c *server.Ctx) reply.Value {
	from, ok := parseEnd(c.Args[3])
	to, ok2 := parseEnd(c.Args[4])
	if !ok || !ok2 {
		return reply.Err(errtext.Syntax)
	}
	return blockingMove(c, c.Args[5], from, to)
}

// endName returns an end of a list as Redis writes it for a client that has waited.
func endName(front bool) string {
	if front {
		return "left"
	}
	return "right"
}

func brpoplpush(c *server.Ctx) reply.Value { return blockingMove(c, c.Args[3], false, true) }

func blockingMove(c *server.Ctx, timeoutArg string, fromFront, toFront bool) reply.Value {
	timeout, bad, ok := parse.Timeout(timeoutArg, c.LongestTimeout())
	if !ok {
		return bad
	}
	return c.ServeOrBlock(timeout, reply.Nil(), server.BlockOptions{
		On: datastore.TypeList, Keys: c.Args[1:2], HidesChanges: true,
		Serve: func(c *server.Ctx, key string) (reply.Value, bool) {
			switch {
			case !c.HasEffects():
			case c.Spec.Name == "blmove" && c.Waited:
				c.EffectIs("LMOVE", c.Args[1], c.Args[2], endName(fromFront), endName(toFront))
			case c.Spec.Name == "blmove":
				c.EffectIs("LMOVE", c.Args[1], c.Args[2], c.Args[3], c.Args[4])
			default:
				c.EffectIs("RPOPLPUSH", c.Args[1], c.Args[2])
			}
			v := move(c, fromFront, toFront)
			return v, !v.IsNil()
		},
	})
}
