package streamcmds

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Reads of a group change who has which entries. Their effects are commands that set that state:
// XCLAIM for each entry, XGROUP SETID for the group.

// claimEffect adds the effect that the record of a pending entry of g is what it is now. text is
// its ID, last that of the last entry delivered.
func claimEffect(c *server.Ctx, key string, g *datastore.StreamGroup, id datastore.StreamID, text string, last datastore.StreamID) {
	if !c.HasEffects() {
		return
	}
	p, ok := g.FindPending(id)
	if !ok {
		return
	}
	c.AddEffect("XCLAIM", key, g.Name(), p.Consumer.Name(), "0", text, "TIME", strconv.FormatInt(p.At, 10),
		"RETRYCOUNT", strconv.FormatUint(p.Count, 10), "FORCE", "JUSTID", "LASTID", last.String())
}

// groupEffect adds the effect that g has delivered what it has delivered now.
func groupEffect(c *server.Ctx, key string, g *datastore.StreamGroup) {
	if c.HasEffects() {
		c.AddEffect("XGROUP", "SETID", key, g.Name(), g.LastID().String(), "ENTRIESREAD", strconv.FormatInt(g.Read(), 10))
	}
}

// trimEffect makes an approximate trim exact in the effect of the running command. args is the
// number of arguments before the options.
func (t *streamTrimArgs) trimEffect(c *server.Ctx, s *datastore.Stream, args int) {
	if !t.Approx || !c.HasEffects() {
		return
	}
	at := args + t.threshold
	c.EffectArg(at-1, "=")
	switch {
	case t.ByID && s.Len() == 0:
		c.EffectArg(at, datastore.MaxStreamID.String())
	case t.ByID:
		c.EffectArg(at, s.FirstSlot().String()) // as in Redis, a deleted entry counts
	default:
		c.EffectArg(at, strconv.Itoa(s.Len()))
	}
}
