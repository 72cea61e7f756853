package settingcmds

import (
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// configSet changes all parameters or none: everything is checked before the first is changed.
func configSet(c *server.Ctx) reply.Value {
	args := c.Args[2:]
	if len(args)%2 != 0 {
		return reply.Err(errtext.Syntax)
	}
	cfg := c.Server.Config
	for i := 0; i < len(args); i += 2 { // before other errors, as in Redis
		if k, ok := cfg.Names[strings.ToLower(args[i])]; ok && cfg.Params[k].NotLoading && c.Server.Loading.Active {
			return reply.Err(errtext.Loading)
		}
	}
	names, seen := make([]string, 0, len(args)/2), map[string]bool{}
	for i := 0; i < len(args); i += 2 {
		name := strings.ToLower(args[i])
		k, ok := cfg.Names[name]
		switch {
		case !ok:
			return reply.Err(errtext.OneLine("ERR Unknown option or number of arguments for CONFIG SET - '" + errtext.Cut(args[i], len(args[i])) +
				"'"))
		case cfg.Params[k].Immutable:
			return configError(args[i], "can't set immutable config")
		case cfg.Params[k].Protected && !c.Server.Enabled("enable-protected-configs", c.Session):
			return configError(args[i], "can't set protected config")
		case seen[name]:
			return configError(args[i], "duplicate parameter")
		}
		seen[name] = true
		names = append(names, name)
	}
	values := make([]string, len(names))
	for i, name := range names {
		k := cfg.Names[name]
		v, problem := cfg.Params[k].Parse(args[2*i+1], cfg.ValueAt(k))
		if problem != "" {
			return configError(name, problem)
		}
		if values[i] = v; v != cfg.ValueAt(k) {
			values[i] = cfg.Params[k].Settled(v)
		}
	}
	for i, name := range names {
		k := cfg.Names[name]
		refuse, changes := cfg.RefusalAt(k), values[i] != cfg.ValueAt(k)
		if refuse == nil || !changes || cfg.Params[k].Applied != "" && cfg.Apply != nil {
			continue
		}
		if problem := refuse(values[i]); problem != "" {
			return configError(name, problem)
		}
	}
	before, apply := make([]string, len(names)), []string{}
	groups := map[string]bool{}
	for i, name := range names {
		k := cfg.Names[name]
		p := &cfg.Params[k]
		before[i] = cfg.ValueAt(k)
		if p.Applied != "" && cfg.Apply != nil && !groups[p.Applied] && (p.AppliedAlways || before[i] != values[i]) {
			groups[p.Applied] = true
			apply = append(apply, name)
		}
		cfg.SetAt(k, values[i])
	}
	for i, name := range apply {
		err := cfg.Apply(cfg.Params[cfg.Names[name]].Name, cfg.Value)
		if err == nil {
			continue
		}
		c.Server.Log.Warn("Failed applying new configuration. Possibly related to new " + name + " setting. Restoring previous settings.")
		for i, name := range names {
			cfg.SetAt(cfg.Names[name], before[i])
		}
		for _, name := range apply[:i+1] {
			if err := cfg.Apply(cfg.Params[cfg.Names[name]].Name, cfg.Value); err != nil {
				c.Server.Log.Warn("Failed applying restored failed CONFIG SET command: " + err.Error())
			}
		}
		return configError(name, err.Error())
	}
	for i, name := range names {
		if name == "maxmemory" && before[i] != values[i] {
			warnOfLimit(c.Server)
		}
	}
	return reply.OK()
}

// warnOfLimit logs that a new maxmemory is less than what is used.
func warnOfLimit(s *server.Server) {
	if limit, used := s.Config.Memory.Limit, s.UsedMemory(); limit != 0 && limit < used {
		s.Log.Warn(fmt.Sprintf("WARNING: the new maxmemory value set via CONFIG SET (%d) is smaller than the current memory usage (%d). "+
			"This will result in key eviction and/or the inability to accept new write commands depending on the maxmemory-policy.",
			limit, used))
	}
}

func configError(name, problem string) reply.Value {
	return reply.Err("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + problem)
}
