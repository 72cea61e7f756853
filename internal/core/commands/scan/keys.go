package scan

import (
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Keys returns the keys that exist and pass the options, of those that a scan has found.
func Keys(c *server.Ctx, a *Args, found []string) []reply.Value {
	out := []reply.Value{}
	for _, key := range found {
		if !a.Match(key) {
			continue
		}
		live := c.DB.Peek(key)
		if a.HasType {
			c.CountLookup(live != nil, key) // its type is looked up
			if live != nil && !parse.IsToken(a.Type, live.Object().Type().String()) {
				continue
			}
		}
		if live != nil {
			out = append(out, reply.Bulk(key))
		}
	}
	return out
}
