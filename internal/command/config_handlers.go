package command

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

func configResetStat(c *Ctx) reply.Value {
	st := &c.Server.Stats
	fresh := Stats{StartMicros: st.StartMicros, Errors: map[string]int64{}, Calls: st.Calls}
	clear(fresh.Calls)
	*st = fresh
	c.Server.rates = rates{}
	c.Server.Rejected.Store(0)
	c.Server.Store.ResetExpired()
	c.Server.memory.resetStats()
	c.Server.clients.evicted = 0
	return reply.OK()
}

// configGet answers a parameter asked for by its name under the name as it was written, and those that
// match a pattern under their own; each once.
func configGet(c *Ctx) reply.Value {
	cfg := c.Server.Config
	var out []reply.Value
	seen := map[string]bool{}
	add := func(name string, i int) {
		if lower := strings.ToLower(name); !seen[lower] {
			seen[lower] = true
			out = append(out, reply.Bulk(name), reply.Bulk(cfg.shown(i)))
		}
	}
	for _, pattern := range c.Args[2:] {
		if !strings.ContainsAny(pattern, "[*?") {
			if i, ok := cfg.names[strings.ToLower(pattern)]; ok {
				add(pattern, i)
			}
			continue
		}
		for i := range cfg.params {
			p := &cfg.params[i]
			if p.hidden {
				continue
			}
			if MatchGlob(pattern, p.name, true) {
				add(p.name, i)
			}
			if p.alias != "" && MatchGlob(pattern, p.alias, true) {
				add(p.alias, i)
			}
		}
	}
	return reply.Map(out...)
}

// configSet changes all parameters or none: everything is checked before the first is changed.
func configSet(c *Ctx) reply.Value {
	args := c.Args[2:]
	if len(args)%2 != 0 {
		return reply.Err(errSyntax)
	}
	cfg := c.Server.Config
	names, seen := make([]string, 0, len(args)/2), map[string]bool{}
	for i := 0; i < len(args); i += 2 {
		name := strings.ToLower(args[i])
		k, ok := cfg.names[name]
		switch {
		case !ok:
			return reply.Err(oneLine("ERR Unknown option or number of arguments for CONFIG SET - '" + cut(args[i], len(args[i])) + "'"))
		case cfg.params[k].immutable:
			return configError(args[i], "can't set immutable config")
		case cfg.params[k].protected:
			return configError(args[i], "can't set protected config")
		case seen[name]:
			return configError(args[i], "duplicate parameter")
		}
		seen[name] = true
		names = append(names, name)
	}
	values := make([]string, len(names))
	for i, name := range names {
		k := cfg.names[name]
		v, problem := cfg.params[k].parse(args[2*i+1], cfg.value(k))
		if problem != "" {
			return configError(name, problem)
		}
		values[i] = v
	}
	for i, name := range names {
		k := cfg.names[name]
		if refuse := cfg.params[k].refuse; refuse != nil && values[i] != cfg.value(k) {
			if problem := refuse(values[i]); problem != "" {
				return configError(name, problem)
			}
		}
	}
	before, certificates := make([]string, len(names)), ""
	for i, name := range names {
		k := cfg.names[name]
		if cfg.params[k].certificates && certificates == "" {
			certificates = name
		}
		before[i] = cfg.value(k)
		cfg.store(k, values[i])
	}
	if certificates == "" || cfg.ReloadTLS == nil {
		return reply.OK()
	}
	if err := cfg.ReloadTLS(cfg.Value); err != nil {
		for i, name := range names {
			cfg.store(cfg.names[name], before[i])
		}
		c.Server.Log.Warn("redmoon: CONFIG SET", "error", err)
		return configError(certificates, errTLSUpdate)
	}
	return reply.OK()
}

func configError(name, problem string) reply.Value {
	return reply.Err("ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + problem)
}
