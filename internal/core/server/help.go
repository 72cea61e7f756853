package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// Help returns the handler of a HELP subcommand. lines come between the first and the last lines,
// which every such reply has.
func Help(name string, lines ...string) Handler {
	vs := make([]reply.Value, 0, len(lines)+3)
	vs = append(vs, reply.Status(name+" <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"))
	for _, l := range lines {
		vs = append(vs, reply.Status(l))
	}
	vs = append(vs, reply.Status("HELP"), reply.Status("    Prints this help."))
	return func(*Ctx) reply.Value { return reply.Array(vs...) }
}
