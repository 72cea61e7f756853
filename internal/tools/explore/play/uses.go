package play

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/explore"
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

func hash(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
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

// uses adds what a command uses and changes, by its row.
func (c *call) uses(u *explore.Uses) {
	spec := rows.Resolve(c.args)
	switch {
	case spec == nil || !spec.HasHandler() || isBroad(spec):
		everything(u)
	case spec.IsExec: // its commands follow, and what it watches
	default:
		c.keyUses(u, spec)
		c.scriptUses(u, spec)
		if spec.Beside()&cmdtable.Subscribers != 0 {
			u.Other(pubsubUse, explore.Write)
		}
		if spec.Varies&cmdtable.ByChance != 0 {
			u.Other(randomUse, explore.Write)
		}
	}
	switch {
	case c.luaState:
		u.Other(luaUse, explore.Write)
	case spec != nil && spec.Runs != cmdtable.RunsNoScript:
		u.Other(luaUse, explore.Read)
	}
}

// rows are those of the latest version: what they say holds for the earlier ones, too.
var rows = cmdrows.TableOf(servers.Redis80)

// isBroad reports whether a command concerns things of which this package has no exact idea.
func isBroad(spec *cmdtable.Spec) bool {
	const broad = cmdtable.Statistics | cmdtable.Clients | cmdtable.Servers | cmdtable.Files
	forgets := spec.Changes&(cmdtable.Scripts|cmdtable.Libraries) != 0 && (spec.LuaText == 0 || spec.Library)
	return spec.Beside()&broad != 0 || spec.Changes&(cmdtable.Settings|cmdtable.Subscribers) != 0 || forgets ||
		spec.Reads&cmdtable.Libraries != 0 && spec.Runs != cmdtable.RunsFunction
}

// keyUses adds the keys of a command. A script has those of its commands, which are calls, too.
func (c *call) keyUses(u *explore.Uses, spec *cmdtable.Spec) {
	if spec.Runs != cmdtable.RunsNoScript {
		return
	}
	read := explore.Read
	if spec.Reads&cmdtable.AccessTimes != 0 { // it sees when others have read the key
		read = explore.Write
	}
	for _, k := range c.keys {
		u.Key(keyUse(c.db, k), read)
	}
	for _, k := range c.written {
		u.Key(keyUse(c.db, k), explore.Write)
	}
	patterns := spec.Patterns != nil && len(spec.Patterns(c.args)) > 0
	switch {
	case spec.Changes&cmdtable.AllKeys != 0, spec.ChangesOtherDatabase(c.args):
		u.All(explore.Write)
	case spec.Reads&cmdtable.AllKeys != 0, patterns:
		u.All(explore.Read)
	}
}

// scriptUses adds the script or library that a command runs, keeps or asks for.
func (c *call) scriptUses(u *explore.Uses, spec *cmdtable.Spec) {
	switch {
	case spec.Runs == cmdtable.RunsFunction: // the locals of a library live on
		u.Other(libraryUse, explore.Write)
	case spec.Runs == cmdtable.RunsSHA: // that it is known is seen. [Client.RunScript] does not see it.
		m := explore.Read
		if c.known {
			m = explore.Add
		}
		u.Other(scriptUse(strings.ToLower(c.args[1])), m)
	case spec.Changes&cmdtable.Scripts != 0:
		u.Other(scriptUse(hash(spec.Text(c.args))), explore.Add)
	case spec.Reads&cmdtable.Scripts != 0:
		for _, sha := range c.args[2:] {
			u.Other(scriptUse(strings.ToLower(sha)), explore.Read)
		}
	}
}
