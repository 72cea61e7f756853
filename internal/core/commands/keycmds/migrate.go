package keycmds

import (
	"math"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// migration are the arguments of MIGRATE.
type migration struct {
	host, port     string
	db             int64
	timeout        time.Duration
	copy, replace  bool
	user, password string
	login          bool // log in with password, and with user unless that is empty
	namesUser      bool // AUTH2
	keys           []string
}

// parseMigrate reads the arguments. Of several mistakes it reports the one that Redis reports.
func parseMigrate(args []string) (m migration, problem string) {
	m = migration{host: args[1], port: args[2], keys: args[3:4]}
	for i := 6; i < len(args); i++ {
		left := len(args) - i - 1
		switch arg := strings.ToLower(args[i]); {
		case arg == "copy":
			m.copy = true
		case arg == "replace":
			m.replace = true
		case arg == "auth" && left > 0:
			m.login, m.password = true, args[i+1]
			i++
		case arg == "auth2" && left > 1:
			m.login, m.namesUser, m.user, m.password = true, true, args[i+1], args[i+2]
			i += 2
		case arg == "keys":
			if args[3] != "" {
				return m, "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"
			}
			m.keys = args[i+1:]
			i = len(args)
		default:
			return m, errtext.Syntax
		}
	}
	millis, ok := parse.Int(args[5])
	if ok {
		m.db, ok = parse.Int(args[4])
	}
	if !ok {
		return m, errtext.NotInteger
	}
	if millis <= 0 {
		millis = 1000
	}
	m.timeout = time.Duration(min(millis, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	return m, ""
}

// migrateKeys sends keys to another server, waits until that has them, and then deletes them here.
// Nothing else runs meanwhile, so no other client sees a key here and there, or changes it on the
// way.
func migrateKeys(c *server.Ctx) reply.Value {
	m, problem := parseMigrate(c.Args)
	if problem != "" {
		return reply.Err(problem)
	}
	there := make([]string, 0, len(m.keys))
	for _, key := range m.keys {
		found := c.DB.Lookup(key) != nil
		c.CountLookup(found, key)
		if found {
			there = append(there, key)
		}
	}
	if len(there) == 0 {
		return reply.Status("NOKEY")
	}
	m.keys = there
	done := c.Server.Undo.Once(c.Args, func() any { return m.run(c) }).(migrated)
	if len(done.gone) > 0 && c.Door.FromScript() && !c.Server.Run.StartWriting() {
		return reply.Err(server.StoppedByCaller)
	}
	for _, key := range done.gone {
		c.DB.Delete(key)
		c.Emit(datastore.ClassGeneric, "del", key)
	}
	if len(done.gone) > 0 && c.HasEffects() {
		c.EffectIs(append([]string{"DEL"}, done.gone...)...)
	}
	return done.reply
}
