package settings

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/files"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// Rows declares CONFIG.
func Rows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "config", Arity: -2,
			Since: "2.0.0", Group: "server", Complexity: "Depends on the subcommand",
			Summary: "Contains the commands about configuration parameters",
			Subs: []*cmdtable.Spec{
				{
					Name: "rewrite", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Since: "2.8.0", Complexity: "O(1)",
					Summary: "Writes the parameters to the configuration file",
					Handler: configRewrite,
				},
				{
					Name: "resetstat", Arity: 2, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadAll,
					Since:  "2.0.0", Complexity: "O(1)",
					Summary: "Sets the counters of INFO back to zero",
					Handler: configResetStat,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of CONFIG",
					Handler: configHelp(),
				},
				{
					Name: "get", Arity: -3, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					Spread: cmdtable.SpreadAny,
					Since:  "2.0.0", Complexity: "O(N) for N patterns",
					Summary: "Returns the parameters whose names match the patterns",
					Syntax:  `parameter{parameter}...`,
					Handler: configGet,
				},
				{
					Name: "set", Arity: -4, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
					ChangesParsing: true,
					Tips:           []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since:          "2.0.0", Complexity: "O(N) for N parameters",
					Summary: "Changes parameters, all of them or none",
					Syntax:  `parameter_value{parameter value}...`,
					Handler: configSet,
				},
			},
		},
	}
}

func configHelp() server.Handler {
	return server.Help("CONFIG",
		"GET <pattern>",
		"    Return parameters matching the glob-like <pattern> and their values.",
		"SET <directive> <value>",
		"    Set the configuration <directive> to <value>.",
		"RESETSTAT",
		"    Reset statistics reported by the INFO command.",
		"REWRITE",
		"    Rewrite the configuration file.",
	)
}

func configResetStat(c *server.Ctx) reply.Value {
	st := &c.Server.Stats
	fresh := server.Stats{StartMicros: st.StartMicros, Errors: map[string]int64{}, Calls: st.Calls}
	fresh.Calls.Reset()
	*st = fresh
	c.Server.Rates = server.Rates{}
	c.Server.Rejected.Store(0)
	c.Server.Store.ResetExpired()
	c.Server.Memory.ResetStats()
	c.Server.Clients.Evicted = 0
	if r := c.Server.Replication; r != nil {
		r.ResetCounts()
	}
	return reply.OK()
}

// configRewrite rewrites the configuration file. Lines and comments keep their places; parameters
// that differ from their defaults and have no line are added at the end.
func configRewrite(c *server.Ctx) reply.Value {
	s := c.Server
	if s.ConfigFile == "" {
		return reply.Err("ERR The server is running without a config file")
	}
	if err := s.RewriteFile(false); err != nil {
		return reply.Err("ERR Rewriting config file: " + files.Strerror(err))
	}
	return reply.OK()
}
