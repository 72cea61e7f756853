package lint

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

var commandRules = []*Rule{
	{
		ID: "unknown-command", Severity: Error,
		Summary: "a command or subcommand that Redis does not have",
		Why:     "The call fails with `Unknown Redis command called from script`.",
		Bad:     Example{Script: "return redis.call('GTE', KEYS[1])"},
		Good:    Example{Script: "return redis.call('GET', KEYS[1])"},
		check:   checkUnknownCommands,
	},
	{
		ID: "wrong-arity", Severity: Error,
		Summary: "a command with too few or too many arguments",
		Why:     "The call fails with `Wrong number of args calling Redis command from script`.",
		Bad:     Example{Script: "return redis.call('GET')"},
		Good:    Example{Script: "return redis.call('GET', KEYS[1])"},
		check:   checkArity,
	},
	{
		ID: "bad-option", Severity: Error,
		Summary: "arguments that do not fit the syntax of their command",
		Why: "The call fails, usually with `ERR syntax error`. So do arguments that the command never accepts: `SETEX key 0`,\n" +
			"`EXPIRE … NX GT`, `ZRANGE key -inf 5` without BYSCORE, and a number of keys that is not that of the keys.",
		Bad:   Example{Script: "return redis.call('SET', KEYS[1], ARGV[1], 'EXPIRE', 10)"},
		Good:  Example{Script: "return redis.call('SET', KEYS[1], ARGV[1], 'EX', 10)"},
		check: checkOptions,
	},
	{
		ID: "refused-command", Severity: Error,
		Summary: "a command that Redis refuses to scripts",
		Why: "The call fails with `This Redis command is not allowed from script`. That holds for commands that\n" +
			"wait (`BLPOP`), that change the connection (`SUBSCRIBE`, `MULTI`) and that manage the server (`CONFIG`).\n" +
			"A script takes what is there (`LPOP`) and lets its caller wait.",
		Bad:   Example{Script: "return redis.call('BLPOP', KEYS[1], 0)"},
		Good:  Example{Script: "return redis.call('LPOP', KEYS[1])"},
		check: checkRefused,
	},
	{
		ID: "blocking-option", Severity: Warning,
		Summary: "a command that is to wait",
		Why: "Nothing waits inside a script: `XREAD BLOCK` and `XREADGROUP BLOCK` reply immediately, as if the time\n" +
			"were over.",
		Bad:   Example{Script: "return redis.call('XREAD', 'BLOCK', 1000, 'STREAMS', KEYS[1], ARGV[1])"},
		Good:  Example{Script: "return redis.call('XREAD', 'COUNT', 10, 'STREAMS', KEYS[1], ARGV[1])"},
		check: checkBlocking,
	},
	{
		ID: "random-write", Severity: Error,
		Summary: "a write after a command with a random result, for Redis before 5.0",
		Why: "Redis before 5.0 replicates the script instead of its effects, and refuses to write after such a command.\n" +
			"Call `redis.replicate_commands()` first (since 3.2). Later versions do so only with the setting\n" +
			"`lua-replicate-commands no`, which 7.0 removed.",
		Bad:   Example{Script: "local t = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], t[1])", Redis: "4.0"},
		Good:  Example{Script: "redis.replicate_commands()\nlocal t = redis.call('TIME')\nreturn redis.call('SET', KEYS[1], t[1])", Redis: "4.0"},
		check: checkRandomWrites,
	},
	{
		ID: "newer-command", Severity: Error,
		Summary: "a command, option or function newer than the version of Redis that the script is for",
		Why: "The call fails on the older server. The version is that of `--redis` or of the configuration; the\n" +
			"default is 7.0.",
		Bad:   Example{Script: "return redis.call('GETDEL', KEYS[1])", Redis: "6.0"},
		Good:  Example{Script: "local v = redis.call('GET', KEYS[1])\nredis.call('DEL', KEYS[1])\nreturn v", Redis: "6.0"},
		check: checkVersions,
	},
}

func checkUnknownCommands(p *pass) {
	for _, c := range p.calls {
		at := c.args[0].Span()
		switch {
		case c.spec == nil:
			p.report(at, "Redis has no command %s", c.name())
		case len(p.l.servers) == 0 && ofRedis(c.spec.Since) == "":
			p.report(at, "Redis has no command %s; %s", c.name(), sinceText(c.spec.Since))
		case len(c.spec.Subs) > 0 && len(c.words) > 1 && c.words[1] != unknownWord:
			p.report(c.args[1].Span(), "%s has no subcommand %s", c.name(), strings.ToUpper(c.words[1]))
		}
	}
}

