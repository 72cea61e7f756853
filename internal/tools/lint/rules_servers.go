package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var serverRules = []*Rule{
	{
		ID: "not-on-server", Severity: Error,
		Summary: "a command, option or function that one of the servers does not have",
		Why: "The call fails there. The servers are those of `--server` or of `servers` in the configuration. A command may\n" +
			"exist in Redis only (`DELEX`), in Valkey only (`DELIFEQ`), or since a version; some servers refuse to scripts\n" +
			"what others take (`BLPOP`, since 7.2).",
		Bad:   Example{Script: "return redis.call('DELIFEQ', KEYS[1], ARGV[1])", Servers: []string{"valkey-9.1", "redis-8.6"}},
		Good:  Example{Script: "return redis.call('DELIFEQ', KEYS[1], ARGV[1])", Servers: []string{"valkey-9.1"}},
		check: checkServers,
	},
	{
		ID: "differs-on-server", Severity: Warning,
		Summary: "something that the servers answer in different ways",
		Why: "The time stands still in scripts of Redis 7.2 and later, and of Valkey: a second `TIME` gives the first one\n" +
			"again, and moves on in Redis 7.0. `INCRBYFLOAT` and `HINCRBYFLOAT` are the same everywhere, but a quotient\n" +
			"that Lua gives to a command is stored with 17 digits by Redis 7.0 and with as few as it needs by the others;\n" +
			"`string.format('%.17g', x)` is the same on all.",
		Bad: Example{Script: "return redis.call('SET', KEYS[1], tonumber(ARGV[1]) / 3)", Servers: []string{"redis-7.0", "redis-8.6"}},
		Good: Example{Script: "return redis.call('SET', KEYS[1], string.format('%.17g', tonumber(ARGV[1]) / 3))",
			Servers: []string{"redis-7.0", "redis-8.6"}},
		check: checkDifferingServers,
	},
	{
		ID: "script-without-keys", Severity: Error,
		Summary: "a script that uses no keys, for a service that wants some",
		Why: "ElastiCache Serverless answers `Lua scripts without any input keys are not supported`. Give the script a key,\n" +
			"even if it only decides where the script runs.",
		Bad:   Example{Script: "return redis.call('TIME')", Servers: []string{"elasticache-serverless"}},
		Good:  Example{Script: "return redis.call('GET', KEYS[1])", Servers: []string{"elasticache-serverless"}},
		check: checkScriptHasKeys,
	},
}

// service is where scripts run under rules that a server alone does not have.
type service struct {
	severities map[string]Severity // of rules that it makes stricter
	needsKeys  bool                // each script must be called with a key
}

// declared are the rules about keys that the script does not declare.
var declared = map[string]Severity{"undeclared-key": Error, "built-key": Error}

// services are the names that --server takes beside those of servers. Sources:
//
//   - cluster: redis.io/docs/latest/commands/eval says that all keys must be input keys, and Redis
//     Cluster refuses keys of other slots
//   - dragonfly: dragonflydb.io/docs/command-reference/generic/eval; undeclared keys are refused
//     unless the script or the server has allow-undeclared-keys
//   - elasticache-serverless: docs.aws.amazon.com/AmazonElastiCache, "Lua scripts" among the best
//     practices: keys must be given; it is a cluster
var services = map[string]service{
	"cluster":   {severities: map[string]Severity{"undeclared-key": Error, "built-key": Error, "cross-slot": Error, "cluster-refused": Error}},
	"dragonfly": {severities: declared},
	"elasticache-serverless": {needsKeys: true,
		severities: map[string]Severity{"undeclared-key": Error, "built-key": Error, "cross-slot": Error, "cluster-refused": Error}},
}

// setServers makes the linter check for the servers and services of a configuration.
func (l *Linter) setServers(names []string) {
	for _, name := range names {
		if at, ok := services[name]; ok {
			for id, severity := range at.severities {
				l.severities[id] = max(l.severities[id], severity)
			}
			l.needsKeys = l.needsKeys || at.needsKeys
			continue
		}
		list := servers.All()
		if name != "all" {
			s, _ := servers.Parse(name)
			list = []servers.Server{s}
		}
		for _, s := range list {
			if !slices.Contains(l.servers, s) {
				l.servers = append(l.servers, s)
			}
		}
	}
	if len(l.servers) > 0 {
		l.target = cmdrows.TableOf(l.servers[0])
	}
}

// checkServerName returns an error unless --server takes a name.
func checkServerName(name string) error {
	if _, ok := servers.Parse(name); ok && name != "" || name == "all" {
		return nil
	}
	if _, ok := services[name]; ok {
		return nil
	}
	return fmt.Errorf("server %q: known are %s, and cluster, dragonfly, elasticache-serverless and all", name, servers.Names())
}

