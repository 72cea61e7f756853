package streamcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// readStream looks up a key for reading; nil when there is no such key.
func readStream(c *server.Ctx, key string) (*datastore.Stream, error) {
	s, err := c.DB.Stream(key)
	c.CountLookup(s != nil || err != nil, key)
	return s, err
}

func streamID(id datastore.StreamID) reply.Value { return reply.Bulk(id.String()) }

func xadd(c *server.Ctx) reply.Value {
	var t streamTrimArgs
	n, bad, ok := t.parse(c, c.Args[2:], true)
	if !ok {
		return bad
	}
	var id datastore.StreamID
	auto, given := true, false
	at := 2 + n // the id
	if at < len(c.Args) && parse.CString(c.Args[at]) != "*" {
		auto = false
		if id, given, ok = parseNewID(c.Args[at]); !ok {
			return reply.Err(errStreamID)
		}
	}
	if t.idmp.kind != "" && !auto && !c.Session.MustObey { // a master sends it
		return reply.Err("ERR syntax error, IDMP/IDMPAUTO can be used only with auto-generated IDs")
	}
	if bad, ok := t.validate(c, true); !ok {
		return bad
	}
	pairs := c.Args[min(at+1, len(c.Args)):]
	switch {
	case len(pairs) < 2 || len(pairs)%2 == 1:
		return reply.Err(cmdtable.ErrArity(c.Spec))
	case given && id.IsZero():
		return reply.Err("ERR The ID specified in XADD must be greater than 0-0")
	}
	s, err := streamForAdd(c, t.noCreate)
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Nil()
	}
	if t.idmp.kind != "" {
		if entry, ok := t.idmp.repeated(s, pairs); ok {
			c.DB.AddDirty(1)
			return streamID(entry)
		}
	}
	if s.LastID() == datastore.MaxStreamID {
		return reply.Err("ERR The stream has exhausted the last possible ID, unable to add more items")
	}
	switch {
	case auto:
		id = s.NextID()
	case !given:
		id, ok = s.NextSeq(id.Ms)
	}
	if ok {
		err = s.Add(id, pairs)
	}
	if !ok && c.Has(servers.IDLeftText) {
		ok, err = true, datastore.ErrStreamID
	}
	if !ok || err == datastore.ErrStreamTooLarge { // Redis uses this error too when no id is left in the ms
		return reply.Err("ERR Elements are too large to be stored")
	}
	if err != nil {
		return reply.Err("ERR The ID specified in XADD is equal or smaller than the target stream top item")
	}
	if t.idmp.kind != "" {
		s.Remember(t.idmp.pid, t.idmp.iid, id)
	}
	c.Emit(datastore.ClassStream, "xadd", c.Args[1])
	if t.trim && s.Trim(t.StreamTrim) > 0 {
		c.DB.Notify(datastore.ClassStream, "xtrim", c.Args[1])
	}
	if t.trim {
		t.trimEffect(c, s, 2)
	}
	if (auto || !given) && c.HasEffects() {
		c.EffectArg(at, id.String())
	}
	return streamID(id)
}

// streamForAdd looks up the stream of XADD; nil when it may not be created.
func streamForAdd(c *server.Ctx, noCreate bool) (*datastore.Stream, error) {
	if noCreate {
		return c.DB.Stream(c.Args[1])
	}
	return c.DB.StreamForWrite(c.Args[1])
}

func xtrim(c *server.Ctx) reply.Value {
	var t streamTrimArgs
	_, bad, ok := t.parse(c, c.Args[2:], false)
	if !ok {
		return bad
	}
	if bad, ok := t.validate(c, false); !ok {
		return bad
	}
	s, err := c.DB.Stream(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	n := s.Trim(t.StreamTrim)
	if n > 0 {
		t.trimEffect(c, s, 2)
	}
	streamChanged(c, "xtrim", n)
	return reply.Int(n)
}

// streamChanged publishes that n entries were removed, unless n is 0.
func streamChanged(c *server.Ctx, event string, n int64) {
	if n > 0 {
		c.Emit(datastore.ClassStream, event, c.Args[1])
		c.DB.AddDirty(n - 1)
	}
}

func xdel(c *server.Ctx) reply.Value {
	s, err := c.DB.Stream(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	var few [16]datastore.StreamID
	ids, ok := parseIDs(few[:0], c.Args[2:])
	if !ok {
		return reply.Err(errStreamID)
	}
	n := int64(s.Delete(ids))
	streamChanged(c, "xdel", n)
	return reply.Int(n)
}

func xlen(c *server.Ctx) reply.Value {
	s, err := readStream(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Int(0)
	}
	return reply.Int(int64(s.Len()))
}

func xsetid(c *server.Ctx) reply.Value {
	id, ok := parse.StreamID(c.Args[2], 0)
	if !ok {
		return reply.Err(errStreamID)
	}
	var added *uint64
	var maxDeleted datastore.StreamID
	for rest := c.Args[3:]; len(rest) > 0; rest = rest[2:] {
		switch {
		case len(rest) > 1 && parse.IsToken(rest[0], "entriesadded"):
			n, ok := parse.Int(rest[1])
			if !ok {
				return reply.Err(errtext.NotInteger)
			}
			if n < 0 {
				return reply.Err("ERR entries_added must be positive")
			}
			u := uint64(n)
			added = &u
		case len(rest) > 1 && parse.IsToken(rest[0], "maxdeletedid"):
			if maxDeleted, ok = parse.StreamID(rest[1], 0); !ok {
				return reply.Err(errStreamID)
			}
			if id.Before(maxDeleted) {
				return reply.Err("ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id")
			}
		default:
			return reply.Err(errtext.Syntax)
		}
	}
	s, err := c.DB.Stream(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Err(errtext.NoSuchKey)
	case c.Has(servers.SetIDAfterDeleted) && id.Before(s.MaxDeletedID()):
		return reply.Err("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id")
	case s.Len() > 0 && id.Before(s.Top()):
		return reply.Err("ERR The ID specified in XSETID is smaller than the target stream top item")
	case s.Len() > 0 && added != nil && uint64(s.Len()) > *added:
		return reply.Err("ERR The entries_added specified in XSETID is smaller than the target stream length")
	}
	s.SetID(id, added, maxDeleted)
	c.EmitUnwatched(datastore.ClassStream, "xsetid", c.Args[1])
	return reply.OK()
}
