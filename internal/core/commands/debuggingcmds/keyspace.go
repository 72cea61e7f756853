package debuggingcmds

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scriptingcmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func debugDigest(c *server.Ctx) reply.Value { return digestReply(c.Server.Store.Digest()) }

func debugDigestValue(c *server.Ctx) reply.Value {
	out := make([]reply.Value, 0, c.NArg()-2)
	for _, key := range c.Args[2:] {
		out = append(out, digestReply(c.DB.DigestValue(key)))
	}
	return reply.Array(out...)
}

func digestReply(d datastore.Digest) reply.Value { return reply.Status(hex.EncodeToString(d[:])) }

// debugReload serializes the keyspace and loads it again. The serialized form stays in memory for
// NOSAVE.
func debugReload(c *server.Ctx) reply.Value {
	o, save := datastore.LoadOptions{Flush: true}, true
	for _, arg := range c.Args[2:] {
		switch {
		case parse.IsToken(arg, "merge"):
			o.Merge = true
		case parse.IsToken(arg, "noflush"):
			o.Flush = false
		case parse.IsToken(arg, "nosave"):
			save = false
		default:
			return reply.Err("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
		}
	}
	s := c.Server
	c.NoEffect()
	if s.Persistence != nil {
		return s.Persistence.Reload(server.ReloadOptions{Merge: o.Merge, NoFlush: !o.Flush, NoSave: !save})
	}
	if save {
		saveSnapshot(s)
	}
	policy := s.Config.Value("maxmemory-policy")
	o.Idle, o.Freq = strings.HasSuffix(policy, "lru"), strings.HasSuffix(policy, "lfu")
	return load(c, o)
}

// debugLoadAOF is a reload that loses the access times, because an append-only file does not have
// them.
func debugLoadAOF(c *server.Ctx) reply.Value {
	s := c.Server
	c.NoEffect()
	if s.Persistence != nil {
		return s.Persistence.ReloadAppendOnly()
	}
	saveSnapshot(s)
	return load(c, datastore.LoadOptions{Flush: true})
}

// saveSnapshot keeps the serialized keyspace and the libraries for load.
func saveSnapshot(s *server.Server) {
	s.Debug.Saved, s.Debug.Libraries = s.Store.Save(keycmds.DumpOptions(s)), scriptingcmds.LibrarySources(s)
	s.NoteSaved(0)
}

func load(c *server.Ctx, o datastore.LoadOptions) reply.Value {
	s := c.Server
	o.Dump = keycmds.DumpOptions(s)
	if s.Debug.Saved == nil {
		if o.Flush {
			s.EmptyDataSet()
		}
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	if o.Flush {
		for i := range s.Store.Databases() {
			s.TouchAllWatchedKeys(s.Store.DB(i), nil)
		}
		s.InvalidateAll()
	}
	if loadLibraries(c, o).IsError() { // libraries come before the keys in the dump
		return reply.Err("ERR Error trying to load the RDB dump")
	}
	err := s.Store.Load(s.Debug.Saved, o)
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
func loadLibraries(c *server.Ctx, o datastore.LoadOptions) reply.Value {
	policy := server.RestoreAppend
	switch {
	case o.Flush:
		policy = server.RestoreFlush
	case o.Merge:
		policy = server.RestoreReplace
	}
	return c.Server.Functions.Restore(c, c.Server.Debug.Libraries, reply.Nil(), policy)
}

// maxPopulate is the largest number of keys that DEBUG POPULATE tries to make.
const maxPopulate = 1 << 28

// debugPopulate creates the keys prefix:0, prefix:1 ... unless they exist. It publishes no events,
// but touches watched keys.
func debugPopulate(c *server.Ctx) reply.Value {
	n, ok := parse.Int(c.Args[2])
	if !ok || n < 0 {
		return reply.Err(errtext.NotPositive)
	}
	if n > maxPopulate {
		return reply.Err("ERR OOM in dictTryExpand")
	}
	prefix, size := "key", int64(0)
	if c.NArg() > 3 {
		prefix = errtext.Cut(c.Args[3], len(c.Args[3]))
	}
	if c.NArg() == 5 {
		if size, ok = parse.Int(c.Args[4]); !ok || size < 0 {
			return reply.Err(errtext.NotPositive)
		}
		if size > c.Server.Config.ProtoMaxBulkLen() {
			return reply.Err(errtext.StringTooLong)
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
		c.Server.SignalModifiedKey(&datastore.Change{DB: c.DB, Key: key})
	}
	return reply.OK()
}