// resolve returns the row of a command line: of the newest Redis that --redis knows, else of a
// server, else of the newest that there is.
func (l *Linter) resolve(words []string) *cmdtable.Spec {
	known := func(s *cmdtable.Spec) bool { return s != nil && (len(s.Subs) == 0 || len(words) < 2) }
	first := l.newest.Resolve(words)
	if known(first) {
		return first
	}
	for _, server := range append(slices.Clone(l.servers), servers.Newest()...) {
		if s := cmdrows.TableOf(server).Resolve(words); known(s) {
			return s
		}
	}
	return first
}

// where returns the names of the servers of which it holds, as text; "" for none.
func (l *Linter) where(holds func(servers.Server) bool) string {
	var names []string
	for _, s := range l.servers {
		if holds(s) {
			names = append(names, s.String())
		}
	}
	if len(names) > 1 {
		last := len(names) - 1
		names = []string{strings.Join(names[:last], ", ") + " and " + names[last]}
	}
	return strings.Join(names, "")
}

// rowOn returns the row of a call on a server, or nil.
func rowOn(c *call, s servers.Server) *cmdtable.Spec {
	if row := cmdrows.TableOf(s).Resolve(c.words); row != nil && row.FullName() == c.spec.FullName() {
		return row
	}
	return nil
}

func checkServers(p *pass) {
	for _, c := range p.calls {
		if c.spec == nil || len(c.spec.Subs) > 0 {
			continue
		}
		if on := p.l.where(func(s servers.Server) bool { return rowOn(c, s) == nil }); on != "" {
			p.report(c.args[0].Span(), "%s does not exist on %s; %s", c.name(), on, sinceText(c.spec.Since))
			continue
		}
		refused := func(s servers.Server) bool { return rowOn(c, s).Flags&cmdtable.NoScript != 0 }
		if on := p.l.where(refused); on != "" {
			if !refused(p.l.servers[0]) { // else refused-command says so
				p.report(c.args[0].Span(), "%s is refused to scripts on %s", c.name(), on)
			}
			continue
		}
		p.checkOptionsOnServers(c)
	}
}

// checkOptionsOnServers reports arguments that some server does not take and others do.
func (p *pass) checkOptionsOnServers(c *call) {
	takes := func(row *cmdtable.Spec) (at int, ok bool) {
		if !c.fits(row) {
			return 0, false
		}
		return fitsWithin(&p.steps, p.l.arguments(row, ""), c.typed(), c.open)
	}
	taken := p.l.where(func(s servers.Server) bool {
		_, ok := takes(rowOn(c, s))
		return ok
	})
	if _, ok := takes(c.spec); !ok && taken == "" {
		return // bad-option says so, or nobody knows
	}
	at := 0
	on := p.l.where(func(s servers.Server) bool {
		place, ok := takes(rowOn(c, s))
		if !ok {
			at = place + len(c.words) - len(c.typed())
		}
		return !ok
	})
	if on == "" {
		return
	}
	if at < 0 || at >= len(c.args) {
		at = 0
	}
	p.report(c.args[at].Span(), "%s does not take this on %s", c.name(), on)
}

// sinceText says which servers have something.
func sinceText(since servers.Since) string {
	var parts []string
	for _, kind := range []servers.Kind{servers.Redis, servers.Valkey} {
		if release, _ := since.Of(kind); release != "" {
			parts = append(parts, kind.String()+" has it since "+release)
		}
	}
	return strings.Join(parts, ", ")
}

func checkDifferingServers(p *pass) {
	differ := func(f servers.Feature) bool {
		with, without := func(s servers.Server) bool { return s.Has(f) }, func(s servers.Server) bool { return !s.Has(f) }
		return slices.ContainsFunc(p.l.servers, with) && slices.ContainsFunc(p.l.servers, without)
	}
	if differ(servers.FrozenClock) {
		times := 0
		for _, c := range p.calls {
			if c.spec != nil && c.spec.Name == "time" {
				if times++; times == 2 {
					p.report(c.Span(), "this TIME is the first one again on %s, and a later one on %s",
						p.l.where(func(s servers.Server) bool { return s.Has(servers.FrozenClock) }),
						p.l.where(func(s servers.Server) bool { return !s.Has(servers.FrozenClock) }))
				}
			}
		}
	}
	if !differ(servers.ShortDoubles) {
		return
	}
	for _, c := range p.calls {
		if !c.writes() {
			continue
		}
		for _, a := range c.args[1:] {
			if b, ok := a.(*luatree.Binary); ok && b.Op == "/" {
				p.report(a.Span(), "%s stores this quotient with other digits on %s", c.name(),
					p.l.where(func(s servers.Server) bool { return !s.Has(servers.ShortDoubles) }))
			}
		}
	}
}

func checkScriptHasKeys(p *pass) {
	if !p.l.needsKeys || p.script.Part || p.library || len(p.nodes) == 0 {
		return
	}
	for _, n := range p.nodes {
		if name, ok := n.(*luatree.Name); ok && name.Text == "KEYS" {
			return
		}
	}
	p.report(p.nodes[0].Span(), "the script uses no KEYS, and each call must have some")
}
