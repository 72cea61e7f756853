package bitcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// hllError returns the reply for an error of the datastore about a HyperLogLog.
func hllError(err error) reply.Value {
	switch err {
	case datastore.ErrNotHLL:
		return reply.Err(errtext.NotHLL)
	case datastore.ErrCorruptedHLL:
		return reply.Err(errtext.CorruptedHLL)
	}
	return server.WrongType()
}

// readHLL looks up a HyperLogLog for reading; nil when there is no such key.
func readHLL(c *server.Ctx, key string) (*datastore.String, error) {
	s, err := c.DB.HLL(key)
	c.CountLookup(s != nil || err != nil, key)
	return s, err
}

// makeHLL stores an empty HyperLogLog.
func makeHLL(c *server.Ctx, key string) *datastore.String {
	s := datastore.NewHLL()
	c.DB.Put(key, s)
	return s
}

func pfadd(c *server.Ctx) reply.Value {
	key, st := c.Args[1], c.Server.Store
	s, err := c.DB.HLL(key)
	if err != nil {
		return hllError(err)
	}
	made := s == nil
	if made {
		s = makeHLL(c, key)
	} else {
		s.MakeRaw(st)
	}
	n, err := s.HLLAdd(st, c.Args[2:])
	if err != nil {
		return hllError(err)
	}
	if n == 0 && !made {
		return reply.Int(0)
	}
	s.HLLSetStale(st)
	changes := int64(n)
	if made {
		changes++
	}
	c.EmitN(changes, datastore.ClassString, "pfadd", key)
	return reply.Int(1)
}

func pfcount(c *server.Ctx) reply.Value {
	if len(c.Args) > 2 {
		u, _, err := hllUnion(c, c.Args[1:])
		if err != nil {
			return hllError(err)
		}
		return reply.Int(int64(u.Count()))
	}
	key, st := c.Args[1], c.Server.Store
	s, err := readHLL(c, key)
	switch {
	case err != nil:
		return hllError(err)
	case s == nil:
		return reply.Int(0)
	}
	s.MakeRaw(st)
	n, changed, err := s.HLLCount(st)
	if err != nil {
		return hllError(err)
	}
	if changed {
		c.DB.EmitWithoutEvent(key)
	}
	return reply.Int(int64(n))
}

// hllUnion merges the registers of the HyperLogLogs under keys, and reports whether one of them is
// dense.
func hllUnion(c *server.Ctx, keys []string) (u *datastore.HLLUnion, dense bool, err error) {
	u = &datastore.HLLUnion{}
	for _, key := range keys {
		s, err := readHLL(c, key)
		if err != nil {
			return nil, false, err
		}
		if s == nil {
			continue
		}
		dense = dense || !s.HLLSparse()
		if err := u.Add(s); err != nil {
			return nil, false, err
		}
	}
	return u, dense, nil
}

func pfmerge(c *server.Ctx) reply.Value {
	key, st := c.Args[1], c.Server.Store
	u, dense, err := hllUnion(c, c.Args[1:])
	if err != nil {
		return hllError(err)
	}
	s, err := c.DB.HLL(key)
	if err != nil {
		return hllError(err)
	}
	if s == nil {
		s = makeHLL(c, key)
	} else {
		s.MakeRaw(st)
	}
	if dense {
		if err := s.HLLDense(st); err != nil {
			return hllError(err)
		}
	}
	s.HLLMerge(st, u)
	s.HLLSetStale(st)
	c.Emit(datastore.ClassString, "pfadd", key)
	return reply.OK()
}

func pfdebug(c *server.Ctx) reply.Value {
	st := c.Server.Store
	s, err := c.DB.HLL(c.Args[2])
	switch {
	case err != nil:
		return hllError(err)
	case s == nil:
		return reply.Err("ERR The specified key does not exist")
	}
	s.MakeRaw(st)
	switch strings.ToLower(errtext.Cut(c.Args[1], len(c.Args[1]))) {
	case "getreg":
		if v, ok := makeDense(c, s); !ok {
			return v
		}
		return hllRegisters(s)
	case "todense":
		v, _ := makeDense(c, s)
		return v
	case "decode":
		if !s.HLLSparse() {
			return reply.Err("ERR HLL encoding is not sparse")
		}
		return reply.Bulk(s.HLLOpcodes())
	case "encoding":
		if s.HLLSparse() {
			return reply.Status("sparse")
		}
		return reply.Status("dense")
	}
	return reply.Err(errtext.OneLine("ERR Unknown PFDEBUG subcommand '" + errtext.Cut(c.Args[1], len(c.Args[1])) + "'"))
}

// makeDense replies with 1 when the HyperLogLog was sparse and with 0 when it was dense. As in
// Redis it publishes no event, because the value stays the same.
func makeDense(c *server.Ctx, s *datastore.String) (v reply.Value, ok bool) {
	if !s.HLLSparse() {
		return reply.Int(0), true
	}
	if err := s.HLLDense(c.Server.Store); err != nil {
		return hllError(err), false
	}
	c.DB.AddDirty(1)
	return reply.Int(1), true
}

func hllRegisters(s *datastore.String) reply.Value {
	var u datastore.HLLUnion
	if err := u.Add(s); err != nil {
		return hllError(err)
	}
	out := make([]reply.Value, datastore.HLLRegisters)
	for i := range out {
		out[i] = reply.Int(int64(u.Register(i)))
	}
	return reply.Array(out...)
}
