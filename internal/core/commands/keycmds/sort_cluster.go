package keycmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// patternRules say which patterns of BY and GET a SORT in cluster mode refuses, because their keys
// may be on other nodes.
type patternRules struct {
	on      bool // cluster mode
	slot    int  // of the key that is sorted
	inSlot  bool // patterns are allowed whose keys are all in that slot
	element bool // GET # is allowed
	text    string
}

var patternDenied = errtext.Usual("ERR %s option of SORT denied in Cluster mode.").
	Since("7.2.0", "ERR %s option of SORT denied in Cluster mode when keys formed by the pattern may be in different slots.")

func patternRulesOf(c *server.Ctx) (r patternRules) {
	if c.Server.Cluster == nil {
		return r
	}
	return patternRules{on: true, slot: datastore.Slot(c.Args[1]), inSlot: c.Has(servers.SortInSlot), element: c.Has(servers.SortGetsElement),
		text: patternDenied.Of(c.Server.Follows)}
}

func (r *patternRules) denied(option string) reply.Value { return reply.Errorf(r.text, option) }

func (r *patternRules) denyGet(pattern string) bool {
	return !(r.element && pattern == "#") && r.deny(pattern)
}

// deny reports whether the keys of a pattern may be in another slot.
func (r *patternRules) deny(pattern string) bool {
	if !r.on {
		return false
	}
	slot, ok := patternSlot(pattern)
	return !r.inSlot || !ok || slot != r.slot
}

// patternSlot returns the slot of all keys that a pattern can match; ok is false if they may be in
// several. As in Redis, only the first pair of braces counts, if nothing before its end is a
// wildcard.
func patternSlot(pattern string) (slot int, ok bool) {
	fixed := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		fixed = pattern[:i]
	}
	if open := strings.IndexByte(fixed, '{'); open >= 0 {
		if end := strings.IndexByte(fixed[open:], '}'); end > 1 {
			return datastore.Slot(fixed[:open+end+1]), true
		}
	}
	return datastore.Slot(pattern), len(fixed) == len(pattern)
}
