package hashcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// maxFieldExpire is the latest expiry time of a field in Redis, in ms since the epoch: 46 bits.
const maxFieldExpire = 1<<46 - 1

// latestFieldExpire returns the latest expiry time of a field.
func latestFieldExpire(c *server.Ctx) int64 {
	if c.Has(servers.LateFieldTimes) {
		return math.MaxInt64
	}
	return maxFieldExpire
}

// Errors of commands on expiring fields.
const (
	errFieldExpire    = "ERR invalid expire time, must be >= 0"
	errFieldsMissing  = "ERR Mandatory argument FIELDS is missing or not at the right position"
	errNumFields      = "ERR Parameter `numFields` should be greater than 0"
	errFieldCount     = "ERR Number of fields must be a positive integer"
	errFieldsMismatch = "ERR The `numfields` parameter must match the number of arguments"
)

// The replies about a field. Commands that read its expiry time use the first two as well.
const (
	fieldMissing  = -2 // no such field, or no such key
	fieldNoExpire = -1 // it never expires
	fieldRefused  = 0  // the condition does not hold
	fieldDone     = 1
	fieldDeleted  = 2 // the time was in the past
)

func hexpire(c *server.Ctx) reply.Value    { return expireFieldsAt(c, server.InSeconds) }
func hpexpire(c *server.Ctx) reply.Value   { return expireFieldsAt(c, server.InMillis) }
func hexpireat(c *server.Ctx) reply.Value  { return expireFieldsAt(c, server.AtSeconds) }
func hpexpireat(c *server.Ctx) reply.Value { return expireFieldsAt(c, server.AtMillis) }

// parseFields reads FIELDS numfields field ... at the end of the arguments. badCount is the error
// for a number below 1.
func parseFields(args []string, badCount string) (fields []string, problem string) {
	if len(args) < 2 || !parse.IsToken(args[0], "fields") {
		return nil, errFieldsMissing
	}
	n, ok := parse.Int(args[1])
	switch {
	case !ok || n < 1:
		return nil, badCount
	case n != int64(len(args)-2):
		return nil, errFieldsMismatch
	}
	return args[2:], ""
}

// hashAndFields looks up the hash and reads the fields, in the order of the server that is
// followed. mismatch is the error of servers.FieldsLast for a number that does not match.
func hashAndFields(c *server.Ctx, read func(db *datastore.DB, key string) (*datastore.Hash, error), mismatch string) (
	h *datastore.Hash, fields []string, errReply reply.Value, ok bool) {
	var problem string
	last := c.Has(servers.FieldsLast)
	if last {
		if fields, problem = fieldsOnly(c.Args[2:], mismatch); problem != "" {
			return nil, nil, reply.Err(problem), false
		}
	}
	h, err := read(c.DB, c.Args[1])
	if err != nil {
		return nil, nil, server.WrongType(), false
	}
	if !last {
		fields, problem = parseFields(c.Args[2:], errFieldCount)
	}
	return h, fields, reply.Err(problem), problem == ""
}

// fieldExpireTime reads the expiry time of fields, in ms since the epoch.
func fieldExpireTime(c *server.Ctx, arg string, unit server.ExpireUnit) (at int64, problem string) {
	n, ok := parse.Int(arg)
	switch {
	case !ok:
		return 0, errtext.NotInteger
	case n < 0 && c.Has(servers.FieldsLast):
		return 0, badFieldExpire(c)
	case n < 0:
		return 0, errFieldExpire
	case n > math.MaxInt64/unit.Scale:
		return 0, badFieldExpire(c)
	}
	at = n * unit.Scale
	latest := latestFieldExpire(c)
	if !unit.Absolute {
		if at > latest-c.Now() {
			return 0, badFieldExpire(c)
		}
		at += c.Now()
	}
	if at > latest {
		return 0, badFieldExpire(c)
	}
	return at, ""
}

func badFieldExpire(c *server.Ctx) string {
	return "ERR invalid expire time in '" + c.Spec.Name + "' command"
}

// sameForAll replies with n for each field.
func sameForAll(fields []string, n int64) reply.Value {
	out := make([]reply.Value, len(fields))
	for i := range out {
		out[i] = reply.Int(n)
	}
	return reply.Array(out...)
}

// hexpireArgs are the arguments of HEXPIRE and the other three.
type hexpireArgs struct {
	h      *datastore.Hash // nil: there is none
	at     int64
	when   keycmds.ExpireCondition
	fields []string
}

// parse reads the arguments in the order of the server that is followed.
func (a *hexpireArgs) parse(c *server.Ctx, unit server.ExpireUnit) (errReply reply.Value, ok bool) {
	var err error
	var problem string
	if c.Has(servers.FieldsLast) {
		if a.when, a.fields, problem = parseExpireLast(c.Args[3:]); problem == "" {
			a.at, problem = fieldExpireTime(c, c.Args[2], unit)
		}
		if problem != "" {
			return reply.Err(problem), false
		}
		if a.h, err = c.DB.Hash(c.Args[1]); err != nil {
			return server.WrongType(), false
		}
		return reply.Value{}, true
	}
	if a.h, err = c.DB.Hash(c.Args[1]); err != nil {
		return server.WrongType(), false
	}
	if a.at, problem = fieldExpireTime(c, c.Args[2], unit); problem == "" {
		if c.Has(servers.FieldsAnywhere) {
			a.when, a.fields, problem = parseExpireAnywhere(c.Args[3:])
		} else {
			a.when, a.fields, problem = parseExpireArgs(c.Args[3:])
		}
	}
	return reply.Err(problem), problem == ""
}

