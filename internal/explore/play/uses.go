package play

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/explore"
)

// The things beside keys that steps use.
const (
	clockUse   = "clock"  // every client reads it; the clock and idleness change it
	serverUse  = "server" // every client reads it; commands that may concern everything change it
	randomUse  = "random" // the source of random choices
	pubsubUse  = "pubsub" // channels and their subscribers
	libraryUse = "functions"
	luaUse     = "lua"    // what scripts leave for later ones: the sequence of math.random, settings of cjson
	alwaysUse  = "always" // what the invariant sees after each step
	lifeUse    = "life"   // which clients have begun and ended
)

func scriptUse(sha string) string    { return "script " + sha }
func actorUse(number int) string     { return "actor " + strconv.Itoa(number) }
func keyUse(db int, k string) string { return strconv.Itoa(db) + ":" + k }

// local are the commands without keys that use and change nothing that other clients see.
var local = setOf(`ping echo select multi discard unwatch time auth hello quit reset readonly readwrite asking command
	client|setname client|getname client|id client|setinfo client|info client|help client|reply client|no-evict client|no-touch`)

// runsLua are the commands that run code in Lua.
var runsLua = setOf("eval eval_ro evalsha evalsha_ro fcall fcall_ro")

// special are the commands whose uses do not follow from their keys.
var special = map[string]func(u *explore.Uses, c *call){
	"keys":            allKeys(explore.Read),
	"scan":            allKeys(explore.Read),
	"dbsize":          allKeys(explore.Read),
	"randomkey":       func(u *explore.Uses, _ *call) { u.All(explore.Read); u.Other(randomUse, explore.Write) },
	"move":            allKeys(explore.Write), // the key of the other database is not among the keys
	"copy":            allKeys(explore.Write),
	"spop":            random,
	"srandmember":     random,
	"hrandfield":      random,
	"zrandmember":     random,
	"object|idletime": accessTimes,
	"object|freq":     accessTimes,
	"sort":            sorting,
	"sort_ro":         sorting,
	"publish":         other(pubsubUse, explore.Write),
	"spublish":        other(pubsubUse, explore.Write),
	"pubsub":          other(pubsubUse, explore.Write),
	"eval":            func(u *explore.Uses, c *call) { u.Other(scriptUse(hash(c.args[1])), explore.Add) },
	"eval_ro":         func(u *explore.Uses, c *call) { u.Other(scriptUse(hash(c.args[1])), explore.Add) },
	"evalsha":         bySHA,
	"evalsha_ro":      bySHA,
	"script|load":     func(u *explore.Uses, c *call) { u.Other(scriptUse(hash(c.args[2])), explore.Add) },
	"script|exists": func(u *explore.Uses, c *call) {
		for _, sha := range c.args[2:] {
			u.Other(scriptUse(strings.ToLower(sha)), explore.Read)
		}
	},
	"fcall":    other(libraryUse, explore.Write), // the locals of a library live on
	"fcall_ro": other(libraryUse, explore.Write),
	"exec":     func(*explore.Uses, *call) {}, // its commands follow, and what it watches
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

func allKeys(m explore.Mode) func(*explore.Uses, *call) {
	return func(u *explore.Uses, _ *call) { u.All(m) }
}

func other(name string, m explore.Mode) func(*explore.Uses, *call) {
	return func(u *explore.Uses, _ *call) { u.Other(name, m) }
}

func random(u *explore.Uses, c *call) {
	keys(u, c)
	u.Other(randomUse, explore.Write)
}

// accessTimes is for commands that see when others have read a key.
func accessTimes(u *explore.Uses, c *call) {
	for _, k := range c.keys {
		u.Key(keyUse(c.db, k), explore.Write)
	}
}

// sorting is for SORT, which reads any keys with BY and GET.
func sorting(u *explore.Uses, c *call) {
	keys(u, c)
	for _, arg := range c.args[1:] {
		if strings.EqualFold(arg, "by") || strings.EqualFold(arg, "get") {
			u.All(explore.Read)
		}
	}
}

// bySHA is for EVALSHA: that a script is known is seen. [Client.RunScript] does not see it.
func bySHA(u *explore.Uses, c *call) {
	m := explore.Read
	if c.known {
		m = explore.Add
	}
	u.Other(scriptUse(strings.ToLower(c.args[1])), m)
}

func hash(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// keys adds the keys of a command by the command table.
func keys(u *explore.Uses, c *call) {
	for _, k := range c.keys {
		u.Key(keyUse(c.db, k), explore.Read)
	}
	for _, k := range c.written {
		u.Key(keyUse(c.db, k), explore.Write)
	}
}

// everything makes a step commute with no step of another client.
func everything(u *explore.Uses) {
	u.All(explore.Write)
	u.Other(serverUse, explore.Write)
}

// call is a command that the engine has run.
type call struct {
	args          []string
	reply         engine.Value
	session       int64
	db            int
	script, exec  bool
	write, waits  bool
	known         bool // EVALSHA of a call that would have sent the source
	luaState      bool // it has changed what later scripts see in Lua
	keys, written []string
	answer        *actor // not a command: the reply to one of this client that has waited
}

// name returns the name of the command as the tables of this file have it.
func (c *call) name() string {
	name := strings.ToLower(c.args[0])
	switch name {
	case "client", "object", "script", "config":
		if len(c.args) > 1 {
			return name + "|" + strings.ToLower(c.args[1])
		}
	}
	return name
}

// uses adds what a command uses and changes.
func (c *call) uses(u *explore.Uses) {
	name := c.name()
	f, ok := special[name]
	switch {
	case ok:
		f(u, c)
	case len(c.keys) > 0:
		keys(u, c)
	case !local[name]:
		everything(u)
	}
	switch {
	case c.luaState:
		u.Other(luaUse, explore.Write)
	case runsLua[name]:
		u.Other(luaUse, explore.Read)
	}
}
