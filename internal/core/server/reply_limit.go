package server

import (
	"unsafe"

	"github.com/redmoon-lua/redmoon/reply"
)

// RefuseLarge returns an error if a reply of count elements, with perElement values each, would
// exceed MaxReply or, in a script, MaxScriptReply. It is for commands whose caller chooses the
// number of elements independently of the amount of data.
func (c *Ctx) RefuseLarge(count int64, perElement int64) (errReply reply.Value, refused bool) {
	limit := c.Server.Rules.MaxReply
	if c.Door.FromScript() {
		limit = c.Server.Rules.MaxScriptReply
	}
	if limit <= 0 || count <= limit/perElement/int64(unsafe.Sizeof(reply.Value{})) {
		return reply.Value{}, false
	}
	return reply.Errorf("ERR the reply would need more than %d bytes of memory", limit), true
}
