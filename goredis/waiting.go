package goredis

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/redmoon-lua/redmoon/engine"
)

// waits returns how long a command line may wait for its reply; 0 means for ever. ok is false if
// the command does not wait or is malformed.
func waits(args []string) (timeout time.Duration, ok bool) {
	if len(args) < 2 {
		return 0, false
	}
	switch strings.ToLower(args[0]) {
	case "blpop", "brpop", "brpoplpush", "blmove", "bzpopmin", "bzpopmax":
		return seconds(args[len(args)-1])
	case "blmpop", "bzmpop":
		return seconds(args[1])
	case "wait", "waitaof":
		return milliseconds(args[len(args)-1])
	case "xread", "xreadgroup":
		for i := 1; i+1 < len(args) && !strings.EqualFold(args[i], "streams"); i++ {
			if strings.EqualFold(args[i], "block") {
				return milliseconds(args[i+1])
			}
		}
	}
	return 0, false
}

func seconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return time.Duration(f * float64(time.Second)), err == nil && f >= 0 && f < 1e9
}

func milliseconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return time.Duration(n) * time.Millisecond, err == nil && n >= 0 && n < 1e12
}

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
