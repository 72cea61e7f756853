package engine

import (
	"context"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/reply"
)

// Pipeline returns an empty pipeline. Each shard runs its own commands in their order; the shards
// run at the same time. A command that goes to several shards separates the pipeline: it runs when
// all commands before it have ended, and before all behind it. The replies are in the order of the
// commands.
//
// If a shard does not answer, because the context has ended or the cluster is closed, Exec returns
// that error together with all replies. A missing reply is an error reply with the code NOREPLY.
func (c *Cluster) Pipeline() *Pipeline { return &Pipeline{cluster: c} }

// part is the part of a pipeline that one shard runs.
type part struct {
	batch  enginedoor.Batch
	places []int // indexes of its commands in the pipeline
	err    error
}

// pipeline runs the commands of b, a pipeline.
func (c *Cluster) pipeline(ctx context.Context, b *enginedoor.Batch) ([]Value, error) {
	commands := b.Commands
	if shard := c.commonShard(commands); shard >= 0 {
		e := c.shards[shard]
		err := e.runBatchRequest(ctx, e.shared, b)
		replies := b.Replies
		for len(replies) < len(commands) {
			replies = append(replies, reply.Value{})
			noReplies(replies[len(replies)-1:], err)
		}
		return replies, err
	}
	replies := make([]Value, len(commands))
	parts := make([]part, len(c.shards))
	for i, args := range commands {
		if shard := c.shardFor(args); shard >= 0 {
			parts[shard].batch.Commands = append(parts[shard].batch.Commands, args)
			parts[shard].places = append(parts[shard].places, i)
			continue
		}
		err := c.runParts(ctx, parts, replies)
		if err == nil {
			var v Value
			if v, err = c.spread(ctx, args); v.IsError() {
				err = nil
			}
			replies[i] = v
		}
		if err != nil {
			noReplies(replies[i:], err)
			return replies, err
		}
	}
	return replies, c.runParts(ctx, parts, replies)
}

// commonShard returns the shard that all commands are for, or -1 if there is none.
func (c *Cluster) commonShard(commands [][]string) int {
	shard := c.shardFor(commands[0])
	for _, args := range commands[1:] {
		if shard < 0 || c.shardFor(args) != shard {
			return -1
		}
	}
	return shard
}

// noReplies fills the places of missing replies with errors.
func noReplies(places []Value, err error) {
	for i := range places {
		places[i] = reply.Err("NOREPLY " + err.Error())
	}
}

// runParts runs the commands of parts, puts their replies into place and empties the parts.
func (c *Cluster) runParts(ctx context.Context, parts []part, replies []Value) (err error) {
	var wg sync.WaitGroup
	last := -1
	for i := range parts {
		if len(parts[i].places) == 0 {
			continue
		}
		if last >= 0 {
			before := last
			wg.Go(func() { c.runPart(ctx, before, &parts[before]) })
		}
		last = i
	}
	if last >= 0 {
		c.runPart(ctx, last, &parts[last])
	}
	wg.Wait()
	for i := range parts {
		p := &parts[i]
		for k, place := range p.places {
			if k < len(p.batch.Replies) {
				replies[place] = p.batch.Replies[k]
			} else {
				noReplies(replies[place:place+1], p.err)
			}
		}
		if err == nil {
			err = p.err
		}
		*p = part{}
	}
	return err
}

func (c *Cluster) runPart(ctx context.Context, shard int, p *part) {
	e := c.shards[shard]
	p.err = e.runBatchRequest(ctx, e.shared, &p.batch)
}