// parseExpireArgs reads one condition and then the fields.
func parseExpireArgs(rest []string) (when keycmds.ExpireCondition, fields []string, problem string) {
	if !parse.IsToken(rest[0], "fields") {
		var ok bool
		if when, _, ok = keycmds.ParseExpireCondition(rest[:1]); ok {
			rest = rest[1:]
		}
	}
	fields, problem = parseFields(rest, errNumFields)
	return when, fields, problem
}

func expireFieldsAt(c *server.Ctx, unit server.ExpireUnit) reply.Value {
	var a hexpireArgs
	if errReply, ok := a.parse(c, unit); !ok {
		return errReply
	}
	key, h, at, when, fields := c.Args[1], a.h, a.at, a.when, a.fields
	if h == nil {
		return sameForAll(fields, fieldMissing)
	}
	if !c.Has(servers.LargeTimed) {
		c.DB.TimeFields(key, h)
	}
	out := make([]reply.Value, len(fields))
	set, deleted := false, false
	for i, field := range fields {
		n := expireField(c, key, h, field, at, when)
		out[i] = reply.Int(n)
		set, deleted = set || n == fieldDone, deleted || n == fieldDeleted
	}
	emitFieldTimes(c, key, set, "hexpire", deleted)
	return reply.Array(out...)
}

// expireField sets the expiry time of one field to at, or deletes the field if at is past.
func expireField(c *server.Ctx, key string, h *datastore.Hash, field string, at int64, when keycmds.ExpireCondition) int64 {
	present, there := h.FieldExpireAt(field)
	switch {
	case !there:
		return fieldMissing
	case !when.Holds(present, at):
		return fieldRefused
	case c.IsPast(at):
		deletePast(c, h, field)
		return fieldDeleted
	}
	c.DB.SetFieldExpire(key, h, field, at)
	return fieldDone
}

// deletePast deletes a field whose new expiry time is past.
func deletePast(c *server.Ctx, h *datastore.Hash, field string) {
	if h.Delete(field) {
		c.Server.Store.CountExpired(0, 1)
	}
}

// emitFieldTimes publishes event if expiry times of fields changed, and hdel or hexpired if fields
// were deleted because their times were past. Without an event they were deleted for another
// reason.
func emitFieldTimes(c *server.Ctx, key string, set bool, event string, deleted bool) {
	if set {
		c.Emit(datastore.ClassHash, event, key)
	}
	if deleted && event != "" && c.Has(servers.PastIsExpired) {
		c.Emit(datastore.ClassHash, "hexpired", key)
		c.DB.DropIfEmpty(key)
	} else if deleted {
		c.Emit(datastore.ClassHash, "hdel", key)
		c.DB.DropIfEmpty(key)
	}
}

func hpersist(c *server.Ctx) reply.Value {
	key := c.Args[1]
	h, fields, errReply, ok := hashAndFields(c, (*datastore.DB).Hash, errFieldsDiffer)
	switch {
	case !ok:
		return errReply
	case h == nil:
		return sameForAll(fields, fieldMissing)
	}
	out := make([]reply.Value, len(fields))
	changed := false
	for i, field := range fields {
		at, there := h.FieldExpireAt(field)
		switch {
		case !there || at != 0 && at < c.Now():
			out[i] = reply.Int(fieldMissing)
		case at == 0:
			out[i] = reply.Int(fieldNoExpire)
		default:
			c.DB.SetFieldExpire(key, h, field, 0)
			out[i], changed = reply.Int(fieldDone), true
		}
	}
	if changed {
		c.Emit(datastore.ClassHash, "hpersist", key)
	}
	return reply.Array(out...)
}

func httl(c *server.Ctx) reply.Value         { return fieldTimes(c, server.InSeconds) }
func hpttl(c *server.Ctx) reply.Value        { return fieldTimes(c, server.InMillis) }
func hexpiretime(c *server.Ctx) reply.Value  { return fieldTimes(c, server.AtSeconds) }
func hpexpiretime(c *server.Ctx) reply.Value { return fieldTimes(c, server.AtMillis) }

// fieldTimes replies with the expiry times of fields in unit, seconds rounded up; -1 for never, -2
// for a missing field.
func fieldTimes(c *server.Ctx, unit server.ExpireUnit) reply.Value {
	h, fields, errReply, ok := hashAndFields(c, func(_ *datastore.DB, key string) (*datastore.Hash, error) { return readHash(c, key) },
		errtext.Syntax)
	switch {
	case !ok:
		return errReply
	case h == nil:
		return sameForAll(fields, fieldMissing)
	}
	// As in Redis 8.0, HTTL and related commands treat a field of a compact hash as expired one ms
	// earlier.
	over := c.Now()
	if h.Compact() {
		over++
	}
	out := make([]reply.Value, len(fields))
	for i, field := range fields {
		at, there := h.FieldExpireAt(field)
		switch {
		case !there || at != 0 && at < over:
			out[i] = reply.Int(fieldMissing)
		case at == 0:
			out[i] = reply.Int(fieldNoExpire)
		default:
			if !unit.Absolute {
				at -= c.Now()
			}
			out[i] = reply.Int((at + unit.Scale - 1) / unit.Scale)
		}
	}
	return reply.Array(out...)
}