// fits reports whether the number of arguments fits, as far as it is known.
func (c *call) fits(s *cmdtable.Spec) bool {
	n := len(c.words)
	if c.open {
		return n <= s.MaxArgs
	}
	return n >= s.MinArgs && n <= s.MaxArgs
}

// followed returns the row of a call in the table of the version that the script is for. It is the
// newest one if that version has no such command.
func (p *pass) followed(c *call) *cmdtable.Spec {
	if c.spec == nil {
		return nil
	}
	if s := p.l.target.Resolve(c.words); s != nil && s.Name == c.spec.Name {
		return s
	}
	return c.spec
}

// runs reports whether a call has a command that scripts may call. Other rules say so otherwise.
func (c *call) runs() bool {
	return c.spec != nil && len(c.spec.Subs) == 0 && c.spec.Flags&cmdtable.NoScript == 0
}

func checkArity(p *pass) {
	for _, c := range p.calls {
		if !c.runs() {
			continue
		}
		s := p.followed(c)
		if c.fits(s) {
			continue
		}
		many, want := "at most", s.MaxArgs
		if len(c.words) < s.MinArgs {
			many, want = "at least", s.MinArgs
		}
		if s.MinArgs == s.MaxArgs {
			many = "exactly"
		}
		skip := 1
		if s.Parent != nil {
			skip = 2
		}
		plural := "s"
		if want-skip == 1 {
			plural = ""
		}
		p.report(c.Span(), "%s takes %s %d argument%s, not %d", c.name(), many, want-skip, plural, len(c.words)-skip)
	}
}

// arguments returns the syntax of a command without what came after a version.
func (l *Linter) arguments(s *cmdtable.Spec, version string) []cmdtable.Arg {
	args, ok := l.syntax[s]
	if !ok {
		args = s.Arguments()
		l.syntax[s] = args
	}
	return upTo(args, version)
}

// upTo returns arguments without those that came after a version; "" leaves out none.
func upTo(args []cmdtable.Arg, version string) []cmdtable.Arg {
	if version == "" {
		return args
	}
	out := make([]cmdtable.Arg, 0, len(args))
	for _, a := range args {
		if olderThan(version, sinceOf(&a)) {
			continue
		}
		a.Args = upTo(a.Args, version)
		out = append(out, a)
	}
	return out
}

func sinceOf(a *cmdtable.Arg) string {
	switch {
	case a.Since != "":
		return ofRedis(a.Since)
	case a.From != "":
		return ofRedis(a.From)
	}
	return "1.0"
}

// typed returns the arguments of a call behind its command.
func (c *call) typed() []string {
	if c.spec.Parent != nil {
		return c.words[min(2, len(c.words)):]
	}
	return c.words[1:]
}

func checkOptions(p *pass) {
	for _, c := range p.calls {
		if !c.runs() || !c.fits(p.followed(c)) {
			continue
		}
		syntax := p.l.arguments(c.spec, "")
		if at, why := c.refused(syntax); at > 0 {
			p.report(c.args[at].Span(), "%s %s", c.name(), why)
			continue
		}
		if c.spec.LooseSyntax {
			continue
		}
		at, ok := fitsWithin(&p.steps, p.l.arguments(p.followed(c), ""), c.typed(), c.open)
		if ok {
			continue
		}
		if _, ok := fitsWithin(&p.steps, p.l.arguments(c.spec, ""), c.typed(), c.open); ok {
			continue // newer-command reports it
		}
		at += len(c.words) - len(c.typed())
		switch {
		case at < len(c.words) && c.isCount(at) && isIndex(c.words[at]):
			p.report(c.args[at].Span(), "the number %s does not fit what follows it in %s", c.words[at], c.name())
		case at >= len(c.words):
			p.report(c.Span(), "%s needs another argument behind %s", c.name(), p.quote(c.args[len(c.words)-1]))
		default:
			p.report(c.args[at].Span(), "%s does not take %s here", c.name(), p.quote(c.args[at]))
		}
	}
}

