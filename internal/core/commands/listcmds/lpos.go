package listcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/servers"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// lposArgs are the options of LPOS.
type lposArgs struct {
	rank     int64 // the first match to return; negative: searched from the end
	count    int64 // number of matches to return; 0: all
	hasCount bool
	maxLen   int64 // number of elements to compare; 0: all
}

func parseLpos(c *server.Ctx, rest []string) (a lposArgs, errText string) {
	a.rank = 1
	for ; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 {
			return a, errtext.Syntax
		}
		n, ok := parse.Int(rest[1])
		switch name := rest[0]; {
		case parse.IsToken(name, "rank"):
			a.rank = n
			if !ok {
				return a, errtext.NotInteger
			}
			if n == math.MinInt64 && c.Has(servers.SafeNegation) {
				return a, errtext.CountRange
			}
			if n == 0 {
				return a, "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second " +
					"... or use negative to start from the end of the list"
			}
		case parse.IsToken(name, "count"):
			a.count, a.hasCount = n, true
			if !ok || n < 0 {
				return a, "ERR COUNT can't be negative"
			}
		case parse.IsToken(name, "maxlen"):
			a.maxLen = n
			if !ok || n < 0 {
				return a, "ERR MAXLEN can't be negative"
			}
		default:
			return a, errtext.Syntax
		}
	}
	return a, ""
}

func lpos(c *server.Ctx) reply.Value {
	a, errText := parseLpos(c, c.Args[3:])
	if errText != "" {
		return reply.Err(errText)
	}
	l, err := readList(c, c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	found := []reply.Value{}
	if l != nil {
		skip, count, left := a.search()
		look := func(i int, equal bool) bool {
			if equal {
				if skip--; skip < 0 {
					found = append(found, reply.Int(int64(i)))
				}
			}
			left--
			return left > 0 && int64(len(found)) < count
		}
		if a.rank > 0 {
			l.Compare(0, false, c.Args[2], look)
		} else {
			l.Compare(l.Len()-1, true, c.Args[2], look)
		}
	}
	switch {
	case a.hasCount:
		return reply.Array(found...)
	case len(found) == 0:
		return reply.Nil()
	}
	return found[0]
}

// search returns how many matches to skip, how many to find and how many elements to compare.
func (a *lposArgs) search() (skip, count, left int64) {
	count, left = a.count, a.maxLen
	switch {
	case !a.hasCount:
		count = 1
	case count == 0:
		count = math.MaxInt64
	}
	if left == 0 {
		left = math.MaxInt64
	}
	switch {
	case a.rank == math.MinInt64: // has no positive counterpart; Redis skips none
	case a.rank < 0:
		skip = -a.rank - 1
	default:
		skip = a.rank - 1
	}
	return skip, count, left
}
