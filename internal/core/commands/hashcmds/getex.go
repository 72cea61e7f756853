package hashcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
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

// parseGetex looks up the hash of HGETEX and reads the other arguments, in the order of the server
// that is followed.
func parseGetex(c *server.Ctx) (h *datastore.Hash, o fieldOptions, errReply reply.Value, ok bool) {
	var last lastOptions
	var problem string
	if c.Has(servers.FieldsLast) {
		if last, problem = parseLast(c.Args[1:], false); problem != "" {
			return nil, o, reply.Err(problem), false
		}
	}
	h, err := c.DB.Hash(c.Args[1])
	if c.Has(servers.FieldsLast) {
		c.CountLookup(h != nil || err != nil, c.Args[1])
	}
	switch {
	case err != nil:
		return nil, o, server.WrongType(), false
	case c.Has(servers.FieldsLast):
		problem = last.readTime(c)
		o = last.fieldOptions
	case c.Has(servers.FieldsAnywhere):
		o, problem = parseAnywhere(c, c.Args[2:], false)
	default:
		o, problem = parseGetexFirst(c, c.Args[2:])
	}
	return h, o, reply.Err(problem), problem == ""
}

// parseGetexFirst reads one option and then the fields.
func parseGetexFirst(c *server.Ctx, rest []string) (o fieldOptions, problem string) {
	if unit, ok := fieldUnit(rest[0]); ok {
		if o.at, problem = fieldExpireTime(c, rest[1], unit); problem != "" {
			return o, problem
		}
		if o.timed, rest = true, rest[2:]; len(rest) < 2 {
			return o, cmdtable.ErrArity(c.Spec)
		}
	} else if parse.IsToken(rest[0], "persist") {
		o.persist, rest = true, rest[1:]
	}
	o.words, problem = parseFields(rest, errFieldCount)
	return o, problem
}

func hgetex(c *server.Ctx) reply.Value {
	key := c.Args[1]
	h, o, errReply, ok := parseGetex(c)
	if !ok {
		return errReply
	}
	at, fields, change, event := o.at, o.words, o.timed || o.persist, "hpersist"
	if o.timed {
		event = "hexpire"
	}
	switch {
	case h == nil || !c.DB.ExpireFields(key, h, fields...):
		return nulls(fields)
	}
	if change && !c.Has(servers.LargeTimed) {
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
			deletePast(c, h, field)
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
	h, fields, errReply, ok := hashAndFields(c, (*datastore.DB).Hash, errFieldsDiffer)
	switch {
	case !ok:
		return errReply
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
	nx, xx   bool // only if the key is not there, or is: servers.FieldsLast
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
		case timed && (len(args) > 1 || a.timed || a.keep):
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
				return a, errOneFieldCondition
			}
			a.fnx = parse.IsToken(args[0], "fnx")
			a.fxx = !a.fnx
		default:
			return a, errUnknownArgument(args[0])
		}
	}
	return a, cmdtable.ErrArity(c.Spec)
}

// Errors of HSETEX.
const (
	errOneSetexTime      = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"
	errOneFieldCondition = "ERR Only one of FXX or FNX arguments can be specified"
	errBadFieldCount     = "ERR invalid number of fields"
)

// setexPairs reads numfields field value ... at the end of the arguments.
func setexPairs(c *server.Ctx, args []string) (pairs []string, problem string) {
	if len(args) < 3 {
		return nil, cmdtable.ErrArity(c.Spec)
	}
	n, ok := parse.Int(args[0])
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		return nil, errBadFieldCount
	case 2*n != int64(len(args)-1):
		return nil, cmdtable.ErrArity(c.Spec)
	}
	return args[1:], ""
}

// readSetex reads the arguments of HSETEX and looks up the hash, in the order of the server that is
// followed.
func readSetex(c *server.Ctx) (a setexArgs, h *datastore.Hash, errReply reply.Value, ok bool) {
	var problem string
	var last lastOptions
	switch {
	case c.Has(servers.FieldsLast):
		last, problem = parseLast(c.Args[1:], true)
	case c.Has(servers.FieldsAnywhere):
		var o fieldOptions
		o, problem = parseAnywhere(c, c.Args[2:], true)
		a = o.setex()
	default:
		a, problem = parseSetex(c, c.Args[2:])
	}
	if problem != "" {
		return a, nil, reply.Err(problem), false
	}
	h, err := c.DB.Hash(c.Args[1])
	if err != nil {
		return a, nil, server.WrongType(), false
	}
	if c.Has(servers.FieldsLast) {
		if keyHolds := !(last.nx && h != nil || last.xx && h == nil); keyHolds {
			problem = last.readTime(c)
		}
		a = last.setex()
		a.nx, a.xx = last.nx, last.xx
	}
	return a, h, reply.Err(problem), problem == ""
}

func (o *fieldOptions) setex() setexArgs {
	return setexArgs{fnx: o.fnx, fxx: o.fxx, keep: o.keep, timed: o.timed, at: o.at, pairs: o.words}
}

func hsetex(c *server.Ctx) reply.Value {
	key := c.Args[1]
	a, h, errReply, ok := readSetex(c)
	if !ok {
		return errReply
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
	if a.timed && !c.Has(servers.LargeTimed) {
		c.DB.TimeFields(key, h)
	}
	for i := 0; i < len(a.pairs); i += 2 {
		field, value := a.pairs[i], a.pairs[i+1]
		switch {
		case a.keep:
			h.SetKeep(field, value)
		case past && c.Has(servers.LargeTimed): // no time is set
		default:
			c.DB.SetFieldUntil(key, h, field, value, a.at)
		}
		if past {
			h.Delete(field)
			c.Server.Store.CountExpired(0, 1)
		}
	}
	c.Emit(datastore.ClassHash, "hset", key)
	if a.timed {
		emitFieldTimes(c, key, !past || c.Has(servers.PastIsExpired), "hexpire", past)
	}
	return reply.Int(1)
}

// holds reports whether the condition holds for a hash, which is nil if missing. It removes the
// expired ones of the fields that it reads, as in Redis without an event.
func (a *setexArgs) holds(h *datastore.Hash) bool {
	switch {
	case a.nx && h != nil || a.xx && h == nil:
		return false
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
