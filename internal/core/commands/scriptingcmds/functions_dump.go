package scriptingcmds

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/commands/keycmds"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func functionDump(c *server.Ctx) reply.Value {
	return reply.Bulk(string(datastore.DumpFunctions(LibrarySources(c.Server), keycmds.DumpOptions(c.Server))))
}

// LibrarySources returns the source code of all libraries.
func LibrarySources(s *server.Server) (codes []string) {
	for _, lib := range s.Functions.List() {
		codes = append(codes, lib.Code)
	}
	return codes
}

func functionRestore(c *server.Ctx) reply.Value {
	if c.NArg() > 4 {
		return functionArity(c)
	}
	policy := server.RestoreAppend
	if c.NArg() == 4 {
		switch arg := c.Args[3]; {
		case parse.IsToken(arg, "append"):
		case parse.IsToken(arg, "replace"):
			policy = server.RestoreReplace
		case parse.IsToken(arg, "flush"):
			policy = server.RestoreFlush
		default:
			return reply.Err("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
		}
	}
	codes, err := datastore.RestoreFunctions(c.Args[2], keycmds.DumpOptions(c.Server))
	bad := reply.Nil()
	switch {
	case err == datastore.ErrDumpFooter:
		return reply.Err(errtext.DumpFooter)
	case err != nil:
		bad = reply.Err("ERR " + err.Error())
	}
	return changesFunctions(c, c.Server.Functions.Restore(c, codes, bad, policy))
}
