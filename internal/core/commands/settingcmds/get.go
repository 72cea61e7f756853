package settingcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/glob"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

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
