package command

import (
	"math/big"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func blpop(c *Ctx) reply.Value { return c.blockingPop(true) }
func brpop(c *Ctx) reply.Value { return c.blockingPop(false) }

func (c *Ctx) blockingPop(front bool) reply.Value {
	timeout, bad, ok := parseTimeout(c.Args[len(c.Args)-1])
	if !ok {
		return bad
	}
	return c.firstOr(timeout, reply.NilArray(), waiting{
		on: datastore.TypeList, keys: c.Args[1 : len(c.Args)-1], quiet: true,
		serve: func(c *Ctx, key string) (reply.Value, bool) {
			l, err := c.DB.List(key)
			if l == nil || err != nil {
				return missing(err)
			}
			el := popFrom(l, front)
			c.Emit(datastore.ClassList, popEvent(front), key)
			c.dropEmpty(key, l)
			return reply.Array(reply.Bulk(key), reply.Bulk(el)), true
		},
	})
}

// missing is the answer of a serve function that did not find a value of its type: to wait on, or an error.
func missing(err error) (reply.Value, bool) {
	if err != nil {
		return wrongType(), true
	}
	return reply.Value{}, false
}

// firstOr serves the command on the first of its keys that is ready, and waits where none is.
func (c *Ctx) firstOr(timeout int64, instead reply.Value, w waiting) reply.Value {
	for _, key := range w.keys {
		if v, ok := w.serve(c, key); ok {
			return v
		}
	}
	w.late = reply.NilArray()
	if c.Door.MayWait() {
		w.keys = append([]string(nil), w.keys...) // the arguments are not ours to keep
	}
	return c.wait(timeout, instead, w)
}

func blmpop(c *Ctx) reply.Value {
	m, bad, ok := parseMpop(c.Args[2:], "left", "right")
	if !ok {
		return bad
	}
	timeout, bad, ok := parseTimeout(c.Args[1])
	if !ok {
		return bad
	}
	return c.firstOr(timeout, reply.NilArray(), waiting{
		on: datastore.TypeList, keys: m.keys,
		serve: func(c *Ctx, key string) (reply.Value, bool) { return c.popManyOf(key, !m.last, m.count) },
	})
}

func blmove(c *Ctx) reply.Value {
	from, ok := parseEnd(c.Args[3])
	to, ok2 := parseEnd(c.Args[4])
	if !ok || !ok2 {
		return reply.Err(errSyntax)
	}
	return c.blockingMove(c.Args[5], from, to)
}

func brpoplpush(c *Ctx) reply.Value { return c.blockingMove(c.Args[3], false, true) }

func (c *Ctx) blockingMove(timeoutArg string, fromFront, toFront bool) reply.Value {
	timeout, bad, ok := parseTimeout(timeoutArg)
	if !ok {
		return bad
	}
	return c.firstOr(timeout, reply.Nil(), waiting{
		on: datastore.TypeList, keys: c.Args[1:2], quiet: true,
		serve: func(c *Ctx, key string) (reply.Value, bool) {
			v := c.move(fromFront, toFront)
			return v, !v.IsNil()
		},
	})
}

func bzpopmin(c *Ctx) reply.Value { return c.blockingZPop(false) }
func bzpopmax(c *Ctx) reply.Value { return c.blockingZPop(true) }

func (c *Ctx) blockingZPop(fromMax bool) reply.Value {
	timeout, bad, ok := parseTimeout(c.Args[len(c.Args)-1])
	if !ok {
		return bad
	}
	return c.firstOr(timeout, reply.NilArray(), waiting{
		on: datastore.TypeZSet, keys: c.Args[1 : len(c.Args)-1],
		serve: func(c *Ctx, key string) (reply.Value, bool) {
			z, err := c.DB.ZSet(key)
			if z == nil || err != nil {
				return missing(err)
			}
			el := c.zpop(key, z, fromMax, 1, false).Slice()
			return reply.Array(reply.Bulk(key), el[0], el[1]), true
		},
	})
}

func bzmpop(c *Ctx) reply.Value {
	m, bad, ok := parseMpop(c.Args[2:], "min", "max")
	if !ok {
		return bad
	}
	timeout, bad, ok := parseTimeout(c.Args[1])
	if !ok {
		return bad
	}
	return c.firstOr(timeout, reply.NilArray(), waiting{
		on: datastore.TypeZSet, keys: m.keys,
		serve: func(c *Ctx, key string) (reply.Value, bool) { return c.zpopManyOf(key, m.last, m.count) },
	})
}

// waitReplicas has no replicas to wait for: it answers their number, 0, at once where that is enough and else when the
// time is out.
func waitReplicas(c *Ctx) reply.Value {
	replicas, ok := parseInt(c.Args[1])
	if !ok {
		return reply.Err(errNotInteger)
	}
	timeout, ok := parseInt(c.Args[2])
	switch {
	case !ok:
		return reply.Err("ERR timeout is not an integer or out of range")
	case timeout < 0:
		return reply.Err(errTimeoutNegative)
	case replicas <= 0:
		return reply.Int(0)
	}
	return c.wait(timeout, reply.Int(0), waiting{late: reply.Int(0)})
}

// parseTimeout reads the time-out of a blocking command: seconds, which become ms. When ok is false the reply is the
// error.
func parseTimeout(s string) (ms int64, errReply reply.Value, ok bool) {
	f, ok := parseLongDouble(s)
	if !ok {
		return 0, reply.Err(errTimeoutNotFloat), false
	}
	// Redis rounds up to whole milliseconds in a 64-bit integer, which overflows to a negative one.
	if f.IsInf() {
		return 0, reply.Err(errTimeoutNegative), false
	}
	f.Mul(f, big.NewFloat(1000))
	if f.Cmp(big.NewFloat(-1)) <= 0 || f.Cmp(big.NewFloat(1<<63)) >= 0 {
		return 0, reply.Err(errTimeoutNegative), false
	}
	ms, acc := f.Int64()
	if acc == big.Below {
		ms++
	}
	return max(0, ms), reply.Value{}, true
}

// clientUnblock ends the wait of another session, as if its time were out or with an error.
func clientUnblock(c *Ctx) reply.Value {
	if len(c.Args) > 4 {
		return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try CLIENT HELP.", oneLine(cut(c.Args[1], 128)))
	}
	withError := false
	if len(c.Args) == 4 {
		withError = strings.EqualFold(c.Args[3], "error")
		if !withError && !strings.EqualFold(c.Args[3], "timeout") {
			return reply.Err("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR")
		}
	}
	id, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err(errNotInteger)
	}
	sess := c.Server.sessions[id]
	if sess == nil || sess.waiting == nil || sess.waiting.postponed {
		return reply.Int(0)
	}
	v := sess.waiting.late
	if withError {
		v = reply.Err("UNBLOCKED client unblocked via CLIENT UNBLOCK")
		c.Server.Stats.Calls[c.Spec.ID].Failed++ // an error was sent while it ran
	}
	sess.waiting.args = nil                       // which SLOWLOG does not tell in Redis either
	c.Server.endCounted(sess.waiting, v, 0, true) // Redis counts it as failed, whatever the reply
	return reply.Int(1)
}
