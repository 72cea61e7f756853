package hashcmds

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// The errors of servers whose arguments have any order (servers.FieldsAnywhere).
const (
	errFieldsAgain = "ERR FIELDS keyword specified multiple times"
	errTooFew      = "ERR wrong number of arguments"
)

func errUnknownArgument(arg string) string {
	return errtext.OneLine("ERR unknown argument: " + strings.TrimRight(errtext.Cut(arg, len(arg)), "\r\n"))
}

// fieldsAnywhere reads numfields and as many groups of words each from the beginning of args, which
// must not be empty, and returns what follows them.
func fieldsAnywhere(args []string, each int64, badCount string) (fields, rest []string, problem string) {
	n, ok := parse.Int(args[0])
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		return nil, nil, badCount
	case each*n > int64(len(args)-1):
		return nil, nil, errTooFew
	}
	return args[1 : 1+each*n], args[1+each*n:], ""
}

// parseExpireAnywhere reads the conditions and the fields of HEXPIRE.
func parseExpireAnywhere(args []string) (when keycmds.ExpireCondition, fields []string, problem string) {
	var condition []string
	several := false
	for len(args) > 0 {
		word := args[0]
		switch {
		case parse.IsToken(word, "fields"):
			if fields != nil {
				return when, nil, errFieldsAgain
			}
			if len(args) < 3 {
				return when, nil, "ERR FIELDS requires at least numfields and one field argument"
			}
			if fields, args, problem = fieldsAnywhere(args[1:], 1, errNumFields); problem != "" {
				return when, nil, problem
			}
			continue
		case parse.IsToken(word, "nx"), parse.IsToken(word, "xx"), parse.IsToken(word, "gt"), parse.IsToken(word, "lt"):
			if condition != nil && !strings.EqualFold(word, condition[0]) {
				several = true
			}
			condition = args[:1]
		default:
			return when, nil, errUnknownArgument(word)
		}
		args = args[1:]
	}
	if fields == nil {
		return when, nil, "ERR missing FIELDS argument"
	}
	if several {
		return when, nil, "ERR Multiple condition flags specified"
	}
	when, _, _ = keycmds.ParseExpireCondition(condition)
	return when, fields, ""
}

// fieldOptions are the arguments of HGETEX and HSETEX. Both know those of the other one, and then
// refuse them.
type fieldOptions struct {
	fnx, fxx, keep, persist, timed bool
	at                             int64
	words                          []string // fields, or pairs
}

// parseAnywhere reads the arguments of HGETEX, or with pairs of HSETEX.
func parseAnywhere(c *server.Ctx, args []string, pairs bool) (o fieldOptions, problem string) {
	each, oneTime := int64(1), "ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified"
	if pairs {
		each, oneTime = 2, errOneSetexTime
	}
	for len(args) > 0 {
		word := args[0]
		unit, timed := fieldUnit(word)
		switch keep, persist := parse.IsToken(word, "keepttl"), parse.IsToken(word, "persist"); {
		case timed, keep, persist:
			if o.timed || timed && (o.keep || o.persist) || keep && o.keep || persist && o.persist {
				return o, oneTime
			}
			o.timed, o.keep, o.persist = o.timed || timed, o.keep || keep, o.persist || persist
			if !timed {
				break
			}
			if len(args) < 2 {
				return o, "ERR missing expire time"
			}
			if o.at, problem = fieldExpireTime(c, args[1], unit); problem != "" {
				return o, problem
			}
			args = args[1:]
		case parse.IsToken(word, "fnx"), parse.IsToken(word, "fxx"):
			if o.fnx || o.fxx {
				return o, errOneFieldCondition
			}
			o.fnx = parse.IsToken(word, "fnx")
			o.fxx = !o.fnx
		case parse.IsToken(word, "fields"):
			if o.words != nil {
				return o, errFieldsAgain
			}
			if len(args) < 2 {
				return o, cmdtable.ErrArity(c.Spec)
			}
			if o.words, args, problem = fieldsAnywhere(args[1:], each, errBadFieldCount); problem != "" {
				return o, problem
			}
			continue
		default:
			return o, errUnknownArgument(word)
		}
		args = args[1:]
	}
	switch {
	case o.words == nil:
		return o, "ERR missing FIELDS argument"
	case pairs && o.persist, !pairs && (o.keep || o.fnx || o.fxx):
		return o, "ERR unknown argument"
	}
	return o, ""
}
