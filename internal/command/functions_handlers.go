package command

import "github.com/redmoon-lua/redmoon/internal/reply"

func fcall(c *Ctx) reply.Value   { return fcallWith(c, false) }
func fcallRO(c *Ctx) reply.Value { return fcallWith(c, true) }

func fcallWith(c *Ctx, readOnly bool) reply.Value {
	if !c.Server.Functions.Has(c.Args[1]) {
		return reply.Err("ERR Function not found")
	}
	n, ok := parseInt(c.Args[2])
	if !ok {
		return reply.Err("ERR Bad number of keys provided")
	}
	keys, argv, errv := c.scriptArguments(n)
	if errv.IsError() {
		return errv
	}
	return c.Server.Functions.Call(c, c.Args[1], keys, argv, readOnly)
}

func functionLoad(c *Ctx) reply.Value {
	replace := false
	last := c.NArg() - 1
	for _, arg := range c.Args[2:last] {
		if !isToken(arg, "replace") {
			return reply.Err("ERR Unknown option given: " + oneLine(cut(arg, len(arg))))
		}
		replace = true
	}
	return c.changesFunctions(c.Server.Functions.Load(c, c.Args[last], replace))
}

func functionDelete(c *Ctx) reply.Value {
	if !c.Server.Functions.Delete(c.Args[2]) {
		return reply.Err("ERR Library not found")
	}
	return c.changesFunctions(reply.OK())
}

// changesFunctions counts a change of the libraries as one of the data set, unless v is an error.
func (c *Ctx) changesFunctions(v reply.Value) reply.Value {
	if !v.IsError() {
		c.DB.AddDirty(1)
	}
	return v
}

func functionFlush(c *Ctx) reply.Value {
	switch {
	case c.NArg() > 3:
		return functionArity(c)
	case c.NArg() == 3 && !isToken(c.Args[2], "sync") && !isToken(c.Args[2], "async"):
		return reply.Err("ERR FUNCTION FLUSH only supports SYNC|ASYNC option")
	}
	c.Server.Functions.Flush()
	return c.changesFunctions(reply.OK())
}

// functionArity answers for a subcommand that counts its arguments itself.
func functionArity(c *Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try FUNCTION HELP.", oneLine(cut(c.Args[1], 128)))
}

func functionList(c *Ctx) reply.Value {
	pattern, withPattern, withCode := "", false, false
	for i := 2; i < c.NArg(); i++ {
		switch arg := c.Args[i]; {
		case !withCode && isToken(arg, "withcode"):
			withCode = true
		case !withPattern && isToken(arg, "libraryname"):
			if i++; i >= c.NArg() {
				return reply.Err("ERR library name argument was not given")
			}
			pattern, withPattern = c.Args[i], true
		default:
			return reply.Err("ERR Unknown argument " + oneLine(cut(arg, len(arg))))
		}
	}
	out := []reply.Value{}
	for _, lib := range c.Server.Functions.List() {
		if withPattern && !MatchGlob(pattern, lib.Name, true) {
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

func describeFunctions(fs []FunctionInfo) reply.Value {
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

func functionStats(c *Ctx) reply.Value {
	if c.Server.busy == errBusyScript {
		return reply.Err(errBusyScript)
	}
	libraries, functions := c.Server.countFunctions()
	counts := reply.Map(reply.Bulk("libraries_count"), reply.Int(int64(libraries)), reply.Bulk("functions_count"), reply.Int(int64(functions)))
	return reply.Map(reply.Bulk("running_script"), c.Server.describeRunning(), reply.Bulk("engines"), reply.Map(reply.Bulk("LUA"), counts))
}

// countFunctions counts the libraries and their functions.
func (s *Server) countFunctions() (libraries, functions int) {
	if s.Functions == nil {
		return 0, 0
	}
	for _, lib := range s.Functions.List() {
		libraries++
		functions += len(lib.Functions)
	}
	return libraries, functions
}
