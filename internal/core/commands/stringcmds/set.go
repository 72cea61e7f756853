package stringcmds

import (
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// setOptions are the options of SET, GETEX and MSETEX.
type setOptions struct {
	nx, xx, get      bool
	compare          comparison
	keepTTL, persist bool
	expires          bool   // EX, PX, EXAT or PXAT is there:
	expire           string // its argument
	unit             server.ExpireUnit
}

// optionSet says which options a command has in addition to EX, PX, EXAT and PXAT.
type optionSet uint8

const (
	setOption    optionSet = iota // NX XX GET KEEPTTL and comparisons
	getexOption                   // PERSIST
	msetexOption                  // NX XX KEEPTTL
)

// parseSetOptions reads options. At most one way of expiry and one condition may be given, but the
// same one may be repeated.
func parseSetOptions(c *server.Ctx, args []string, kind optionSet) (o setOptions, ok bool) {
	var way string // the one way of expiry
	choose := func(w string) bool {
		if way != "" && way != w {
			return false
		}
		way = w
		return true
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		ok = true
		switch {
		case kind != getexOption && parse.IsToken(arg, "nx"):
			o.nx, ok = true, !o.xx && o.mayAlsoExist(c)
		case kind != getexOption && parse.IsToken(arg, "xx"):
			o.xx, ok = true, !o.nx && o.mayAlsoExist(c)
		case kind == setOption && parse.IsToken(arg, "get"):
			o.get = true
		case kind != getexOption && parse.IsToken(arg, "keepttl"):
			o.keepTTL, ok = true, choose("keepttl")
		case kind == getexOption && parse.IsToken(arg, "persist"):
			o.persist, ok = true, choose("persist")
		case kind == setOption && len(arg) >= len("ifeq") && o.compares(c, arg):
			i++
			if ok = i < len(args) && !o.nx && !o.xx; ok {
				o.compare.with = args[i]
			}
		default:
			name, unit := expireOption(arg)
			i++
			if ok = name != "" && i < len(args) && choose(name); ok {
				o.expires, o.expire, o.unit = true, args[i], unit
			}
		}
		if !ok {
			return o, false
		}
	}
	return o, true
}

// compares reports whether arg begins a comparison, which it notes. A command may have one kind of
// comparison, which Redis lets it repeat.
func (o *setOptions) compares(c *server.Ctx, arg string) bool {
	name, ok := comparisonNamed(c, arg)
	if !ok || o.compare.name != "" && (o.compare.name != name || !c.Has(servers.CompareDigests)) {
		return false
	}
	o.compare.name = name
	return true
}

// mayAlsoExist reports whether NX or XX may stand behind the options so far.
func (o *setOptions) mayAlsoExist(c *server.Ctx) bool {
	return o.compare.name == "" || c.Has(servers.CompareDigests)
}

func expireOption(arg string) (name string, unit server.ExpireUnit) {
	switch {
	case parse.IsToken(arg, "ex"):
		return "ex", server.InSeconds
	case parse.IsToken(arg, "px"):
		return "px", server.InMillis
	case parse.IsToken(arg, "exat"):
		return "exat", server.AtSeconds
	case parse.IsToken(arg, "pxat"):
		return "pxat", server.AtMillis
	}
	return "", unit
}

func set(c *server.Ctx) reply.Value {
	key, text := c.Args[1], c.Args[2]
	if len(c.Args) == 3 {
		c.DB.SetString(key, text, false)
		c.Emit(datastore.ClassString, "set", key)
		return reply.OK()
	}
	o, ok := parseSetOptions(c, c.Args[3:], setOption)
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
	v := reply.OK()
	if o.get {
		if v, ok = getText(c, key); !ok {
			return v
		}
	}
	if found := c.DB.Peek(key) != nil; o.nx && found || o.xx && !found {
		c.DB.Lookup(key) // counts as an access, as the write does
		if o.get {
			return v
		}
		return reply.Nil()
	}
	if o.compare.name != "" {
		s, err := c.DB.String(key)
		if c.Has(servers.CompareDigests) && (s != nil || err != nil) {
			c.CountLookup(true, key)
		}
		if err != nil {
			return server.WrongType()
		}
		switch holds, ok := o.compare.holds(s); {
		case !ok:
			return reply.Err(errDigest)
		case !holds && o.get:
			return v
		case !holds:
			return reply.Nil()
		}
	}
	if at != 0 && c.IsPast(at) && c.Has(servers.SetDeletesPast) {
		if c.DB.Peek(key) != nil {
			c.Delete(key, "lazyfree-lazy-expire")
		}
		return v
	}
	if o.get && at == 0 && c.HasEffects() {
		c.EffectIs(slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool { return parse.IsToken(a, "get") })...)
	}
	setWithExpiry(c, key, text, o.keepTTL, at)
	return v
}

// setWithExpiry stores text and, unless at is 0, its expiry time.
func setWithExpiry(c *server.Ctx, key, text string, keepTTL bool, at int64) {
	e := c.DB.SetString(key, text, keepTTL || at != 0)
	if at != 0 {
		if c.HasEffects() {
			c.EffectIs("SET", key, text, "PXAT", strconv.FormatInt(at, 10))
		}
		c.DB.SetExpire(e, at)
	}
	c.Emit(datastore.ClassString, "set", key)
	if at != 0 {
		c.DB.Notify(datastore.ClassGeneric, "expire", key)
	}
}

// setOne stores one of the texts of MSETEX. Redis reports the expiry time first.
func setOne(c *server.Ctx, key, text string, keepTTL bool, at int64) {
	e := c.DB.SetString(key, text, keepTTL || at != 0)
	expiry := func() {}
	if at != 0 {
		c.DB.SetExpire(e, at)
		expiry = func() { c.DB.Notify(datastore.ClassGeneric, "expire", key) }
	}
	first := c.Has(servers.CompareDigests)
	if first {
		expiry()
	}
	c.Emit(datastore.ClassString, "set", key)
	if !first {
		expiry()
	}
}

func setnx(c *server.Ctx) reply.Value {
	if c.DB.Lookup(c.Args[1]) != nil {
		return reply.Int(0)
	}
	setWithExpiry(c, c.Args[1], c.Args[2], false, 0)
	return reply.Int(1)
}

func setex(c *server.Ctx) reply.Value  { return setFor(c, server.InSeconds) }
func psetex(c *server.Ctx) reply.Value { return setFor(c, server.InMillis) }

func setFor(c *server.Ctx, unit server.ExpireUnit) reply.Value {
	at, bad, ok := c.ParseExpire(c.Args[2], unit)
	if !ok {
		return bad
	}
	setWithExpiry(c, c.Args[1], c.Args[3], false, at)
	return reply.OK()
}

func mset(c *server.Ctx) reply.Value {
	if len(c.Args)%2 == 0 {
		return wrongArity(c)
	}
	setPairs(c)
	return reply.OK()
}

func msetnx(c *server.Ctx) reply.Value {
	if len(c.Args)%2 == 0 {
		return wrongArity(c)
	}
	for i := 1; i < len(c.Args); i += 2 {
		if c.DB.Lookup(c.Args[i]) != nil {
			return reply.Int(0)
		}
	}
	setPairs(c)
	return reply.Int(1)
}

func setPairs(c *server.Ctx) {
	for i := 1; i < len(c.Args); i += 2 {
		setWithExpiry(c, c.Args[i], c.Args[i+1], false, 0)
	}
}

// wrongArity is the error of a handler that counts its arguments itself.
func wrongArity(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR wrong number of arguments for '%s' command", c.Spec.FullName())
}
