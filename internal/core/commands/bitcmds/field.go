package bitcmds

import (
	"math"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

type fieldOpKind uint8

const (
	fieldGet fieldOpKind = iota
	fieldSet
	fieldIncr
)

// overflowRule says how a number that does not fit is stored.
type overflowRule uint8

const (
	overflowWrap overflowRule = iota
	overflowSat
	overflowFail
)

// A fieldOp is one operation of BITFIELD.
type fieldOp struct {
	kind   fieldOpKind
	rule   overflowRule
	signed bool
	width  uint // in bits: 1 to 64, unsigned to 63
	offset int64
	arg    int64 // the value of SET, the increment of INCRBY
}

// parseFieldType reads i1 to i64 and u1 to u63.
func parseFieldType(arg string) (signed bool, width uint, ok bool) {
	arg = errtext.Cut(arg, len(arg))
	if arg == "" || arg[0] != 'i' && arg[0] != 'u' {
		return false, 0, false
	}
	signed = arg[0] == 'i'
	n, ok := parse.Int(arg[1:])
	return signed, uint(n), ok && n >= 1 && (n <= 63 || n == 64 && signed)
}

// parseFieldOps reads the operations. size is the length in bytes that the string needs for all
// writes; 0 when there are none.
func parseFieldOps(c *server.Ctx, args []string) (ops []fieldOp, size int64, problem string) {
	rule := overflowWrap
	for len(args) > 0 {
		op := fieldOp{rule: rule}
		switch n := len(args) - 1; {
		case n >= 2 && parse.IsToken(args[0], "get"):
		case n >= 3 && parse.IsToken(args[0], "set"):
			op.kind = fieldSet
		case n >= 3 && parse.IsToken(args[0], "incrby"):
			op.kind = fieldIncr
		case n >= 1 && parse.IsToken(args[0], "overflow"):
			var ok bool
			if rule, ok = parseOverflow(args[1]); !ok {
				return nil, 0, "ERR Invalid OVERFLOW type specified"
			}
			args = args[2:]
			continue
		default:
			return nil, 0, errtext.Syntax
		}
		var ok bool
		if op.signed, op.width, ok = parseFieldType(args[1]); !ok || c.Has(servers.ExactBitTypes) && strings.IndexByte(args[1], 0) >= 0 {
			return nil, 0, "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."
		}
		if op.offset, ok = parseBitOffset(c, args[2], op.width); !ok {
			return nil, 0, errtext.BitOffset
		}
		used := 3
		if op.kind != fieldGet {
			used = 4
			size = max(size, (op.offset+int64(op.width)+7)>>3)
			if op.arg, ok = parse.Int(args[3]); !ok {
				return nil, 0, errtext.NotInteger
			}
		}
		ops, args = append(ops, op), args[used:]
	}
	return ops, size, ""
}

func parseOverflow(arg string) (overflowRule, bool) {
	switch {
	case parse.IsToken(arg, "wrap"):
		return overflowWrap, true
	case parse.IsToken(arg, "sat"):
		return overflowSat, true
	case parse.IsToken(arg, "fail"):
		return overflowFail, true
	}
	return 0, false
}

func bitfield(c *server.Ctx) reply.Value   { return bitfieldOf(c, false) }
func bitfieldRO(c *server.Ctx) reply.Value { return bitfieldOf(c, true) }

func bitfieldOf(c *server.Ctx, readOnly bool) reply.Value {
	key := c.Args[1]
	ops, size, problem := parseFieldOps(c, c.Args[2:])
	switch {
	case problem != "":
		return reply.Err(problem)
	case size > 0 && readOnly:
		return reply.Err("ERR BITFIELD_RO only supports the GET subcommand")
	case size == 0:
		return readFields(c, key, ops)
	}
	s, grown, err := bitString(c, key)
	if err != nil {
		return server.WrongType()
	}
	grown = s.Grow(c.Server.Store, int(size)) || grown
	out, changed := make([]reply.Value, len(ops)), int64(0)
	for i := range ops {
		op := &ops[i]
		old := s.Field(op.offset, op.width)
		if op.kind == fieldGet {
			out[i] = op.reply(old)
			continue
		}
		v, fits := op.result(old)
		if !fits {
			continue // a null
		}
		s.SetField(c.Server.Store, op.offset, op.width, v)
		if grown || v != old {
			changed++
		}
		if op.kind == fieldIncr {
			old = v
		}
		out[i] = op.reply(old)
	}
	if changed > 0 {
		c.EmitN(changed, datastore.ClassString, "setbit", key)
	}
	return reply.Array(out...)
}

// readFields runs operations that only read. It does not create the key.
func readFields(c *server.Ctx, key string, ops []fieldOp) reply.Value {
	s, err := c.ReadString(key)
	if err != nil {
		return server.WrongType()
	}
	out := make([]reply.Value, len(ops))
	for i := range ops {
		v := uint64(0)
		if s != nil {
			v = s.Field(ops[i].offset, ops[i].width)
		}
		out[i] = ops[i].reply(v)
	}
	return reply.Array(out...)
}

// reply returns the number that the bits v of a field stand for.
func (op *fieldOp) reply(v uint64) reply.Value { return reply.Int(op.number(v)) }

func (op *fieldOp) number(v uint64) int64 {
	if shift := 64 - op.width; op.signed {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// result returns the bits to write in place of old; fits is false when nothing is to be written.
func (op *fieldOp) result(old uint64) (v uint64, fits bool) {
	from, by := op.number(old), op.arg
	if op.kind == fieldSet {
		from, by = op.arg, 0
	}
	var limit uint64
	var over bool
	if op.signed {
		limit, over = signedLimit(from, by, op.width)
	} else {
		limit, over = unsignedLimit(uint64(from), by, op.width)
	}
	if over {
		switch op.rule {
		case overflowFail:
			return 0, false
		case overflowSat:
			return limit, true
		}
	}
	return uint64(from+by) & (math.MaxUint64 >> (64 - op.width)), true
}

// unsignedLimit reports whether from+by overflows width bits, and returns the bits of the nearest
// number that fits.
func unsignedLimit(from uint64, by int64, width uint) (limit uint64, over bool) {
	top := uint64(1)<<width - 1
	switch {
	case from > top || by > 0 && uint64(by) > top-from:
		return top, true
	case by < 0 && uint64(-by) > from:
		return 0, true
	}
	return 0, false
}

// signedLimit is unsignedLimit for signed numbers. The room below top is taken modulo 2^64, as
// Redis does, so that a number far below what fits counts as too large.
func signedLimit(from, by int64, width uint) (limit uint64, over bool) {
	mask := uint64(math.MaxUint64) >> (64 - width)
	top := int64(mask >> 1)
	bottom := -top - 1
	above, below := top-from, bottom-from
	switch {
	case from > top || width != 64 && by > above || from >= 0 && by > 0 && by > above:
		return uint64(top), true
	case from < bottom || width != 64 && by < below || from < 0 && by < 0 && by < below:
		return uint64(bottom) & mask, true
	}
	return 0, false
}
