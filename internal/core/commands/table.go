package commands

import (
	"maps"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/core/commands/admincmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/bitcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/clustercmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/connectioncmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/debuggingcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/geocmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/hashcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/listcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/persistencecmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/pubsubcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/replicationcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scriptingcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/setcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/settingcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/streamcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/stringcmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/transactioncmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/usercmds"
	"github.com/redmoon-lua/redmoon/internal/core/commands/zsetcmds"
	"github.com/redmoon-lua/redmoon/internal/core/server"
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
		admincmds.Handlers,
		bitcmds.Handlers,
		clustercmds.Handlers,
		connectioncmds.Handlers,
		debuggingcmds.Handlers,
		geocmds.Handlers,
		hashcmds.Handlers,
		keycmds.Handlers,
		listcmds.Handlers,
		persistencecmds.Handlers,
		pubsubcmds.Handlers,
		replicationcmds.Handlers,
		scriptingcmds.Handlers,
		setcmds.Handlers,
		settingcmds.Handlers,
		streamcmds.Handlers,
		stringcmds.Handlers,
		transactioncmds.Handlers,
		usercmds.Handlers,
		zsetcmds.Handlers,
	} {
		maps.Copy(all, family())
	}
	return all
}
