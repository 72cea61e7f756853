package lint

import (
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// kinds is a set of types that a value may have.
type kinds uint16

// The types.
const (
	isUnknown kinds = 1 << iota
	isText
	isNumber
	isTrue
	isFalse
	isNil
	isTable
	isStatus // a table whose field ok has the text, as redis.call returns OK
)

const isBoolean = isTrue | isFalse

// truthy returns the types that count as true.
func (k kinds) truthy() kinds { return k &^ (isFalse | isNil) }

// only reports whether k is not empty and has no other types than those of allowed.
func (k kinds) only(allowed kinds) bool { return k != 0 && k&^allowed == 0 }

// kinds returns the types that an expression may have.
func (p *pass) kinds(e luatree.Expr) kinds {
	e = p.deref(e)
	if k, done := p.exprKinds[e]; done {
		return k
	}
	if p.depth > maxDepth {
		return isUnknown
	}
	p.depth++
	own := p.ownKinds
	k := p.findKinds(e)
	p.depth--
	if p.ownKinds == own { // otherwise k lacks what the variable itself may be
		p.exprKinds[e] = k
	}
	return k
}

func (p *pass) findKinds(e luatree.Expr) kinds {
	switch x := e.(type) {
	case *luatree.Number:
		return isNumber
	case *luatree.String:
		return isText
	case *luatree.Constant:
		return [...]kinds{luatree.Nil: isNil, luatree.True: isTrue, luatree.False: isFalse}[x.Kind]
	case *luatree.Table:
		return isTable
	case *luatree.Unary:
		if x.Op == "not" {
			return isBoolean
		}
		return isNumber
	case *luatree.Binary:
		return p.binaryKinds(x)
	case *luatree.Index:
		return p.fieldKinds(x)
	case *luatree.Call:
		return p.callKinds(x)
	case *luatree.Name:
		if p.argumentTable(x) != "" {
			return isTable
		}
		if x.Local != nil {
			return p.localKinds(x.Local)
		}
	}
	return isUnknown
}

func (p *pass) binaryKinds(x *luatree.Binary) kinds {
	switch x.Op {
	case "..":
		return isText
	case "and":
		l := p.kinds(x.L)
		return l&(isFalse|isNil|isUnknown) | p.kinds(x.R)
	case "or":
		return p.kinds(x.L).truthy() | p.kinds(x.R)
	case "==", "~=", "<", "<=", ">", ">=":
		return isBoolean
	}
	return isNumber
}

func (p *pass) fieldKinds(x *luatree.Index) kinds {
	switch p.origins(x).own {
	case fromKey, fromArg:
		return isText | isNil
	}
	if _, named := x.Key.(*luatree.String); named {
		return isUnknown
	}
	k := p.elementKinds(x.X)
	if c := p.commandOf(x.X); k != isUnknown && !c.is("TIME") {
		k |= isNil
	}
	return k
}

// commandOf returns the call of a command whose reply an expression always is, or nil.
func (p *pass) commandOf(e luatree.Expr) *call {
	if c, ok := p.deref(e).(*luatree.Call); ok {
		return p.reply(c)
	}
	return nil
}

// Results of Lua's functions that the rules know.
var resultKinds = map[string]kinds{
	"tonumber": isNumber | isNil, "tostring": isText, "type": isText, "cjson.encode": isText, "cmsgpack.pack": isText,
	"string.format": isText, "string.sub": isText, "string.lower": isText, "string.upper": isText, "string.rep": isText,
	"string.len": isNumber, "table.concat": isText, "math.floor": isNumber, "math.ceil": isNumber, "math.abs": isNumber,
	"math.max": isNumber, "math.min": isNumber, "math.random": isNumber, "math.sqrt": isNumber, "redis.sha1hex": isText,
}

func (p *pass) callKinds(x *luatree.Call) kinds {
	if c := p.reply(x); c != nil {
		k := p.replyKinds(c)
		if c.protected {
			k |= isTable
		}
		return k
	}
	if f, ok := p.deref(x.Func).(*luatree.Function); ok && x.Method == nil {
		return p.resultsOf(f)
	}
	if x.Method == nil {
		name := p.libraryField(x.Func)
		if k, ok := resultKinds[name]; ok {
			return k
		}
		if name == "unpack" && len(x.Args) == 1 {
			return p.elementKinds(x.Args[0]) | isNil
		}
	}
	return isUnknown
}

// words returns the names in a text as a set. A colon is before the name of a subcommand.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(text) {
		set[strings.Replace(name, ":", " ", 1)] = true
	}
	return set
}

