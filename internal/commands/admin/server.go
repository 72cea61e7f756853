package admin

import (
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands/connection"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// ServerRows declares LOLWUT, TIME, COMMAND, INFO, CONFIG and MONITOR.
func ServerRows() []*cmdtable.Spec {
	return []*cmdtable.Spec{
		{
			Name: "lolwut", Arity: -1, Flags: cmdtable.ReadOnly | cmdtable.Fast,
			Spread: cmdtable.SpreadAny,
			Since:  "5.0.0", Group: "server", Complexity: "O(N) for N pixels",
			Summary: "Draws a picture and shows the version",
			Syntax:  `[VERSION:version#]`,
			Handler: lolwut,
		},
		{
			Name: "time", Arity: 1, Flags: cmdtable.Loading | cmdtable.Stale | cmdtable.Fast,
			Spread: cmdtable.SpreadAny,
			Tips:   []string{"nondeterministic_output"},
			Since:  "2.6.0", Group: "server", Complexity: "O(1)",
			Summary: "Returns the time of the server in seconds and microseconds",
			Handler: timeNow,
		},
		{
			Name: "command", Arity: -1, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
			Spread: cmdtable.SpreadAny,
			Tips:   []string{"nondeterministic_output_order"},
			Since:  "2.8.13", Group: "server", Complexity: "O(N) for N commands",
			Summary: "Describes every command",
			Handler: commandAll,
			Subs: []*cmdtable.Spec{
				{
					Name: "getkeysandflags", Arity: -4, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Since:  "7.0.0", Complexity: "O(N) for N arguments",
					Summary: "Finds the keys in a command line, and how the command uses them",
					Handler: commandGetKeysAndFlags,
				},
				{
					Name: "help", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Since: "5.0.0", Complexity: "O(1)",
					Summary: "Lists the subcommands of COMMAND",
					Handler: commandHelp(),
				},
				{
					Name: "list", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Tips:   []string{"nondeterministic_output_order"},
					Since:  "7.0.0", Complexity: "O(N) for N commands",
					Summary: "Lists the names of the commands",
					Syntax:  `[FILTERBY:filterby(MODULE:module-name|ACLCAT:category|PATTERN:pattern*)]`,
					Handler: commandList,
				},
				{
					Name: "info", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Tips:   []string{"nondeterministic_output_order"},
					Since:  "2.8.13", Complexity: "O(N) for N names",
					Summary: "Describes the commands named, or all",
					Syntax:  `[command-name...]`,
					Handler: commandInfo,
				},
				{
					Name: "count", Arity: 2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Since:  "2.8.13", Complexity: "O(1)",
					Summary: "Counts the commands",
					Handler: commandCount,
				},
				{
					Name: "docs", Arity: -2, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Tips:   []string{"nondeterministic_output_order"},
					Since:  "7.0.0", Complexity: "O(N) for N names",
					Summary: "Documents the commands named, or all",
					Syntax:  `[command-name...]`,
					Handler: commandDocs,
				},
				{
					Name: "getkeys", Arity: -4, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatConnection,
					Spread: cmdtable.SpreadAny,
					Since:  "2.8.13", Complexity: "O(N) for N arguments",
					Summary: "Finds the keys in a command line",
					Handler: commandGetKeys,
				},
			},
		},
		{
			Name: "info", Arity: -1, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatDangerous,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Since: "1.0.0", Group: "server", Complexity: "O(1)",
			Summary: "Reports the state and the counters of the server",
			Syntax:  `[section...]`,
			Handler: info,
		},
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
					Tips:  []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Since: "2.0.0", Complexity: "O(N) for N parameters",
					Summary: "Changes parameters, all of them or none",
					Syntax:  `parameter_value{parameter value}...`,
					Handler: configSet,
				},
			},
		},
		{
			Name: "monitor", Arity: 1, Flags: cmdtable.Admin | cmdtable.NoScript | cmdtable.Loading | cmdtable.Stale,
			ChangesSession: true,
			Since:          "1.0.0", Group: "server", Complexity: "O(N) per command, for N arguments",
			Summary: "Sends every command to this session from now on",
			Handler: connection.Monitor,
		},
	}
}

// info returns the requested sections, each once, in the order of server.InfoSections. Unknown
// sections are ignored.
func info(c *server.Ctx) reply.Value {
	want := map[string]bool{}
	for _, a := range c.Args[1:] {
		want[strings.ToLower(a)] = true
	}
	want["modules"] = want["modules"] || want["module_list"]
	all := want["all"] || want["everything"]
	usual := c.NArg() == 1 || want["default"]
	w := &server.InfoWriter{}
	for _, sec := range server.InfoSections() {
		if all || usual && !sec.Extra || want[sec.Name] {
			w.Section(sec.Title)
			sec.Write(c.Server, w)
		}
	}
	return reply.Verbatim("txt", w.String())
}

// timeNow formats the seconds only when they have changed.
func timeNow(c *server.Ctx) reply.Value {
	now := c.Server.Store.NowMicros()
	if s := now / 1e6; s != c.Server.LastTime.At || c.Server.LastTime.Text == "" {
		c.Server.LastTime.At, c.Server.LastTime.Text = s, strconv.FormatInt(s, 10)
	}
	return reply.Bulks(c.Server.LastTime.Text, strconv.FormatInt(now%1e6, 10))
}
