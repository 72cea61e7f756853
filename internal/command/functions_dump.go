package command

import (
	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

func functionDump(c *Ctx) reply.Value {
	var codes []string
	for _, lib := range c.Server.Functions.List() {
		codes = append(codes, lib.Code)
	}
	return reply.Bulk(string(datastore.DumpFunctions(codes, c.Server.dumpOptions())))
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
	return c.changesFunctions(c.Server.Functions.Restore(codes, bad, policy))
}
