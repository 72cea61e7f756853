package bitcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// parseBitOffset reads the offset of a bit. Unless width is 0, #N stands for N times width; a
// product beyond 64 bits wraps around as in Redis. The offset must be within the longest possible
// string.
func parseBitOffset(c *server.Ctx, arg string, width uint) (offset int64, ok bool) {
	scale := int64(1)
	if width > 0 && arg != "" && arg[0] == '#' {
		arg, scale = arg[1:], int64(width)
	}
	n, ok := parse.Int(arg)
	n *= scale
	return n, ok && n >= 0 && n>>3 < c.Server.Config.ProtoMaxBulkLen()
}

// bitString looks up a string for a command that writes bits, and creates it if it is missing.
func bitString(c *server.Ctx, key string) (s *datastore.String, isNew bool, err error) {
	if s, err = c.DB.String(key); s == nil && err == nil {
		return c.DB.NewText(key), true, nil
	}
	return s, false, err
}

func setbit(c *server.Ctx) reply.Value {
	key := c.Args[1]
	offset, ok := parseBitOffset(c, c.Args[2], 0)
	if !ok {
		return reply.Err(errtext.BitOffset)
	}
	bit, ok := parse.Int(c.Args[3])
	if !ok || bit&^1 != 0 {
		return reply.Err("ERR bit is not an integer or out of range")
	}
	s, _, err := bitString(c, key)
	if err != nil {
		return server.WrongType()
	}
	was, changed := s.SetBit(c.Server.Store, offset, int(bit))
	if changed {
		c.Emit(datastore.ClassString, "setbit", key)
	}
	return reply.Int(int64(was))
}

func getbit(c *server.Ctx) reply.Value {
	offset, ok := parseBitOffset(c, c.Args[2], 0)
	if !ok {
		return reply.Err(errtext.BitOffset)
	}
	s, err := c.ReadString(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Int(0)
	}
	return reply.Int(int64(s.Bit(offset)))
}

// bitRange is a part of a string as BITCOUNT and BITPOS take it.
type bitRange struct {
	start, end int64 // in bytes, or in bits; negative from the end
	inBits     bool
}

// unit reads BYTE or BIT.
func (r *bitRange) unit(arg string) bool {
	r.inBits = parse.IsToken(arg, "bit")
	return r.inBits || parse.IsToken(arg, "byte")
}

// bits returns the first and last bit of the range in a string of n bytes. The range is empty when
// first > last.
func (r bitRange) bits(n int64) (first, last int64) {
	if r.inBits {
		n <<= 3
	}
	first, last = r.start, r.end
	if first < 0 {
		first = max(first+n, 0)
	}
	if last < 0 {
		last = max(last+n, 0)
	}
	last = min(last, n-1)
	if first <= last && !r.inBits {
		first, last = first<<3, last<<3|7
	}
	return first, last
}

func bitcount(c *server.Ctx) reply.Value {
	if c.Has(servers.ArgumentsFirst) {
		if _, _, errText := bitcountRange(c); errText != "" {
			return reply.Err(errText)
		}
	}
	s, err := c.ReadString(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Int(0)
	}
	r, none, errText := bitcountRange(c)
	switch {
	case errText != "":
		return reply.Err(errText)
	case none:
		return reply.Int(0)
	}
	first, last := r.bits(int64(s.Len()))
	if first > last {
		return reply.Int(0)
	}
	return reply.Int(s.CountBits(first, last))
}

// bitcountRange reads the range of BITCOUNT. none reports that it is empty.
func bitcountRange(c *server.Ctx) (r bitRange, none bool, errText string) {
	r = bitRange{end: -1}
	args := c.Args[2:]
	if len(args) == 0 {
		return r, false, ""
	}
	if len(args) > 3 || len(args) == 1 && !c.Has(servers.OpenBitCount) {
		return r, false, errtext.Syntax
	}
	var ok bool
	if r.start, ok = parse.Int(args[0]); !ok {
		return r, false, errtext.NotInteger
	}
	if len(args) == 1 {
		return r, false, ""
	}
	unitFirst := len(args) == 3 && c.Has(servers.OpenBitCount)
	if unitFirst && !r.unit(args[2]) {
		return r, false, errtext.Syntax
	}
	if r.end, ok = parse.Int(args[1]); !ok {
		return r, false, errtext.NotInteger
	}
	none = r.start < 0 && r.end < 0 && r.start > r.end
	if len(args) == 3 && !unitFirst && (!none || c.Has(servers.ArgumentsFirst)) && !r.unit(args[2]) {
		return r, false, errtext.Syntax
	}
	return r, none, ""
}

