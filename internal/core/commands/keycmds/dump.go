package keycmds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// DumpOptions returns the parameters and DEBUG settings that dumps depend on.
func DumpOptions(s *server.Server) datastore.DumpOptions {
	return datastore.DumpOptions{
		Compress: s.Config.Value("rdbcompression") != "no", SkipChecksum: s.Debug.SkipChecksum,
		ZeroChecksum: s.Follows.Has(servers.ZeroChecksums), Version: s.Follows.DumpVersion(), Relaxed: s.RelaxedVersions(),
	}
}

func dump(c *server.Ctx) reply.Value {
	e := c.DB.Lookup(c.Args[1])
	c.CountLookup(e != nil, c.Args[1])
	if e == nil {
		return reply.Nil()
	}
	return reply.Bulk(string(datastore.Dump(e.Object(), DumpOptions(c.Server))))
}

// restoreArgs are the options of RESTORE.
type restoreArgs struct {
	replace, absTTL bool
	idle, freq      int64 // seconds and 0 to 255; -1: not given
}

func parseRestore(args []string) (o restoreArgs, problem string) {
	o.idle, o.freq = -1, -1
	for ; len(args) > 0; args = args[1:] {
		arg, more := args[0], len(args) > 1
		switch {
		case parse.IsToken(arg, "replace"):
			o.replace = true
		case parse.IsToken(arg, "absttl"):
			o.absTTL = true
		case parse.IsToken(arg, "idletime") && more && o.freq == -1:
			n, ok := parse.Int(args[1])
			switch {
			case !ok:
				return o, errtext.NotInteger
			case n < 0:
				return o, "ERR Invalid IDLETIME value, must be >= 0"
			}
			o.idle, args = n, args[1:]
		case parse.IsToken(arg, "freq") && more && o.idle == -1:
			n, ok := parse.Int(args[1])
			switch {
			case !ok:
				return o, errtext.NotInteger
			case n < 0 || n > 255:
				return o, "ERR Invalid FREQ value, must be >= 0 and <= 255"
			}
			o.freq, args = n, args[1:]
		default:
			return o, errtext.Syntax
		}
	}
	return o, ""
}

func restore(c *server.Ctx) reply.Value {
	key := c.Args[1]
	o, problem := parseRestore(c.Args[4:])
	if problem != "" {
		return reply.Err(problem)
	}
	if !o.replace && c.DB.Lookup(key) != nil {
		return reply.Err(errtext.BusyKey)
	}
	ttl, ok := parse.Int(c.Args[2])
	switch {
	case !ok:
		return reply.Err(errtext.NotInteger)
	case ttl < 0:
		return reply.Err("ERR Invalid TTL value, must be >= 0")
	}
	obj, err := c.Server.Store.Restore(c.Args[3], DumpOptions(c.Server))
	switch {
	case errors.Is(err, datastore.ErrDumpFooter):
		return reply.Err(errtext.DumpFooter)
	case errors.Is(err, datastore.ErrDumpForeign):
		return reply.Err(fmt.Sprintf("ERR Unsupported foreign data type: %d", c.Args[3][0]))
	case err != nil:
		c.Server.Log.Log(context.Background(), server.LevelVerbose, "Internal error in RDB reading offset 0, function at redmoon -> "+
			"the value's integrity check failed: "+err.Error())
		return reply.Err("ERR Bad data format")
	}
	deleted := o.replace && c.DB.Delete(key)
	if ttl != 0 && !o.absTTL {
		ttl += c.Now() // beyond 64 bits this is a time in the past, as in Redis
	}
	if ttl != 0 && c.IsPast(ttl) {
		if c.Has(servers.RestoreExpires) {
			c.Server.Store.CountExpired(1, 0)
		}
		if deleted {
			c.EffectIs("DEL", key)
			c.Emit(datastore.ClassGeneric, "del", key)
		}
		return reply.OK()
	}
	e := c.DB.Put(key, obj)
	if ttl != 0 {
		c.DB.SetExpire(e, ttl)
		if !o.absTTL && c.HasEffects() {
			c.EffectIs(append(slices.Clone(c.Args), "ABSTTL")...)
			c.EffectArg(2, strconv.FormatInt(ttl, 10))
		}
	}
	switch {
	case o.freq >= 0 && lfu(c):
		e.SetFreq(uint8(o.freq))
	case o.idle >= 0 && !lfu(c):
		e.SetIdle(o.idle, c.Now())
	}
	c.Emit(datastore.ClassGeneric, "restore", key)
	return reply.OK()
}
