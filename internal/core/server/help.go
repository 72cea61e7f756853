package server

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/reply"
)

// Help returns the handler of a HELP subcommand. lines come between the first and the last lines,
// which every such reply has. A line that not all servers have begins with its range:
//
//	{7.2.0}line         servers that have what exists since then; see [servers.Since]
//	{|-/8.0.0}line      the others
//	{7.2.0|-/8.0.0}line both: since the one, until the other
func Help(name string, lines ...string) Handler {
	all := make([]helpLine, 0, len(lines)+4)
	all = append(all, helpLine{text: name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", servers: everywhere})
	for _, l := range append(lines, "HELP", "{|7.2.0}    Prints this help.", "{7.2.0}    Print this help.") {
		all = append(all, parseHelpLine(l))
	}
	of := servers.Lazily(func(s servers.Server) []reply.Value {
		var vs []reply.Value
		for _, l := range all {
			if l.servers.has(s) {
				vs = append(vs, reply.Status(l.text))
			}
		}
		return vs
	})
	return func(c *Ctx) reply.Value { return reply.Array(slices.Clone(of(c.Server.Follows))...) }
}

// helpLine is a line of HELP and the servers that have it.
type helpLine struct {
	servers serverRange
	text    string
}

func parseHelpLine(line string) helpLine {
	rest, some := strings.CutPrefix(line, "{")
	if !some {
		return helpLine{everywhere, line}
	}
	span, text, _ := strings.Cut(rest, "}")
	begin, end, ends := strings.Cut(span, "|")
	r := since(servers.Since(begin))
	if ends {
		r.until = servers.Since(end)
	}
	return helpLine{r, text}
}
