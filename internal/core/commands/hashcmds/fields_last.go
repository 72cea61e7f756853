package hashcmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// errFieldsDiffer is the error of servers that look for the fields first (servers.FieldsLast).
const errFieldsDiffer = "ERR numfields should be greater than 0 and match the provided number of fields"

// fieldsLast looks for FIELDS numfields and as many groups of words each at the end of args, and
// returns what precedes them. check sees it before the number is read.
func fieldsLast(args []string, each int64, check func(options []string) (problem string)) (fields []string, problem string) {
	for i := 0; i+1 < len(args); i++ {
		if !parse.IsToken(args[i], "fields") {
			continue
		}
		if problem = check(args[:i]); problem != "" {
			return nil, problem
		}
		n, ok := parse.Int(args[i+1])
		switch {
		case !ok:
			return nil, errtext.NotInteger
		case n < 1 || n > int64(len(args)) || each*n != int64(len(args)-i-2):
			return nil, errFieldsDiffer
		}
		return args[i+2:], ""
	}
	return nil, errFieldsDiffer
}

// fieldsOnly reads FIELDS numfields field ... where nothing may precede it. mismatch is the error
// for a number that does not match.
func fieldsOnly(args []string, mismatch string) (fields []string, problem string) {
	if !parse.IsToken(args[0], "fields") {
		return nil, errtext.Syntax
	}
	n, ok := parse.Int(args[1])
	switch {
	case !ok:
		return nil, errtext.NotInteger
	case n < 1 || n != int64(len(args)-2):
		return nil, mismatch
	}
	return args[2:], ""
}

// parseExpireLast reads the conditions and the fields of HEXPIRE.
func parseExpireLast(args []string) (when keycmds.ExpireCondition, fields []string, problem string) {
	fields, problem = fieldsLast(args, 1, func(options []string) string {
		w, bad, ok := keycmds.ParseExpireCondition(options)
		if !ok {
			return bad.Text()
		}
		when = w
		return ""
	})
	return when, fields, problem
}

// lastOptions are the arguments of HGETEX and HSETEX.
type lastOptions struct {
	fieldOptions
	nx, xx bool   // of HSETEX: only if the key is not there, or is
	expire string // the argument of EX, PX, EXAT or PXAT
	unit   server.ExpireUnit
}

// parseLast reads the key and the other arguments of HGETEX, or with pairs of HSETEX. As in Valkey,
// a key that is called fields is taken for the word. The time is read later, by
// [lastOptions.readTime].
func parseLast(args []string, pairs bool) (o lastOptions, problem string) {
	each := int64(1)
	if pairs {
		each = 2
	}
	o.words, problem = fieldsLast(args, each, func(before []string) string { return o.parse(before[min(1, len(before)):], pairs) })
	return o, problem
}

func (o *lastOptions) parse(options []string, pairs bool) (problem string) {
	for len(options) > 0 {
		word := options[0]
		unit, timed := fieldUnit(word)
		switch {
		case timed && len(options) > 1 && !o.keep && !o.persist && (!o.timed || o.unit == unit):
			o.timed, o.unit, o.expire, options = true, unit, options[1], options[1:]
		case pairs && parse.IsToken(word, "keepttl") && !o.timed:
			o.keep = true
		case !pairs && parse.IsToken(word, "persist") && !o.timed:
			o.persist = true
		case pairs && parse.IsToken(word, "fnx") && !o.fxx:
			o.fnx = true
		case pairs && parse.IsToken(word, "fxx") && !o.fnx:
			o.fxx = true
		case pairs && parse.IsToken(word, "nx") && !o.xx:
			o.nx = true
		case pairs && parse.IsToken(word, "xx") && !o.nx:
			o.xx = true
		default:
			return errtext.Syntax
		}
		options = options[1:]
	}
	return ""
}

// readTime reads the time of EX, PX, EXAT or PXAT.
func (o *lastOptions) readTime(c *server.Ctx) (problem string) {
	if o.timed {
		o.at, problem = fieldExpireTime(c, o.expire, o.unit)
	}
	return problem
}
