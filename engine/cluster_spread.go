package engine

import (
	"context"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/reply"
)

// spread runs a command without keys.
func (c *Cluster) spread(ctx context.Context, args []string) (Value, error) {
	spec := c.table.Resolve(args)
	switch how := spec.Spread; how {
	case cmdtable.SpreadNot:
		v := errOneShard(spec)
		return v, v.Err()
	case cmdtable.SpreadScan:
		return c.scan(ctx, args)
	case cmdtable.SpreadRandom:
		return c.randomKey(ctx, args)
	case cmdtable.SpreadSlot:
		e := c.shards[0]
		if len(args) > 2 {
			if slot, err := strconv.Atoi(args[2]); err == nil && slot >= 0 && slot < Slots {
				e = c.shards[shardOf(slot, len(c.shards))]
			}
		}
		return e.DoStrings(ctx, args...)
	case cmdtable.SpreadOne:
		return c.first(ctx, args)
	default:
		return c.all(ctx, how, args)
	}
}

// all runs a command on all shards and merges their replies.
func (c *Cluster) all(ctx context.Context, how cmdtable.Spread, args []string) (Value, error) {
	var sum Value
	for i, e := range c.shards {
		v, err := e.DoStrings(ctx, args...)
		if err != nil {
			return v, err
		}
		if i == 0 {
			sum = v
		} else {
			sum = merged(how, sum, v)
		}
	}
	return sum, nil
}

// merged merges two replies into one.
func merged(how cmdtable.Spread, a, b Value) Value {
	switch how {
	case cmdtable.SpreadSum:
		return zipped(a, b, func(x, y int64) int64 { return x + y })
	case cmdtable.SpreadMin, cmdtable.SpreadAnd: // the minimum of 1 and 0 is their conjunction
		return zipped(a, b, func(x, y int64) int64 { return min(x, y) })
	case cmdtable.SpreadJoin:
		return joined(a, b)
	}
	return a
}

// zipped applies f to the numbers of a and b at the same index.
func zipped(a, b Value, f func(x, y int64) int64) Value {
	switch {
	case a.Kind() == KindInt && b.Kind() == KindInt:
		return reply.Int(f(a.MustInt(), b.MustInt()))
	case a.Kind() == KindArray && b.Len() == a.Len():
		list := make([]Value, a.Len())
		for i, v := range b.Slice() {
			list[i] = zipped(a.Slice()[i], v, f)
		}
		return reply.Array(list...)
	}
	return a
}

// joined returns the elements of both lists, each text once.
func joined(a, b Value) Value {
	known := make(map[string]bool, a.Len())
	list := append([]Value(nil), a.Slice()...)
	for _, v := range list {
		if v.Kind() == KindBulk {
			known[v.Text()] = true
		}
	}
	for _, v := range b.Slice() {
		if v.Kind() != KindBulk || !known[v.Text()] {
			list = append(list, v)
		}
	}
	return reply.Array(list...)
}

// first runs a command on all shards and returns the first reply that is not an error, else the
// first error.
func (c *Cluster) first(ctx context.Context, args []string) (v Value, err error) {
	for i, e := range c.shards {
		w, werr := e.DoStrings(ctx, args...)
		if i == 0 || err != nil && werr == nil {
			v, err = w, werr
		}
	}
	return v, err
}

// scan implements SCAN. A cursor is that of a shard, times the number of shards, plus the index of
// the shard. After the last key of a shard the next shard follows.
func (c *Cluster) scan(ctx context.Context, args []string) (Value, error) {
	n, i := uint64(len(c.shards)), uint64(0)
	if len(args) > 1 {
		if cursor, ok := parse.Cursor(args[1]); ok {
			i = cursor % n
			args = append([]string(nil), args...)
			args[1] = strconv.FormatUint(cursor/n, 10)
		}
	}
	v, err := c.shards[i].DoStrings(ctx, args...)
	if err != nil {
		return v, err
	}
	next, err := strconv.ParseUint(v.Slice()[0].Text(), 10, 64)
	switch {
	case err != nil:
		return v, err
	case next != 0:
		next = next*n + i
	case i+1 < n:
		next = i + 1
	}
	return reply.Array(reply.Bulk(strconv.FormatUint(next, 10)), v.Slice()[1]), nil
}

// randomKey implements RANDOMKEY. The probability of a shard is proportional to its number of keys.
func (c *Cluster) randomKey(ctx context.Context, args []string) (Value, error) {
	sizes, sum := make([]int64, len(c.shards)), int64(0)
	for i, e := range c.shards {
		v, err := e.DoStrings(ctx, "DBSIZE")
		if err != nil {
			return v, err
		}
		if sizes[i], err = v.Int(); err != nil {
			return v, err
		}
		sum += sizes[i]
	}
	at := int64(0)
	if sum > 0 {
		c.mu.Lock()
		at = c.random.Int64N(sum)
		c.mu.Unlock()
	}
	first := 0
	for at >= sizes[first] && first+1 < len(sizes) {
		at -= sizes[first]
		first++
	}
	for k := range c.shards { // the keys of that shard may have been removed meanwhile
		v, err := c.shards[(first+k)%len(c.shards)].DoStrings(ctx, args...)
		if err != nil || !v.IsNil() {
			return v, err
		}
	}
	return reply.Nil(), nil
}
