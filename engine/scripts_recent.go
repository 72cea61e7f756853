package engine

import (
	"container/list"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// recentScripts are the scripts that only EVAL has put into the cache, on servers that keep a
// limited number of them. The one used last comes last. The zero value is that of other servers: it
// stays empty.
type recentScripts struct {
	order list.List
	at    map[*luabridge.Script]*list.Element // nil: all scripts stay
}

// maxRecent is the largest number of scripts that only EVAL has put into the cache.
const maxRecent = 500

func newRecentScripts(follows servers.Server) recentScripts {
	if !follows.Has(servers.EvictedScripts) {
		return recentScripts{}
	}
	return recentScripts{at: map[*luabridge.Script]*list.Element{}}
}

// add adds a script that EVAL has put into the cache. It returns the one that must leave it, or
// nil.
func (r *recentScripts) add(script *luabridge.Script) (out *luabridge.Script) {
	if r.at == nil {
		return nil
	}
	if r.order.Len() >= maxRecent {
		out = r.order.Front().Value.(*luabridge.Script)
		r.remove(out)
	}
	r.at[script] = r.order.PushBack(script)
	return out
}

// use is called when a script in the cache runs again.
func (r *recentScripts) use(script *luabridge.Script) {
	if r.at == nil {
		return
	}
	if e := r.at[script]; e != nil {
		r.order.MoveToBack(e)
	}
}

// remove makes a script stay in the cache, or is called when it leaves.
func (r *recentScripts) remove(script *luabridge.Script) {
	if e := r.at[script]; e != nil {
		r.order.Remove(e)
		delete(r.at, script)
	}
}