// The commands by the type of their replies, as scripts see them. Package cmdtable does not
// describe replies, so a test requires that each command that scripts may call has its place here,
// and that the case files get replies of these types.
var (
	numberCommands = words(`APPEND BITCOUNT BITOP BITPOS COPY DBSIZE DECR DECRBY DEL EXISTS EXPIRE EXPIREAT GEOADD
		GEOSEARCHSTORE GETBIT HDEL HEXISTS HINCRBY HLEN HSET HSETEX HSETNX HSTRLEN INCR INCRBY LASTSAVE LINSERT LLEN LPUSH
		LPUSHX LREM MOVE MSETNX PERSIST PEXPIRE PEXPIREAT PEXPIRETIME EXPIRETIME PFADD PFCOUNT PTTL PUBLISH RENAMENX RPUSH
		RPUSHX SADD SCARD SDIFFSTORE SETBIT SETNX SETRANGE SINTERCARD SINTERSTORE SISMEMBER SMOVE SPUBLISH SREM STRLEN
		SUNIONSTORE TOUCH TTL UNLINK XACK XDEL XLEN XTRIM ZCARD ZCOUNT ZDIFFSTORE ZINTERCARD ZINTERSTORE ZLEXCOUNT
		ZRANGESTORE ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZUNIONSTORE CLUSTER:COUNTKEYSINSLOT CLUSTER:KEYSLOT
		COMMAND:COUNT PUBSUB:NUMPAT SLOWLOG:LEN XGROUP:CREATECONSUMER XGROUP:DELCONSUMER XGROUP:DESTROY`)
	textCommands   = words(`ECHO GETRANGE HINCRBYFLOAT INCRBYFLOAT SUBSTR ZINCRBY`)
	maybeCommands  = words(`DUMP GET GETDEL GETEX GETSET HGET LINDEX LMOVE RPOPLPUSH ZSCORE RANDOMKEY GEODIST OBJECT:ENCODING`)
	popCommands    = words(`LPOP RPOP SPOP SRANDMEMBER HRANDFIELD ZRANDMEMBER`) // a text, or with a count an array
	statusCommands = words(`HMSET LSET LTRIM MSET PSETEX RENAME RESTORE SETEX TYPE FLUSHDB FLUSHALL SELECT PFMERGE SWAPDB XSETID
		XGROUP:CREATE XGROUP:SETID`)
	missingCommands = words(`ZRANK ZREVRANK LPOS MEMORY:USAGE OBJECT:FREQ OBJECT:IDLETIME OBJECT:REFCOUNT`)
)

// replyKinds returns the types of a command's reply.
func (p *pass) replyKinds(c *call) kinds {
	name := c.name()
	switch {
	case p.resp3:
		return isUnknown
	case numberCommands[name], c.counts():
		return isNumber
	case textCommands[name]:
		return isText
	case maybeCommands[name], popCommands[name] && len(c.words) == 2 && !c.open:
		return isText | isFalse
	case popCommands[name]:
		return isUnknown
	case statusCommands[name]:
		return isStatus
	case missingCommands[name]:
		if c.unknownFrom(3) || c.option(3, "WITHSCORE", "COUNT") {
			return isUnknown
		}
		return isNumber | isFalse
	case name == "SET":
		return setKinds(c)
	case name == "ZADD":
		if c.option(2, "INCR") {
			return isText | isFalse
		}
		if c.unknownFrom(2) && c.words[min(2, len(c.words)-1)] == unknownWord && len(c.words) > 4 {
			return isUnknown
		}
		return isNumber
	}
	return isUnknown
}

// counts reports whether an option makes a command reply with a number instead of a list or text.
func (c *call) counts() bool {
	switch c.name() {
	case "SORT":
		return c.option(2, "STORE")
	case "GEORADIUS", "GEORADIUSBYMEMBER":
		return c.option(5, "STORE", "STOREDIST")
	case "LCS":
		return c.option(3, "LEN") && !c.option(3, "IDX")
	}
	return false
}

// setKinds returns the types of the reply of SET.
func setKinds(c *call) kinds {
	switch {
	case c.unknownFrom(3):
		return isUnknown
	case c.option(3, "GET"):
		return isText | isFalse
	case c.option(3, "NX", "XX"):
		return isStatus | isFalse
	}
	return isStatus
}
