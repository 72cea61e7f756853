package streamcmds

import (
	"encoding/binary"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// idempotence are the options IDMP and IDMPAUTO of XADD: a producer may repeat an add, which adds
// one entry only.
type idempotence struct {
	kind     string // IDMP or IDMPAUTO; "" without these options
	pid, iid string // of the producer, and of what it adds
}

// names reports whether arg, behind which there are more arguments, begins the option.
func (x *idempotence) names(arg string, more int) bool {
	return more > 0 && parse.IsToken(arg, "idmpauto") || more > 1 && parse.IsToken(arg, "idmp")
}

// parse reads the option and returns the number of its arguments.
func (x *idempotence) parse(args []string) (n int, errReply reply.Value, ok bool) {
	if x.kind != "" {
		return 0, reply.Err("ERR syntax error, IDMP/IDMPAUTO specified multiple times"), false
	}
	x.kind, x.pid, n = "IDMPAUTO", args[1], 1
	if parse.IsToken(args[0], "idmp") {
		x.kind, x.iid, n = "IDMP", args[2], 2
	}
	switch {
	case x.pid == "":
		return 0, reply.Err("ERR syntax error, " + x.kind + " requires a non-empty producer ID"), false
	case n == 2 && x.iid == "":
		return 0, reply.Err("ERR syntax error, IDMP requires a non-empty idempotent ID"), false
	}
	return n, reply.Value{}, true
}

// repeated returns the entry that an earlier add has made, and counts the repetition.
func (x *idempotence) repeated(s *datastore.Stream, pairs []string) (entry datastore.StreamID, ok bool) {
	if x.kind == "IDMPAUTO" {
		x.iid = hashOfPairs(pairs)
	}
	if entry, ok = s.Produced(x.pid, x.iid); ok {
		s.Repeated()
	}
	return entry, ok
}

// hashOfPairs is the id of an entry under IDMPAUTO: 16 bytes that do not depend on the order of the
// pairs.
func hashOfPairs(pairs []string) string {
	var hi, lo uint64
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(pairs[i])))
		b = append(append(b, pairs[i]...), pairs[i+1]...)
		h := xxh3.Hash128(b)
		hi, lo = hi+h.Hi, lo+h.Lo
	}
	return string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lo), hi))
}

func xcfgset(c *server.Ctx) reply.Value {
	s, err := c.DB.Stream(c.Args[1])
	if err != nil {
		return server.WrongType()
	}
	if s == nil {
		return reply.Err(errtext.NoSuchKey)
	}
	info := s.ProducersInfo()
	settings := []*producerSetting{
		{name: "IDMP-DURATION", most: 86400, unit: "seconds", value: &info.Duration},
		{name: "IDMP-MAXSIZE", most: 10000, unit: "entries", value: &info.MaxSize},
	}
	if len(c.Args) == 2 {
		return reply.Err("ERR At least one parameter must be specified")
	}
	for rest := c.Args[2:]; len(rest) > 0; rest = rest[2:] {
		if bad, ok := setProducer(settings, rest); !ok {
			return bad
		}
	}
	if s.ConfigureProducers(info.Duration, info.MaxSize) {
		c.DB.AddDirty(1)
	}
	return reply.OK()
}

// producerSetting is a parameter of XCFGSET.
type producerSetting struct {
	name, unit string
	most       int64
	value      *int64
	given      bool
}

// setProducer reads a parameter of XCFGSET.
func setProducer(settings []*producerSetting, args []string) (errReply reply.Value, ok bool) {
	for _, p := range settings {
		if len(args) < 2 || !parse.IsToken(args[0], strings.ToLower(p.name)) {
			continue
		}
		if p.given {
			return reply.Err("ERR " + p.name + " specified multiple times"), false
		}
		n, ok := parse.Int(args[1])
		if !ok {
			return reply.Err(errtext.NotInteger), false
		}
		if n < 1 || n > p.most {
			return reply.Errorf("ERR %s must be between 1 and %d %s", p.name, p.most, p.unit), false
		}
		p.given, *p.value = true, n
		return reply.Value{}, true
	}
	return reply.Err(errtext.Syntax), false
}

// xidmprecord makes a stream remember that an entry is that of a producer. A rewritten append-only
// file has it.
func xidmprecord(c *server.Ctx) reply.Value {
	pid, iid := c.Args[2], c.Args[3]
	id, ok := parse.StreamID(c.Args[4], 0)
	switch {
	case !ok:
		return reply.Err(errStreamID)
	case pid == "":
		return reply.Err("ERR producer ID must be non-empty")
	case iid == "":
		return reply.Err("ERR idempotent ID must be non-empty")
	}
	s, err := c.DB.Stream(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Err(errtext.NoSuchKey)
	case !s.Has(id):
		return reply.Err("ERR No such message in stream")
	}
	if entry, ok := s.Produced(pid, iid); ok {
		if entry != id {
			return reply.Err("ERR IID already exists for this producer with a different stream ID")
		}
		return reply.OK()
	}
	s.Remember(pid, iid, id)
	c.DB.AddDirty(1)
	return reply.OK()
}
