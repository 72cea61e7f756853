package streamcmds

import (
	"math"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

const (
	errStreamID      = "ERR Invalid stream ID specified as stream command argument"
	errStartInterval = "ERR invalid start ID for the interval"
	errEndInterval   = "ERR invalid end ID for the interval"
)

// parseNewID reads the id of XADD. The part behind the dash may be *; given is false then.
func parseNewID(arg string) (id datastore.StreamID, given, ok bool) {
	if ms, seq, _, ok := parse.SplitID(arg); ok && seq == "*" {
		id.Ms, ok = parse.Uint(ms)
		return id, false, ok
	}
	id, ok = parse.StreamID(arg, 0)
	return id, true, ok
}

// parseBound reads an end of an interval: - or +, or an id, which is exclusive behind "(".
func parseBound(arg string, missing uint64) (id datastore.StreamID, exclusive, ok bool) {
	switch {
	case len(arg) > 1 && arg[0] == '(':
		id, ok = parse.StreamID(arg[1:], missing)
		return id, true, ok
	}
	if id, ok = parseEdge(arg); !ok {
		id, ok = parse.StreamID(arg, missing)
	}
	return id, false, ok
}

// parseEdge reads - or +, the smallest and the greatest possible id.
func parseEdge(arg string) (id datastore.StreamID, ok bool) {
	if len(arg) >= 128 {
		return id, false
	}
	switch parse.CString(arg) {
	case "-":
		return id, true
	case "+":
		return datastore.MaxStreamID, true
	}
	return id, false
}

// parseStart reads the first end of an interval; when ok is false the reply is the error.
func parseStart(arg string) (id datastore.StreamID, errReply reply.Value, ok bool) {
	id, exclusive, ok := parseBound(arg, 0)
	if !ok {
		return id, reply.Err(errStreamID), false
	}
	if exclusive {
		id, ok = id.Next()
	}
	return id, reply.Err(errStartInterval), ok
}

// parseEndID reads the second end of an interval.
func parseEndID(arg string) (id datastore.StreamID, errReply reply.Value, ok bool) {
	id, exclusive, ok := parseBound(arg, math.MaxUint64)
	if !ok {
		return id, reply.Err(errStreamID), false
	}
	if exclusive {
		id, ok = id.Prev()
	}
	return id, reply.Err(errEndInterval), ok
}

// parseIDs appends a list of ids to ids.
func parseIDs(ids []datastore.StreamID, args []string) ([]datastore.StreamID, bool) {
	for _, a := range args {
		id, ok := parse.StreamID(a, 0)
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// streamTrimArgs are the options of XTRIM, and those of XADD that stand before the id.
type streamTrimArgs struct {
	datastore.StreamTrim
	trim     bool // MAXLEN or MINID was given
	limited  bool // LIMIT was given
	noCreate bool // NOMKSTREAM
	refs     bool // KEEPREF, DELREF or ACKED was given
	idmp     idempotence

	threshold int // index of the threshold in the options
}

// parse reads options up to the first argument that is not an option, and returns the number of
// arguments read. xadd says whether the command is XADD.
func (t *streamTrimArgs) parse(c *server.Ctx, args []string, xadd bool) (n int, errReply reply.Value, ok bool) {
	for ; n < len(args); n++ {
		more := len(args) - 1 - n
		switch a := args[n]; {
		case xadd && parse.CString(a) == "*":
			return n, reply.Value{}, true
		case more > 0 && (parse.IsToken(a, "maxlen") || parse.IsToken(a, "minid")):
			took, e, ok := t.parseThreshold(args[n+1:], parse.IsToken(a, "minid"))
			if !ok {
				return 0, e, false
			}
			n += took
			t.threshold = n
		case more > 0 && parse.IsToken(a, "limit"):
			n++
			if t.Limit, ok = parse.Int(args[n]); !ok {
				return 0, reply.Err(errtext.NotInteger), false
			}
			if t.Limit < 0 {
				return 0, reply.Err("ERR The LIMIT argument must be >= 0."), false
			}
			t.limited = true
		case xadd && parse.IsToken(a, "nomkstream"):
			t.noCreate = true
		case c.Has(servers.StreamRefs) && !t.refs && parseRefs(a, &t.Refs):
			t.refs = true
		case xadd && c.Has(servers.StreamProducers) && t.idmp.names(a, more):
			took, errReply, ok := t.idmp.parse(args[n:])
			if !ok {
				return 0, errReply, false
			}
			n += took
		case xadd:
			return n, reply.Value{}, true
		default:
			return 0, reply.Err(errtext.Syntax), false
		}
	}
	return n, reply.Value{}, true
}

// parseRefs reads KEEPREF, DELREF or ACKED.
func parseRefs(arg string, refs *datastore.StreamRefs) bool {
	switch {
	case parse.IsToken(arg, "keepref"):
		*refs = datastore.KeepStreamRefs
	case parse.IsToken(arg, "delref"):
		*refs = datastore.DropStreamRefs
	case parse.IsToken(arg, "acked"):
		*refs = datastore.AckedStreamRefs
	default:
		return false
	}
	return true
}

// parseThreshold reads the arguments of MAXLEN or MINID and returns their number.
func (t *streamTrimArgs) parseThreshold(args []string, byID bool) (n int, errReply reply.Value, ok bool) {
	if t.trim {
		return 0, reply.Err("ERR syntax error, MAXLEN and MINID options at the same time are not compatible"), false
	}
	t.trim, t.ByID, t.Approx = true, byID, false
	if op := parse.CString(args[0]); len(args) > 1 && (op == "~" || op == "=") {
		t.Approx = op == "~"
		n = 1
	}
	if byID {
		t.MinID, ok = parse.StreamID(args[n], 0)
		return n + 1, reply.Err(errStreamID), ok
	}
	if t.MaxLen, ok = parse.Int(args[n]); !ok {
		return 0, reply.Err(errtext.NotInteger), false
	}
	return n + 1, reply.Err("ERR The MAXLEN argument must be >= 0."), t.MaxLen >= 0
}

// validate checks the combination of options, and sets Redis's default limit for an approximate
// trim.
func (t *streamTrimArgs) validate(c *server.Ctx, xadd bool) (errReply reply.Value, ok bool) {
	switch {
	case t.Limit > 0 && !t.trim:
		return reply.Err("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy"), false
	case !xadd && !t.trim:
		return reply.Err("ERR syntax error, XTRIM must be called with a trimming strategy"), false
	case t.limited && !t.Approx && !c.Session.MustObey: // a master sends it
		return reply.Err("ERR syntax error, LIMIT cannot be used without the special ~ option"), false
	case !t.limited && t.Approx:
		t.Limit = streamTrimLimit(c.Server.Store.Limits().StreamNodeMaxEntries)
	}
	return reply.Value{}, true
}

// streamTrimLimit is the number of entries in 100 nodes, within bounds.
func streamTrimLimit(nodeEntries int) int64 {
	const most = 1000000
	switch n := int64(nodeEntries); {
	case n <= 0:
		return 10000
	case n > most/100:
		return most
	default:
		return 100 * n
	}
}
