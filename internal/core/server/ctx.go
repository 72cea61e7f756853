package server

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/reply"
)

// Ctx is what a handler works with: the server, the session and the command line. It is valid only
// until the handler returns.
type Ctx struct {
	Server  *Server
	Session *Session
	DB      *datastore.DB // the session's selected database
	Spec    *cmdtable.Spec
	Args    []string // Args[0] is the command's name. A handler may keep the strings but not the slice.
	Proto   int      // 2 or 3: the protocol of the reply
	Door    cmdtable.Door

	Waited bool // the command has waited, and is served now

	plan plan
}

// Handler runs a command whose name and arity the gate has checked.
type Handler = func(c *Ctx) reply.Value

// NArg returns the number of arguments, with the command's name.
func (c *Ctx) NArg() int { return len(c.Args) }

// Has reports whether the server that this one follows has a feature.
func (c *Ctx) Has(f servers.Feature) bool { return c.Server.Follows.Has(f) }

// Double returns a floating-point reply, to be written as the server that this one follows does.
func (c *Ctx) Double(f float64) reply.Value {
	if c.Has(servers.ShortDoubles) {
		return reply.Short(f)
	}
	return reply.Double(f)
}

// Float reads a score, an increment or a distance.
func (c *Ctx) Float(s string) (float64, bool) {
	if c.Has(servers.PlainFloats) && parse.IsHexadecimal(s) {
		return 0, false
	}
	return parse.Float(s)
}

// LongestTimeout returns the longest timeout in ms, or [parse.Anytime]: since Redis 7.2 its end
// must be a time of 63 bits.
func (c *Ctx) LongestTimeout() int64 {
	if c.Has(servers.TimeoutRange) {
		return math.MaxInt64 - c.Now()
	}
	return parse.Anytime
}

// Now returns the frozen time in ms since the epoch.
func (c *Ctx) Now() int64 { return c.Server.Store.Now() }

// Emit announces a change of key in the session's database; see [datastore.DB.Emit].
func (c *Ctx) Emit(class datastore.Class, event, key string) { c.DB.Emit(class, event, key) }

// EmitN is [Ctx.Emit] for an event that counts as n changes: one for each element.
func (c *Ctx) EmitN(n int64, class datastore.Class, event, key string) {
	c.DB.EmitN(n, class, event, key)
}

// EmitUnwatched announces a change that no WATCH is to notice; see [datastore.DB.EmitUnwatched].
func (c *Ctx) EmitUnwatched(class datastore.Class, event, key string) {
	c.DB.EmitUnwatched(class, event, key)
}

// getCtx returns the Ctx of the next level: commands of a client have level 0, those of their
// script or transaction level 1, and so on. Caller must return it with putCtx, newest first.
func (s *Server) getCtx() *Ctx {
	if s.level == len(s.levels) {
		s.levels = append(s.levels, &Ctx{Server: s})
	}
	s.level++
	return s.levels[s.level-1]
}

func (g *gate) putCtx() {
	g.level--
	g.levels[g.level].forget()
}

// forget drops what belongs to the command, whose arguments may be large. The next command of the
// same level may come late or never.
func (c *Ctx) forget() { c.Session, c.Args, c.plan.instead = nil, nil, nil }

// WrongType returns the reply for [datastore.ErrWrongType].
func WrongType() reply.Value { return reply.Err(errtext.WrongType) }

// Bulks returns the strings as bulk replies.
func Bulks(ss []string) []reply.Value {
	out := make([]reply.Value, len(ss))
	for i, s := range ss {
		out[i] = reply.Bulk(s)
	}
	return out
}

// second is a time in seconds, as a number and as text.
type second struct {
	At   int64
	Text string
}
