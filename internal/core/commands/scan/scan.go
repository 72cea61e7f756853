package scan

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Args are the arguments of SCAN, HSCAN, SSCAN, ZSCAN and CLUSTERSCAN.
type Args struct {
	Cursor  uint64
	Count   int64  // number of elements to look at, 1 or more; 10 unless given
	Pattern string // MATCH, valid only with HasPattern
	Type    string // TYPE as given, valid only with HasType
	Slot    int    // SLOT, valid only with HasSlot

	HasPattern bool // false also for the pattern "*", which matches everything
	HasType    bool
	HasSlot    bool
	FirstOnly  bool // NOVALUES of HSCAN, NOSCORES of ZSCAN
}

// Options says which options a command takes in addition to MATCH and COUNT.
type Options struct {
	types bool // TYPE
	known bool // TYPE must be one that there is
	slots bool // SLOT

	command  string // the running command
	noValues bool   // HSCAN has NOVALUES, which the other commands refuse
	noScores bool   // ZSCAN has NOSCORES, likewise
}

// Match reports whether an element passes the MATCH option.
func (a *Args) Match(s string) bool {
	return !a.HasPattern || glob.Match(a.Pattern, s, false)
}

// Parse reads the cursor and the options of SCAN. When ok is false the reply is the error. HSCAN,
// SSCAN and ZSCAN look up their key between the two; see [Key].
func Parse(c *server.Ctx, cursor string, rest []string) (a Args, errReply reply.Value, ok bool) {
	n, ok := readCursor(c, cursor)
	if !ok {
		return a, reply.Err(errtext.InvalidCursor), false
	}
	a, errReply, ok = parseOptions(rest, OptionsOf(c))
	a.Cursor = n
	return a, errReply, ok
}

// ParseOptions reads the options of the running command.
func ParseOptions(c *server.Ctx, rest []string) (a Args, errReply reply.Value, ok bool) {
	return parseOptions(rest, OptionsOf(c))
}

func readCursor(c *server.Ctx, cursor string) (uint64, bool) {
	if c.Has(servers.PlainCursors) {
		return parse.PlainCursor(cursor)
	}
	return parse.Cursor(cursor)
}

// parseOptions reads MATCH, COUNT and the other allowed options.
func parseOptions(rest []string, allow Options) (a Args, errReply reply.Value, ok bool) {
	a.Count = 10
	for len(rest) > 0 {
		name := rest[0]
		if allow.noValues && parse.IsToken(name, "novalues") {
			if allow.command != "hscan" {
				return a, reply.Err("ERR NOVALUES option can only be used in HSCAN"), false
			}
			a.FirstOnly, rest = true, rest[1:]
			continue
		}
		if allow.noScores && parse.IsToken(name, "noscores") {
			if allow.command != "zscan" {
				return a, reply.Err("ERR NOSCORES option can only be used in ZSCAN"), false
			}
			a.FirstOnly, rest = true, rest[1:]
			continue
		}
		if len(rest) == 1 {
			return a, reply.Err(errtext.Syntax), false
		}
		value := rest[1]
		rest = rest[2:]
		switch {
		case parse.IsToken(name, "count"):
			if a.Count, ok = parse.Int(value); !ok {
				return a, reply.Err(errtext.NotInteger), false
			}
			if a.Count < 1 {
				return a, reply.Err(errtext.Syntax), false
			}
		case parse.IsToken(name, "match"):
			a.Pattern, a.HasPattern = value, value != "*"
		case allow.types && parse.IsToken(name, "type"):
			if allow.known && !isType(value) {
				return a, reply.Err(errtext.OneLine("ERR unknown type name '" + errtext.Cut(value, len(value)) + "'")), false
			}
			a.Type, a.HasType = value, true
		case allow.slots && parse.IsToken(name, "slot"):
			if a.HasSlot {
				return a, reply.Err("ERR SLOT option can only be specified once"), false
			}
			if a.Slot, ok = parse.Slot(value); !ok {
				return a, reply.Err(errtext.BadSlot), false
			}
			a.HasSlot = true
		default:
			return a, reply.Err(errtext.Syntax), false
		}
	}
	return a, reply.Value{}, true
}

// isType reports whether TYPE names a type.
func isType(name string) bool {
	for t := datastore.TypeString; t <= datastore.TypeStream; t++ {
		if parse.IsToken(name, t.String()) {
			return true
		}
	}
	return false
}

// Reply returns the reply of a scan: the next cursor and the elements.
func Reply(cursor uint64, elems []reply.Value) reply.Value {
	return reply.Array(reply.Bulk(strconv.FormatUint(cursor, 10)), reply.Array(elems...))
}

// Loop calls step until the end of the table, until it has found COUNT elements, or until it
// has looked at 10 * COUNT * parts + 1 buckets, so that a sparse table does not hold up the engine.
// step looks at one bucket and returns the next cursor and the number of values found. An element
// has parts values: 2 for a pair, else 1. Both products wrap around, as in Redis.
func Loop(a *Args, parts int64, step func(cursor uint64) (next uint64, found int64)) uint64 {
	want := a.Count * parts
	cursor, found := a.Cursor, int64(0)
	for steps := want * 10; ; steps-- {
		next, n := step(cursor)
		cursor, found = next, found+n
		if cursor == 0 || steps == 0 || uint64(found) >= uint64(want) {
			return cursor
		}
	}
}

// Key runs HSCAN, SSCAN or ZSCAN. It reads cursor, key and options in the same order as Redis, and
// runs the step that stepOf returns, which appends the matching elements to out. An element has
// parts values; see [Loop].
func Key[T any](c *server.Ctx, parts int64, read func(c *server.Ctx, key string) (*T, error),
	stepOf func(o *T, a *Args, out *[]reply.Value) func(cursor uint64) (next uint64, found int64)) reply.Value {
	cursor, ok := readCursor(c, c.Args[2])
	if !ok {
		return reply.Err(errtext.InvalidCursor)
	}
	o, err := read(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if o == nil {
		return Reply(0, nil)
	}
	a, e, ok := parseOptions(c.Args[3:], OptionsOf(c))
	if !ok {
		return e
	}
	a.Cursor = cursor
	var out []reply.Value
	next := Loop(&a, parts, stepOf(o, &a, &out))
	return Reply(next, out)
}

// OptionsOf returns the options of the running command.
func OptionsOf(c *server.Ctx) Options {
	slots := c.Spec.Name == "clusterscan"
	return Options{types: slots || c.Spec.Name == "scan", slots: slots, known: c.Has(servers.ScanOfKnownTypes), command: c.Spec.Name,
		noValues: c.Has(servers.HashScanWithoutText), noScores: c.Has(servers.ZSetScanWithoutScores)}
}

// Pairs is Key for elements that are pairs. MATCH applies to the first value.
func Pairs[T any](c *server.Ctx, read func(c *server.Ctx, key string) (*T, error),
	scan func(o *T, cursor uint64, emit func(first, second string)) uint64) reply.Value {
	return Key(c, 2, read, func(o *T, a *Args, out *[]reply.Value) func(uint64) (uint64, int64) {
		return func(cursor uint64) (next uint64, found int64) {
			next = scan(o, cursor, func(first, second string) {
				found += 2
				switch {
				case !a.Match(first):
				case a.FirstOnly:
					*out = append(*out, reply.Bulk(first))
				default:
					*out = append(*out, reply.Bulk(first), reply.Bulk(second))
				}
			})
			return next, found
		}
	})
}
