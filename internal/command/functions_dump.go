package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func functionDump(c *Ctx) reply.Value {
	return reply.Bulk(string(datastore.DumpFunctions(c.Server.libraryCodes(), c.Server.dumpOptions())))
}

// libraryCodes are the texts of all libraries.
func (s *Server) libraryCodes() (codes []string) {
	for _, lib := range s.Functions.List() {
		codes = append(codes, lib.Code)
	}
	return codes
}

func functionRestore(c *Ctx) reply.Value {
	if c.NArg() > 4 {
		return functionArity(c)
	}
	policy := RestoreAppend
	if c.NArg() == 4 {
		switch arg := c.Args[3]; {
		case isToken(arg, "append"):
		case isToken(arg, "replace"):
			policy = RestoreReplace
		case isToken(arg, "flush"):
			policy = RestoreFlush
		default:
			return reply.Err("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.")
		}
	}
	codes, err := datastore.RestoreFunctions(c.Args[2], c.Server.dumpOptions())
	bad := reply.Nil()
	switch {
	case err == datastore.ErrDumpFooter:
		return reply.Err(errDumpFooter)
	case err != nil:
		bad = reply.Err("ERR " + err.Error())
	}
	return c.changesFunctions(c.Server.Functions.Restore(c, codes, bad, policy))
}
