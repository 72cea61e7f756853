package commands

import (
	"maps"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
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

// Of returns the commands of a server: its rows with their handlers. They are immutable and shared.
func Of(s servers.Server) *server.Commands { return all(s) }

// all makes the commands of each server on first use.
var all = servers.Lazily(bind)

func bind(c servers.Server) *server.Commands {
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
