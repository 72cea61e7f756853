package admincmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

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
	w := server.NewInfoWriter(c.Server.Follows)
	for _, sec := range server.InfoSections() {
		if !c.Server.Follows.HasSince(sec.Since) {
			continue
		}
		if !sec.Alone && (all || usual && !sec.Extra) || want[sec.Name] {
			w.Section(sec.Title)
			sec.Write(c.Server, w)
		}
	}
	return reply.Verbatim("txt", w.String())
}
