package goredis

import (
	"context"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// waits returns how long a command line may wait for its reply; 0 means for ever. ok is false if
// the command does not wait or is malformed.
func waits(args []string) (timeout time.Duration, ok bool) {
	if strings.EqualFold(args[0], "waitaof") { // of servers later than the table
		args = append([]string{"wait"}, args[1:]...)
	}
	spec := rows.Resolve(args)
	if spec == nil {
		return 0, false
	}
	return spec.LongestWait(args)
}

var rows = cmdrows.TableOf(servers.Redis80)

// grace is how late the reply of a command that waits may be.
const grace = 10 * time.Second

// sendWaiting sends a command that may wait for the given time; 0 means for ever.
func (c *Client) sendWaiting(ctx context.Context, args []string, list []any, wait time.Duration) (engine.Value, error) {
	places := commands.Keys(args...)
	first := 0
	if len(places) > 0 {
		first = places[0]
	}
	node, err := c.nodeFor(ctx, args, first)
	if err != nil {
		return engine.Value{}, err
	}
	if node == nil {
		return c.route(ctx, args, list)
	}
	limit := time.Duration(0)
	if wait > 0 {
		limit = wait + grace
	}
	patient := node.WithTimeout(limit)
	patient.Options().ContextTimeoutEnabled = true // otherwise nothing ends a wait without a timeout
	v, err := c.send(ctx, patient, list, first)
	if moved(err) {
		return c.route(ctx, args, list)
	}
	return v, err
}

// nodeFor returns the client of the server that a command goes to, or nil if that is not known.
func (c *Client) nodeFor(ctx context.Context, args []string, first int) (*redis.Client, error) {
	switch rdb := c.rdb.(type) {
	case *redis.Client:
		return rdb, nil
	case *redis.ClusterClient:
		if first > 0 {
			return rdb.MasterForKey(ctx, args[first])
		}
	case *redis.Ring:
		if first > 0 {
			return rdb.GetShardClientForKey(args[first])
		}
	}
	return nil, nil
}