func bitpos(c *server.Ctx) reply.Value {
	bit, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case bit != 0 && bit != 1:
		return reply.Err("ERR The bit argument must be 1 or 0.")
	}
	args := c.Args[3:]
	if c.Has(servers.ArgumentsFirst) {
		if _, errText := bitposRange(args); errText != "" {
			return reply.Err(errText)
		}
	}
	s, err := c.ReadString(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil: // zeros without end
		return reply.Int(-bit)
	}
	r, errText := bitposRange(args)
	if errText != "" {
		return reply.Err(errText)
	}
	first, last := r.bits(int64(s.Len()))
	if first > last {
		return reply.Int(-1)
	}
	at := s.FindBit(int(bit), first, last)
	if at < 0 && bit == 0 && len(args) < 2 { // zeros follow the string, unless its end was asked for
		at = last + 1
	}
	return reply.Int(at)
}

// bitposRange reads the range of BITPOS.
func bitposRange(args []string) (r bitRange, errText string) {
	r = bitRange{end: -1}
	if len(args) > 3 {
		return r, errtext.Syntax
	}
	var ok bool
	if len(args) > 0 {
		if r.start, ok = parse.Int(args[0]); !ok {
			return r, errtext.NotInteger
		}
	}
	if len(args) == 3 && !r.unit(args[2]) {
		return r, errtext.Syntax
	}
	if len(args) > 1 {
		if r.end, ok = parse.Int(args[1]); !ok {
			return r, errtext.NotInteger
		}
	}
	return r, ""
}

func parseBitOp(c *server.Ctx, arg string) (op datastore.BitOp, ok bool) {
	switch {
	case c.Has(servers.BitDifferences) && parse.IsToken(arg, "diff"):
		return datastore.BitDiff, true
	case c.Has(servers.BitDifferences) && parse.IsToken(arg, "diff1"):
		return datastore.BitDiff1, true
	case c.Has(servers.BitDifferences) && parse.IsToken(arg, "andor"):
		return datastore.BitAndOr, true
	case c.Has(servers.BitDifferences) && parse.IsToken(arg, "one"):
		return datastore.BitOne, true
	case parse.IsToken(arg, "and"):
		return datastore.BitAnd, true
	case parse.IsToken(arg, "or"):
		return datastore.BitOr, true
	case parse.IsToken(arg, "xor"):
		return datastore.BitXor, true
	case parse.IsToken(arg, "not"):
		return datastore.BitNot, true
	}
	return 0, false
}

func bitop(c *server.Ctx) reply.Value {
	op, ok := parseBitOp(c, c.Args[1])
	if !ok {
		return reply.Err(errtext.Syntax)
	}
	dst, keys := c.Args[2], c.Args[3:]
	if op == datastore.BitNot && len(keys) != 1 {
		return reply.Err("ERR BITOP NOT must be called with a single source key.")
	}
	if op.NeedsTwo() && len(keys) < 2 {
		return reply.Errorf("ERR BITOP %s must be called with at least two source keys.", strings.ToUpper(c.Args[1]))
	}
	values := make([]*datastore.String, len(keys))
	for i, key := range keys {
		s, err := c.ReadString(key)
		if err != nil {
			return server.WrongType()
		}
		values[i] = s
	}
	out := datastore.CombineBits(op, values)
	if out.Len() > 0 {
		c.DB.Put(dst, out)
		c.Emit(datastore.ClassString, "set", dst)
	} else if c.DB.Delete(dst) { // deletes an expired key too
		c.Emit(datastore.ClassGeneric, "del", dst)
	}
	return reply.Int(int64(out.Len()))
}
