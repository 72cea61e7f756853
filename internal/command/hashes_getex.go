package command

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// fieldUnits are the options that tell when fields expire.
var fieldUnits = []struct {
	token string
	unit  expireUnit
}{{"ex", inSeconds}, {"px", inMillis}, {"exat", atSeconds}, {"pxat", atMillis}}

// fieldUnit is the unit that an option such as EX stands for.
func fieldUnit(arg string) (u expireUnit, ok bool) {
	for _, f := range fieldUnits {
		if isToken(arg, f.token) {
			return f.unit, true
		}
	}
	return u, false
}

// nulls answers a null for each field.
func nulls(fields []string) reply.Value { return reply.Array(make([]reply.Value, len(fields))...) }

func hgetex(c *Ctx) reply.Value {
	key, rest := c.Args[1], c.Args[2:]
	h, err := c.DB.Hash(key)
	if err != nil {
		return wrongType()
	}
	at, change, event, problem := int64(0), false, "hpersist", ""
	if unit, ok := fieldUnit(rest[0]); ok {
		if at, problem = c.fieldExpireTime(rest[1], unit); problem != "" {
			return reply.Err(problem)
		}
		change, event, rest = true, "hexpire", rest[2:]
	} else if isToken(rest[0], "persist") {
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
		case event == "hexpire" && at <= c.Now():
			h.Delete(field)
			deleted = true
		default:
			c.DB.SetFieldExpire(key, h, field, at)
			set = true
		}
	}
	c.emitFieldTimes(key, set, event, deleted)
	return reply.Array(out...)
}

func hgetdel(c *Ctx) reply.Value {
	key := c.Args[1]
	h, err := c.DB.Hash(key)
	if err != nil {
		return wrongType()
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
	c.emitFieldTimes(key, false, "", deleted)
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

func (c *Ctx) parseSetex(args []string) (a setexArgs, problem string) {
	for ; len(args) > 0; args = args[1:] {
		unit, timed := fieldUnit(args[0])
		switch {
		case isToken(args[0], "fields"):
			a.pairs, problem = c.setexPairs(args[1:])
			return a, problem
		case timed && len(args) > 1:
			if a.timed || a.keep {
				return a, errOneSetexTime
			}
			if a.at, problem = c.fieldExpireTime(args[1], unit); problem != "" {
				return a, problem
			}
			a.timed, args = true, args[1:]
		case isToken(args[0], "keepttl"):
			if a.timed || a.keep {
				return a, errOneSetexTime
			}
			a.keep = true
		case isToken(args[0], "fnx"), isToken(args[0], "fxx"):
			if a.fnx || a.fxx {
				return a, "ERR Only one of FXX or FNX arguments can be specified"
			}
			a.fnx = isToken(args[0], "fnx")
			a.fxx = !a.fnx
		default:
			return a, "ERR unknown argument: " + oneLine(cut(args[0], len(args[0])))
		}
	}
	return a, errArity(c.Spec)
}

const errOneSetexTime = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"

// setexPairs reads numfields field value ... at the end of the arguments.
func (c *Ctx) setexPairs(args []string) (pairs []string, problem string) {
	if len(args) < 1 {
		return nil, errArity(c.Spec)
	}
	n, ok := parseInt(args[0])
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		return nil, "ERR invalid number of fields"
	case 2*n != int64(len(args)-1):
		return nil, errArity(c.Spec)
	}
	return args[1:], ""
}

func hsetex(c *Ctx) reply.Value {
	key := c.Args[1]
	a, problem := c.parseSetex(c.Args[2:])
	if problem != "" {
		return reply.Err(problem)
	}
	h, err := c.DB.Hash(key)
	if err != nil {
		return wrongType()
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
	h.Prepare(a.pairs)
	past := a.timed && a.at <= c.Now()
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
		c.emitFieldTimes(key, !past, "hexpire", past)
	}
	return reply.Int(1)
}

// holds reports whether the condition holds for a hash, nil for a missing one. Of the fields that it looks at, those whose time has come
// are removed, as in Redis without an event.
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
