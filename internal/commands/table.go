package commands

import (
	"maps"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands/admin"
	"github.com/redmoon-lua/redmoon/internal/commands/bits"
	"github.com/redmoon-lua/redmoon/internal/commands/cluster"
	"github.com/redmoon-lua/redmoon/internal/commands/connection"
	"github.com/redmoon-lua/redmoon/internal/commands/debugging"
	"github.com/redmoon-lua/redmoon/internal/commands/geo"
	"github.com/redmoon-lua/redmoon/internal/commands/hashes"
	"github.com/redmoon-lua/redmoon/internal/commands/keys"
	"github.com/redmoon-lua/redmoon/internal/commands/lists"
	"github.com/redmoon-lua/redmoon/internal/commands/persistence"
	"github.com/redmoon-lua/redmoon/internal/commands/pubsub"
	"github.com/redmoon-lua/redmoon/internal/commands/replication"
	"github.com/redmoon-lua/redmoon/internal/commands/scripting"
	"github.com/redmoon-lua/redmoon/internal/commands/sets"
	"github.com/redmoon-lua/redmoon/internal/commands/settings"
	"github.com/redmoon-lua/redmoon/internal/commands/streams"
	"github.com/redmoon-lua/redmoon/internal/commands/strings"
	"github.com/redmoon-lua/redmoon/internal/commands/transactions"
	"github.com/redmoon-lua/redmoon/internal/commands/users"
	"github.com/redmoon-lua/redmoon/internal/commands/zsets"
	"github.com/redmoon-lua/redmoon/internal/server"
)

// versions makes the commands of each version on first use.
var versions = [...]func() *server.Commands{
	cmdtable.Redis70: sync.OnceValue(func() *server.Commands { return bind(cmdtable.Redis70) }),
	cmdtable.Redis74: sync.OnceValue(func() *server.Commands { return bind(cmdtable.Redis74) }),
	cmdtable.Redis80: sync.OnceValue(func() *server.Commands { return bind(cmdtable.Redis80) }),
}

// Of returns the commands of a version of Redis. They are immutable and shared by all engines.
func Of(c cmdtable.Compat) *server.Commands { return versions[c]() }

func bind(c cmdtable.Compat) *server.Commands {
	return server.NewCommands(cmdrows.TableOf(c), handlers())
}

// handlers returns the handlers of all commands by their full names.
func handlers() map[string]server.Handler {
	all := map[string]server.Handler{}
	for _, family := range []func() map[string]server.Handler{
		admin.Handlers,
		bits.Handlers,
		cluster.Handlers,
		connection.Handlers,
		debugging.Handlers,
		geo.Handlers,
		hashes.Handlers,
		keys.Handlers,
		lists.Handlers,
		persistence.Handlers,
		pubsub.Handlers,
		replication.Handlers,
		scripting.Handlers,
		sets.Handlers,
		settings.Handlers,
		streams.Handlers,
		strings.Handlers,
		transactions.Handlers,
		users.Handlers,
		zsets.Handlers,
	} {
		maps.Copy(all, family())
	}
	return all
}
