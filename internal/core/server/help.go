package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// lastHelp is the last line.
var lastHelp = errtext.Usual("    Prints this help.").Since("7.2.0", "    Print this help.")

// Help returns the handler of a HELP subcommand. lines come between the first and the last lines,
// which every such reply has.
func Help(name string, lines ...string) Handler {
	vs := make([]reply.Value, 0, len(lines)+3)
	vs = append(vs, reply.Status(name+" <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"))
	for _, l := range lines {
		vs = append(vs, reply.Status(l))
	}
	vs = append(vs, reply.Status("HELP"), reply.Status(""))
	return func(c *Ctx) reply.Value {
		vs := slices.Clone(vs)
		vs[len(vs)-1] = reply.Status(lastHelp.Of(c.Server.Follows))
		return reply.Array(vs...)
	}
}
