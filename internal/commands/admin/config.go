package admin

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/config"
	"github.com/redmoon-lua/redmoon/internal/errtext"
	"github.com/redmoon-lua/redmoon/internal/files"
	"github.com/redmoon-lua/redmoon/internal/glob"
	"github.com/redmoon-lua/redmoon/internal/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func configResetStat(c *server.Ctx) reply.Value {
	st := &c.Server.Stats
	fresh := server.Stats{StartMicros: st.StartMicros, Errors: map[string]int64{}, Calls: st.Calls}
	clear(fresh.Calls)
	*st = fresh
	c.Server.Rates = server.Rates{}
	c.Server.Rejected.Store(0)
	c.Server.Store.ResetExpired()
	c.Server.Memory.ResetStats()
	c.Server.Clients.Evicted = 0
	return reply.OK()
}

// configGet returns each parameter once: one that was requested by its name under the name as the
// client wrote it, and those that match a pattern under their own name.
func configGet(c *server.Ctx) reply.Value {
	cfg := c.Server.Config
	var out []reply.Value
	seen := map[string]bool{}
	add := func(name string, i int) {
		if lower := strings.ToLower(name); !seen[lower] {
			seen[lower] = true
			out = append(out, reply.Bulk(name), reply.Bulk(cfg.ShownAt(i)))
		}
	}
	for _, pattern := range c.Args[2:] {
		if !strings.ContainsAny(pattern, "[*?") {
			if i, ok := cfg.Names[strings.ToLower(pattern)]; ok {
				add(pattern, i)
			}
			continue
		}
		for i := range cfg.Params {
			p := &cfg.Params[i]
			if p.Hidden {
				continue
			}
			if glob.Match(pattern, p.Name, true) {
				add(p.Name, i)
			}
			if p.Alias != "" && glob.Match(pattern, p.Alias, true) {
				add(p.Alias, i)
			}
		}
	}
	return reply.Map(out...)
}

// configSet changes all parameters or none: everything is checked before the first is changed.
func configSet(c *server.Ctx) reply.Value {
	args := c.Args[2:]
	if len(args)%2 != 0 {
		return reply.Err(errtext.Syntax)
	}
	cfg := c.Server.Config
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
		case cfg.Params[k].Protected:
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
		values[i] = v
	}
	for i, name := range names {
		k := cfg.Names[name]
		if refuse := cfg.Params[k].Refuse; refuse != nil && values[i] != cfg.ValueAt(k) {
			if problem := refuse(values[i]); problem != "" {
				return configError(name, problem)
			}
		}
	}
	before, certificates := make([]string, len(names)), ""
	for i, name := range names {
		k := cfg.Names[name]
		if cfg.Params[k].Certificates && certificates == "" {
			certificates = name
		}
		before[i] = cfg.ValueAt(k)
		cfg.SetAt(k, values[i])
	}
	if certificates == "" || cfg.ReloadTLS == nil {
		return reply.OK()
	}
	if err := cfg.ReloadTLS(cfg.Value); err != nil {
		for i, name := range names {
			cfg.SetAt(cfg.Names[name], before[i])
		}
		c.Server.Log.Warn("redmoon: CONFIG SET", "error", err)
		return configError(certificates, config.ErrTLSUpdate)
	}
	return reply.OK()
}

func configError(name, problem string) reply.Value {
	return reply.Err("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + problem)
}

// configRewrite rewrites the configuration file. Lines and comments keep their places; parameters
// that differ from their defaults and have no line are added at the end.
func configRewrite(c *server.Ctx) reply.Value {
	s := c.Server
	if s.ConfigFile == "" {
		return reply.Err("ERR The server is running without a config file")
	}
	if err := s.RewriteFile(false); err != nil {
		return reply.Err("ERR Rewriting config file: " + files.Strerror(err))
	}
	return reply.OK()
}
