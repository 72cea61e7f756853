package scriptingcmds

import (
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func fcall(c *server.Ctx) reply.Value { return fcallWith(c, false) }

func fcallRO(c *server.Ctx) reply.Value { return fcallWith(c, true) }

func fcallWith(c *server.Ctx, readOnly bool) reply.Value {
	if !c.Server.Functions.Flags(c.Args[1]).Declared {
		return reply.Err("ERR Function not found")
	}
	n, ok := parse.Int(c.Args[2])
	if !ok {
		return reply.Err("ERR Bad number of keys provided")
	}
	keys, argv, errv := scriptArguments(c, n)
	if errv.IsError() {
		return errv
	}
	return c.Server.Functions.Call(c, c.Args[1], keys, argv, readOnly)
}

func functionLoad(c *server.Ctx) reply.Value {
	replace := false
	last := c.NArg() - 1
	for _, arg := range c.Args[2:last] {
		if !parse.IsToken(arg, "replace") {
			return reply.Err("ERR Unknown option given: " + errtext.OneLine(errtext.Cut(arg, len(arg))))
		}
		replace = true
	}
	return changesFunctions(c, c.Server.Functions.Load(c, c.Args[last], replace))
}

func functionDelete(c *server.Ctx) reply.Value {
	if !c.Server.Functions.Delete(c.Args[2]) {
		return reply.Err("ERR Library not found")
	}
	return changesFunctions(c, reply.OK())
}

// changesFunctions counts a change of the libraries as a change of the data set, unless v is an
// error.
func changesFunctions(c *server.Ctx, v reply.Value) reply.Value {
	if !v.IsError() {
		c.DB.AddDirty(1)
	}
	return v
}

func functionFlush(c *server.Ctx) reply.Value {
	switch {
	case c.NArg() > 3:
		return functionArity(c)
	case c.NArg() == 3 && !parse.IsToken(c.Args[2], "sync") && !parse.IsToken(c.Args[2], "async"):
		return reply.Err("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	}
	if c.FreesLazily(2) {
		_, functions := c.Server.CountFunctions()
		c.Server.Store.CountScriptsFreed(functions)
	}
	c.Server.Functions.Flush()
	return changesFunctions(c, reply.OK())
}

// functionArity is the error of a subcommand that counts its arguments itself.
func functionArity(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try FUNCTION HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)))
}

func functionList(c *server.Ctx) reply.Value {
	pattern, withPattern, withCode := "", false, false
	for i := 2; i < c.NArg(); i++ {
		switch arg := c.Args[i]; {
		case !withCode && parse.IsToken(arg, "withcode"):
			withCode = true
		case !withPattern && parse.IsToken(arg, "libraryname"):
			if i++; i >= c.NArg() {
				return reply.Err("ERR library name argument was not given")
			}
			pattern, withPattern = c.Args[i], true
		default:
			return reply.Err("ERR Unknown argument " + errtext.OneLine(errtext.Cut(arg, len(arg))))
		}
	}
	out := []reply.Value{}
	for _, lib := range c.Server.Functions.List() {
		if withPattern && !glob.Match(pattern, lib.Name, true) {
			continue
		}
		fields := []reply.Value{
			reply.Bulk("library_name"), reply.Bulk(lib.Name),
			reply.Bulk("engine"), reply.Bulk("LUA"),
			reply.Bulk("functions"), describeFunctions(lib.Functions),
		}
		if withCode {
			fields = append(fields, reply.Bulk("library_code"), reply.Bulk(lib.Code))
		}
		out = append(out, reply.Map(fields...))
	}
	return reply.Array(out...)
}

func describeFunctions(fs []server.FunctionInfo) reply.Value {
	out := make([]reply.Value, len(fs))
	for i, f := range fs {
		description := reply.Nil()
		if f.Described {
			description = reply.Bulk(f.Description)
		}
		flags := make([]reply.Value, len(f.Flags))
		for j, name := range f.Flags {
			flags[j] = reply.Status(name)
		}
		out[i] = reply.Map(reply.Bulk("name"), reply.Bulk(f.Name), reply.Bulk("description"), description,
			reply.Bulk("flags"), reply.Set(flags...))
	}
	return reply.Array(out...)
}

func functionStats(c *server.Ctx) reply.Value {
	if c.Server.IsScriptBusy() {
		return reply.Err(c.Server.Run.Busy)
	}
	libraries, functions := c.Server.CountFunctions()
	counts := reply.Map(reply.Bulk("libraries_count"), reply.Int(int64(libraries)), reply.Bulk("functions_count"), reply.Int(int64(functions)))
	return reply.Map(reply.Bulk("running_script"), c.Server.DescribeRunning(), reply.Bulk("engines"), reply.Map(reply.Bulk("LUA"), counts))
}
