package command

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func debugDigest(c *Ctx) reply.Value { return digestReply(c.Server.Store.Digest()) }

func debugDigestValue(c *Ctx) reply.Value {
	out := make([]reply.Value, 0, c.NArg()-2)
	for _, key := range c.Args[2:] {
		out = append(out, digestReply(c.DB.DigestValue(key)))
	}
	return reply.Array(out...)
}

func digestReply(d datastore.Digest) reply.Value { return reply.Status(hex.EncodeToString(d[:])) }

// debugReload writes the keyspace in serialized form and reads it back. The form is kept in memory, for NOSAVE.
func debugReload(c *Ctx) reply.Value {
	o, save := datastore.LoadOptions{Flush: true}, true
	for _, arg := range c.Args[2:] {
		switch {
		case isToken(arg, "merge"):
			o.Merge = true
		case isToken(arg, "noflush"):
			o.Flush = false
		case isToken(arg, "nosave"):
			save = false
		default:
			return reply.Err("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
		}
	}
	s := c.Server
	if save {
		s.save()
	}
	policy := s.Config.Value("maxmemory-policy")
	o.Idle, o.Freq = strings.HasSuffix(policy, "lru"), strings.HasSuffix(policy, "lfu")
	return c.load(o)
}

// debugLoadAOF is a reload in which times since the last access are lost, as an append-only file does not have them.
func debugLoadAOF(c *Ctx) reply.Value {
	s := c.Server
	s.save()
	return c.load(datastore.LoadOptions{Flush: true})
}

// save stores the keyspace and the libraries for load.
func (s *Server) save() {
	s.debug.saved, s.debug.libraries = s.Store.Save(s.dumpOptions()), s.libraryCodes()
}

func (c *Ctx) load(o datastore.LoadOptions) reply.Value {
	s := c.Server
	o.Dump = s.dumpOptions()
	if o.Flush {
		for i := range s.Store.Databases() {
			s.touchAll(s.Store.DB(i), nil)
		}
		s.invalidateAll()
	}
	if s.debug.saved == nil {
		if o.Flush {
			s.Store.FlushAll()
			s.Functions.Flush()
		}
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	if c.loadLibraries(o).IsError() { // libraries come before the keys in the dump
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	err := s.Store.Load(s.debug.saved, o)
	switch {
	case errors.Is(err, datastore.ErrKeyExists):
		return reply.Err("ERR a key of the dump exists already, which would end a redis-server")
	case err != nil:
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	return reply.OK()
}

// loadLibraries loads the saved libraries. By default they replace all libraries. With MERGE they
// replace those with the same name, and with NOFLUSH alone they are added. If it returns an error,
// nothing has changed.
func (c *Ctx) loadLibraries(o datastore.LoadOptions) reply.Value {
	policy := RestoreAppend
	switch {
	case o.Flush:
		policy = RestoreFlush
	case o.Merge:
		policy = RestoreReplace
	}
	return c.Server.Functions.Restore(c, c.Server.debug.libraries, reply.Nil(), policy)
}

// maxPopulate is the largest number of keys that DEBUG POPULATE tries to make.
const maxPopulate = 1 << 28

// debugPopulate makes keys that are not there: prefix:0, prefix:1 ... Nothing is announced, but who watches them sees it.
func debugPopulate(c *Ctx) reply.Value {
	n, ok := parseInt(c.Args[2])
	if !ok || n < 0 {
		return reply.Err(errNotPositive)
	}
	if n > maxPopulate {
		return reply.Err("ERR OOM in dictTryExpand")
	}
	prefix, size := "key", int64(0)
	if c.NArg() > 3 {
		prefix = cut(c.Args[3], len(c.Args[3]))
	}
	if c.NArg() == 5 {
		if size, ok = parseInt(c.Args[4]); !ok || size < 0 {
			return reply.Err(errNotPositive)
		}
		if size > c.Server.Config.ProtoMaxBulkLen() {
			return reply.Err(errStringTooLong)
		}
	}
	for i := range n {
		key := prefix + ":" + strconv.FormatInt(i, 10)
		key = key[:min(len(key), 127)]
		if c.DB.Lookup(key) != nil {
			continue
		}
		value := "value:" + strconv.FormatInt(i, 10)
		if size > 0 {
			value = value[:min(int64(len(value)), size)]
			value += strings.Repeat("\x00", int(size)-len(value))
		}
		c.DB.Put(key, datastore.NewString(value))
		c.Server.touch(&datastore.Change{DB: c.DB, Key: key})
	}
	return reply.OK()
}
