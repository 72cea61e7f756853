package testredis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/reply"
)

// Exchange is a command, or a run of a script, of a test with its reply.
type Exchange struct {
	Label string // for people
	Words []string
	Reply reply.Value
	Why   string // the command because of which the reply may differ on another server; "": it may not
	Loose looseness
	Timed string // the command that reads the clock, or takes an absolute time; "": none does

	AboutServer bool // only the kinds of the replies are compared
}

// looseness is how much of a reply can be compared.
type looseness int

const (
	exact   looseness = iota
	numbers           // all but numbers, which depend on the time, and the order of lists
	shapes            // kinds and lengths: chance decides what is chosen
)

// exchange runs a command of the test, and notes the reply.
func (env *Env) exchange(label string, words []string) (reply.Value, error) {
	mark := env.seen.Mark()
	v, err := env.do(words)
	if err != nil {
		return v, err
	}
	if n, problem := strconv.Atoi(words[min(1, len(words)-1)]); strings.EqualFold(words[0], "SELECT") && problem == nil && !v.IsError() {
		env.db = n
	}
	x := Exchange{Label: label, Words: words, Reply: v}
	if env.remote == nil && env.w.opt.Compare {
		env.judge(&x, env.seen.Since(mark))
	}
	if env.w.opt.Compare {
		env.note(x)
	}
	return v, nil
}

// note keeps an exchange for the comparison.
func (env *Env) note(x Exchange) {
	env.exchanged += harness.Call{Args: x.Words, Reply: x.Reply}.Size()
	if len(env.exchanges) >= harness.MostCalls || env.exchanged > harness.MostBytes {
		env.use("more commands than can be remembered")
		return
	}
	env.exchanges = append(env.exchanges, x)
}

// mayRepeat reports whether the server to compare with may run a command: nothing of its effect
// stays when the database is emptied and the libraries of the test are deleted.
func mayRepeat(spec *cmdtable.Spec, args []string) bool {
	const lasting = cmdtable.Session | cmdtable.Connection | cmdtable.Subscribers | cmdtable.Settings | cmdtable.Statistics |
		cmdtable.Clients | cmdtable.Servers | cmdtable.Files
	removes := spec.Changes&(cmdtable.Scripts|cmdtable.Libraries) != 0 && spec.LuaText == 0
	return spec.Changes&lasting == 0 && !removes && !spec.ChangesOtherDatabase(args)
}

// datedBy returns the name of a command whose effect, or reply, depends on what the clock shows, or
// "". The clock of a test shows another time than that of a server.
func datedBy(spec *cmdtable.Spec, args []string) string {
	absolute := spec.Name == "restore" && slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "ABSTTL") })
	if absolute || spec.Varies&cmdtable.ByDate != 0 || spec.TakesDate(args) {
		return strings.ToUpper(spec.Name)
	}
	return ""
}

// judge notes what in the commands of an exchange cannot be repeated or compared.
func (env *Env) judge(x *Exchange, commands []harness.Call) {
	for _, c := range commands {
		spec := rows.Resolve(c.Args)
		if spec == nil {
			continue
		}
		shown := strings.ToUpper(strings.ReplaceAll(spec.FullName(), "|", " "))
		if !mayRepeat(spec, c.Args) {
			env.use(shown)
		}
		if x.Timed == "" {
			x.Timed = datedBy(spec, c.Args)
		}
		aboutServer := spec.IsAboutServer()
		x.AboutServer = x.AboutServer || aboutServer
		switch {
		case spec.Varies&cmdtable.ByChance != 0 && x.Loose < shapes:
			x.Why, x.Loose = shown, shapes
		case (aboutServer || spec.Varies != 0 || spec.TakesDate(c.Args)) && x.Loose < numbers:
			x.Why, x.Loose = shown, numbers
		}
	}
}

// rows are those of the latest version: what they say holds for the earlier ones, too.
var rows = cmdrows.TableOf(servers.Redis80)