func checkRefused(p *pass) {
	for _, c := range p.calls {
		s := p.followed(c)
		if s == nil || s.Flags&cmdtable.NoScript == 0 {
			continue
		}
		if s.Flags&cmdtable.Blocking != 0 {
			p.report(c.args[0].Span(), "%s waits, so Redis refuses it to scripts", c.name())
		} else {
			p.report(c.args[0].Span(), "Redis refuses %s to scripts", c.name())
		}
	}
}

func checkBlocking(p *pass) {
	for _, c := range p.calls {
		if c.spec == nil || c.spec.Waits.Option == "" {
			continue
		}
		for i, w := range c.words {
			if strings.EqualFold(w, c.spec.Waits.Before) {
				break
			}
			if i > 0 && strings.EqualFold(w, c.spec.Waits.Option) {
				p.report(c.args[i].Span(), "%s does not wait inside a script, so %s has no effect", c.name(), c.spec.Waits.Option)
			}
		}
	}
}

// isRandom reports whether a command has a random or time-dependent result. Redis before 5.0 calls
// such commands "random commands".
func (c *call) isRandom() bool {
	if c.spec == nil {
		return false
	}
	v := c.spec.Varies
	return v&cmdtable.ByChance != 0 || c.spec.HasCursor() || !c.spec.HasKeys() && v&cmdtable.ByDate != 0
}

func checkRandomWrites(p *pass) {
	if !olderThan(p.l.redis, "5.0") {
		return
	}
	for _, n := range p.nodes {
		if c, ok := n.(*luatree.Call); ok && p.libraryField(c.Func) == "redis.replicate_commands" {
			return
		}
	}
	var random *call
	for _, c := range p.calls {
		if random != nil && c.has(cmdtable.Write) {
			p.report(c.Span(), "%s writes after %s, whose result is random", c.name(), random.name())
			return
		}
		if c.isRandom() {
			random = c
		}
	}
}

// redisSince says since when the library redis has what it did not always have.
var redisSince = map[string]string{"redis.setresp": "6.0", "redis.acl_check_cmd": "7.0", "redis.REDIS_VERSION": "7.0",
	"redis.REDIS_VERSION_NUM": "7.0", "redis.register_function": "7.0", "redis.replicate_commands": "3.2",
	"redis.set_repl": "3.2", "redis.breakpoint": "3.2", "redis.debug": "3.2"}

func checkVersions(p *pass) {
	if len(p.l.servers) > 0 && p.l.redis == DefaultRedis {
		return // not-on-server compares with each
	}
	version := p.l.redis
	if p.tree.Shebang.To > 0 && olderThan(version, "7.0") {
		p.report(p.tree.Shebang, "Redis reads a line that begins with #! since 7.0; the script is for %s", version)
	}
	for _, n := range p.nodes {
		if x, ok := n.(*luatree.Index); ok {
			if since := redisSince[p.libraryField(x)]; since != "" && olderThan(version, since) {
				p.report(x.Span(), "%s exists since Redis %s; the script is for %s", p.quote(x), since, version)
			}
		}
	}
	for _, c := range p.calls {
		if !c.runs() {
			continue
		}
		since := ofRedis(c.spec.Since)
		if since == "" {
			continue
		}
		if olderThan(version, since) {
			p.report(c.args[0].Span(), "%s exists since Redis %s; the script is for %s", c.name(), since, version)
			continue
		}
		p.checkNewOptions(c, version)
	}
}

func (p *pass) checkNewOptions(c *call, version string) {
	all := p.l.arguments(c.spec, "")
	if !c.fits(c.spec) {
		return
	}
	at, ok := fitsWithin(&p.steps, upTo(all, version), c.typed(), c.open)
	if ok {
		return
	}
	if _, ok := fitsWithin(&p.steps, all, c.typed(), c.open); !ok {
		return
	}
	at += len(c.words) - len(c.typed())
	since := newerToken(all, version, c.word(at))
	if at >= len(c.words) || since == "" {
		at, since = 0, "a later version"
	}
	p.report(c.args[at].Span(), "%s takes %s since Redis %s; the script is for %s", c.name(), p.quote(c.args[at]), since, version)
}

// newerToken returns since when there is a keyword, or an argument in its place.
func newerToken(args []cmdtable.Arg, version, word string) string {
	for i := range args {
		a := &args[i]
		if olderThan(version, sinceOf(a)) && (a.Token == "" || strings.EqualFold(a.Token, word)) {
			return sinceOf(a)
		}
		if since := newerToken(a.Args, version, word); since != "" {
			return since
		}
	}
	return ""
}
