package stringcmds

import (
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// comparison is a condition on the present value of a key: IFEQ, IFNE, IFDEQ or IFDNE.
type comparison struct {
	name string // in lower case; "": there is none
	with string // the text or the digest
}

// comparisonNamed returns the comparison that a word of a command begins, and whether the server
// has it.
func comparisonNamed(c *server.Ctx, word string) (name string, ok bool) {
	for _, name := range []string{"ifeq", "ifne", "ifdeq", "ifdne"} {
		if parse.IsToken(word, name) {
			return name, c.Has(servers.CompareDigests) || name == "ifeq" && c.Has(servers.CompareAndSet)
		}
	}
	return "", false
}

// digestLength is the number of hexadecimal digits of a digest.
const digestLength = 16

const errDigest = "ERR must be exactly 16 hexadecimal characters"

// holds reports whether the value of a key, nil if it does not exist, fulfils the condition. ok is
// false if the digest is none.
func (x comparison) holds(s *datastore.String) (holds, ok bool) {
	if s == nil {
		return x.name == "ifne" || x.name == "ifdne", true
	}
	switch x.name {
	case "ifeq":
		return s.Text() == x.with, true
	case "ifne":
		return s.Text() != x.with, true
	}
	if len(x.with) != digestLength {
		return false, false
	}
	same := strings.EqualFold(digestOf(s), x.with)
	return same == (x.name == "ifdeq"), true
}

func digestOf(s *datastore.String) string { return fmt.Sprintf("%016x", xxh3.HashString(s.Text())) }

func digest(c *server.Ctx) reply.Value {
	s, err := c.ReadString(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Nil()
	}
	return reply.Bulk(digestOf(s))
}

// delex is DEL of one key, or that on a condition.
func delex(c *server.Ctx) reply.Value {
	key := c.Args[1]
	if len(c.Args) != 2 && len(c.Args) != 4 {
		return wrongArity(c)
	}
	e := c.DB.Lookup(key)
	if e == nil && len(c.Args) == 4 {
		c.CountLookup(false, key)
	}
	if e == nil {
		return reply.Int(0)
	}
	if len(c.Args) == 2 {
		return deleteKey(c, key)
	}
	s, err := c.ReadString(key)
	if err != nil {
		return reply.Err("ERR Key should be of string type if conditions are specified")
	}
	name, ok := comparisonNamed(c, c.Args[2])
	if !ok {
		return reply.Err("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE")
	}
	return deleteIf(c, key, s, comparison{name, c.Args[3]})
}

// delifeq is DEL of a key with a certain value.
func delifeq(c *server.Ctx) reply.Value {
	s, err := c.DB.String(c.Args[1])
	switch {
	case err != nil:
		return server.WrongType()
	case s == nil:
		return reply.Int(0)
	}
	return deleteIf(c, c.Args[1], s, comparison{"ifeq", c.Args[2]})
}

func deleteIf(c *server.Ctx, key string, s *datastore.String, x comparison) reply.Value {
	holds, ok := x.holds(s)
	switch {
	case !ok:
		return reply.Err(errDigest)
	case !holds:
		return reply.Int(0)
	}
	if c.HasEffects() {
		c.EffectIs("DEL", key)
	}
	return deleteKey(c, key)
}

func deleteKey(c *server.Ctx, key string) reply.Value {
	c.DB.Remove(key, c.Server.Store.Limits().LazyFree.Delete)
	c.Emit(datastore.ClassGeneric, "del", key)
	return reply.Int(1)
}

// msetex is MSET with the conditions and expiry times of SET, for all keys together.
func msetex(c *server.Ctx) reply.Value {
	const firstKey = 2
	n, ok := parse.Int(c.Args[1])
	most := int64(len(c.Args)-firstKey) / 2
	switch {
	case !ok || n < 1 || n > 1<<31/2-1:
		return reply.Err(errtext.NumKeysOfMSETEX.Of(c.Server.Follows))
	case n > most:
		return reply.Err(errtext.PairsOfMSETEX.Of(c.Server.Follows))
	}
	end := firstKey + 2*int(n)
	o, ok := parseSetOptions(c, c.Args[end:], msetexOption)
	if !ok {
		return reply.Err(errtext.Syntax)
	}
	at := int64(0)
	if o.expires {
		var bad reply.Value
		if at, bad, ok = c.ParseExpire(o.expire, o.unit); !ok {
			return bad
		}
	}
	for i := firstKey; (o.nx || o.xx) && i < end; i += 2 {
		if found := c.DB.Lookup(c.Args[i]) != nil; o.nx && found || o.xx && !found {
			return reply.Int(0)
		}
	}
	for i := firstKey; i < end; i += 2 {
		setOne(c, c.Args[i], c.Args[i+1], o.keepTTL, at)
	}
	if at != 0 && c.HasEffects() {
		c.EffectIs(append(append([]string{}, c.Args[:end]...), "PXAT", fmt.Sprint(at))...)
	}
	return reply.Int(1)
}
