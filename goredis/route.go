package goredis

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
)

// commands finds the keys in a command line.
var commands, _ = engine.CommandsOf("8.0")

var errCrossSlot = &engine.Error{Code: "CROSSSLOT", Message: "Keys in request don't hash to the same slot"}

// route sends a command to one of several servers.
func (c *Client) route(ctx context.Context, args []string, list []any) (engine.Value, error) {
	places := commands.Keys(args...)
	if len(places) == 0 {
		return c.keyless(ctx, args, list)
	}
	cluster, ok := c.rdb.(*redis.ClusterClient)
	if !ok {
		return c.send(ctx, c.rdb, list, places[0])
	}
	for _, p := range places {
		if engine.Slot(args[p]) != engine.Slot(args[places[0]]) {
			return engine.Value{}, errCrossSlot
		}
	}
	if !splits(args[0]) {
		return c.send(ctx, c.rdb, list, places[0])
	}
	node, err := cluster.MasterForKey(ctx, args[places[0]])
	if err != nil {
		return engine.Value{}, err
	}
	v, err := c.send(ctx, node, list, places[0])
	if moved(err) { // go-redis follows, but may send the command twice
		cmd := redis.NewCmd(ctx, list...)
		cmd.SetFirstKeyPos(int8(places[0]))
		_ = cluster.Process(ctx, cmd)
		return value(ctx, cmd)
	}
	return v, err
}

// splits reports whether go-redis would split a command by the slots of its keys and merge the
// replies.
func splits(name string) bool {
	spec := rows.Lookup(name)
	return spec != nil && slices.Contains(spec.Tips, "request_policy:multi_shard")
}

// moved reports whether a node answered that another node serves the slot.
func moved(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && (e.Code == "MOVED" || e.Code == "ASK")
}

// keyless sends a command without keys as go-redis routes it. go-redis may merge the replies of
// several nodes, which needs a command without our wrapper.
func (c *Client) keyless(ctx context.Context, args []string, list []any) (engine.Value, error) {
	if err := ctx.Err(); err != nil {
		return engine.Value{}, err
	}
	if len(args) == 3 && strings.EqualFold(args[0], "cluster") { // go-redis wants the slot as a number, and the names in lower case
		list[0], list[1] = "cluster", strings.ToLower(args[1])
		n, err := strconv.Atoi(args[2])
		if list[2] = n; err != nil {
			list[0], list[2] = "CLUSTER", args[2]
		}
	} else if len(args) > 0 && strings.EqualFold(args[0], "cluster") {
		list[0] = "CLUSTER"
	}
	return value(ctx, c.rdb.Do(ctx, list...))
}
