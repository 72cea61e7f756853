package admin

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// infoRow declares INFO.
func infoRow() *cmdtable.Spec {
	return &cmdtable.Spec{
		Name: "info", Arity: -1, Flags: cmdtable.Loading | cmdtable.Stale, Cats: cmdtable.CatDangerous,
		Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
		Since: "1.0.0", Group: "server", Complexity: "O(1)",
		Summary: "Reports the state and the counters of the server",
		Syntax:  `[section...]`,
		Handler: info,
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
