package hashcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// fieldUnits are the options that give the expiry time of fields.
var fieldUnits = []struct {
	token string
	unit  server.ExpireUnit
}{{"ex", server.InSeconds}, {"px", server.InMillis}, {"exat", server.AtSeconds}, {"pxat", server.AtMillis}}

// fieldUnit is the unit that an option such as EX stands for.
func fieldUnit(arg string) (u server.ExpireUnit, ok bool) {
	for _, f := range fieldUnits {
		if parse.IsToken(arg, f.token) {
			return f.unit, true
		}
	}
	return u, false
}

// nulls replies with a null for each field.
func nulls(fields []string) reply.Value { return reply.Array(make([]reply.Value, len(fields))...) }

func hgetex(c *server.Ctx) reply.Value {
	key, rest := c.Args[1], c.Args[2:]
	h, err := c.DB.Hash(key)
	if err != nil {
		return server.WrongType()
	}
	at, change, event, problem := int64(0), false, "hpersist", ""
	if unit, ok := fieldUnit(rest[0]); ok {
		if at, problem = fieldExpireTime(c, rest[1], unit); problem != "" {
			return reply.Err(problem)
		}
		change, event, rest = true, "hexpire", rest[2:]
	} else if parse.IsToken(rest[0], "persist") {
		change, rest = true, rest[1:]
	}
	fields, problem := parseFields(rest, errFieldCount)
	switch {
	case problem != "":
		return reply.Err(problem)
	case h == nil || !c.DB.ExpireFields(key, h, fields...):
		return nulls(fields)
	}
	if change {
		c.DB.TimeFields(key, h)
	}
	out := make([]reply.Value, len(fields))
	set, deleted := false, false
	for i, field := range fields {
		value, there := h.Get(field)
		if !there {
			continue
		}
		out[i] = reply.Bulk(value)
		present, _ := h.FieldExpireAt(field)
		switch {
		case !change || event == "hpersist" && present == 0:
		case event == "hexpire" && c.IsPast(at):
			h.Delete(field)
			deleted = true
		default:
			c.DB.SetFieldExpire(key, h, field, at)
			set = true
		}
	}
	emitFieldTimes(c, key, set, event, deleted)
	return reply.Array(out...)
}

func hgetdel(c *server.Ctx) reply.Value {
	key := c.Args[1]
	h, err := c.DB.Hash(key)
	if err != nil {
		return server.WrongType()
	}
	fields, problem := parseFields(c.Args[2:], errFieldCount)
	switch {
	case problem != "":
		return reply.Err(problem)
	case h == nil || !c.DB.ExpireFields(key, h, fields...):
		return nulls(fields)
	}
	out := make([]reply.Value, len(fields))
	deleted := false
	for i, field := range fields {
		if value, there := h.Get(field); there {
			out[i], deleted = reply.Bulk(value), true
			h.Delete(field)
		}
	}
	emitFieldTimes(c, key, false, "", deleted)
	return reply.Array(out...)
}

// setexArgs are the arguments of HSETEX.
type setexArgs struct {
	fnx, fxx bool // only if none, or all, of the fields are there
	keep     bool // leave fields their expiry times
	timed    bool // EX, PX, EXAT or PXAT
	at       int64
	pairs    []string
}

func parseSetex(c *server.Ctx, args []string) (a setexArgs, problem string) {
	for ; len(args) > 0; args = args[1:] {
		unit, timed := fieldUnit(args[0])
		switch {
		case parse.IsToken(args[0], "fields"):
			a.pairs, problem = setexPairs(c, args[1:])
			return a, problem
		case timed && len(args) > 1:
			if a.timed || a.keep {
				return a, errOneSetexTime
			}
			if a.at, problem = fieldExpireTime(c, args[1], unit); problem != "" {
				return a, problem
			}
			a.timed, args = true, args[1:]
		case parse.IsToken(args[0], "keepttl"):
			if a.timed || a.keep {
				return a, errOneSetexTime
			}
			a.keep = true
		case parse.IsToken(args[0], "fnx"), parse.IsToken(args[0], "fxx"):
			if a.fnx || a.fxx {
				return a, "ERR Only one of FXX or FNX arguments can be specified"
			}
			a.fnx = parse.IsToken(args[0], "fnx")
			a.fxx = !a.fnx
		default:
			return a, "ERR unknown argument: " + errtext.OneLine(errtext.Cut(args[0], len(args[0])))
		}
	}
	return a, cmdtable.ErrArity(c.Spec)
}

const errOneSetexTime = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"

// setexPairs reads numfields field value ... at the end of the arguments.
func setexPairs(c *server.Ctx, args []string) (pairs []string, problem string) {
	if len(args) < 1 {
		return nil, cmdtable.ErrArity(c.Spec)
	}
	n, ok := parse.Int(args[0])
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		return nil, "ERR invalid number of fields"
	case 2*n != int64(len(args)-1):
		return nil, cmdtable.ErrArity(c.Spec)
	}
	return args[1:], ""
}

func hsetex(c *server.Ctx) reply.Value {
	key := c.Args[1]
	a, problem := parseSetex(c, c.Args[2:])
	if problem != "" {
		return reply.Err(problem)
	}
	h, err := c.DB.Hash(key)
	if err != nil {
		return server.WrongType()
	}
	if !a.holds(h) {
		if h != nil {
			c.DB.DropIfEmpty(key)
		}
		return reply.Int(0)
	}
	if h == nil {
		h, _ = c.DB.HashForWrite(key)
	}
	if c.Has(servers.SizedBySetEx) {
		h.Expect(len(a.pairs) / 2)
	}
	h.Prepare(a.pairs)
	past := a.timed && c.IsPast(a.at)
	if a.timed {
		c.DB.TimeFields(key, h)
	}
	for i := 0; i < len(a.pairs); i += 2 {
		field, value := a.pairs[i], a.pairs[i+1]
		if a.keep {
			h.SetKeep(field, value)
		} else {
			c.DB.SetFieldUntil(key, h, field, value, a.at)
		}
		if past {
			h.Delete(field)
		}
	}
	c.Emit(datastore.ClassHash, "hset", key)
	if a.timed {
		emitFieldTimes(c, key, !past, "hexpire", past)
	}
	return reply.Int(1)
}

// holds reports whether the condition holds for a hash, which is nil if missing. It removes the
// expired ones of the fields that it reads, as in Redis without an event.
func (a *setexArgs) holds(h *datastore.Hash) bool {
	switch {
	case !a.fnx && !a.fxx:
		return true
	case h == nil:
		return a.fnx
	}
	for i := 0; i < len(a.pairs); i += 2 {
		h.DropDueField(a.pairs[i])
		if h.Has(a.pairs[i]) == a.fnx {
			return false
		}
	}
	return true
}
