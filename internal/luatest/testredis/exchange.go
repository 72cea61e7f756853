package testredis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
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
	mark := env.mark()
	v, err := env.do(words)
	if err != nil {
		return v, err
	}
	if n, problem := strconv.Atoi(words[min(1, len(words)-1)]); strings.EqualFold(words[0], "SELECT") && problem == nil && !v.IsError() {
		env.db = n
	}
	x := Exchange{Label: label, Words: words, Reply: v}
	if env.remote == nil && env.w.opt.Compare {
		env.judge(&x, env.commandsSince(mark))
	}
	if env.w.opt.Compare {
		env.note(x)
	}
	return v, nil
}

// note keeps an exchange for the comparison.
func (env *Env) note(x Exchange) {
	env.exchanged += Command{Args: x.Words, Reply: x.Reply}.size()
	if len(env.exchanges) >= keptCommands || env.exchanged > keptBytes {
		env.use("more commands than can be remembered")
		return
	}
	env.exchanges = append(env.exchanges, x)
}

// unsafe are commands that must not run on a server that is compared with, or whose effect is not
// that of the database alone.
var unsafe = wordSet("ACL BGREWRITEAOF BGSAVE CLIENT CLUSTER CONFIG DEBUG FAILOVER FLUSHALL LATENCY LOLWUT MIGRATE MODULE MONITOR " +
	"MOVE PSUBSCRIBE PSYNC QUIT REPLICAOF RESET SAVE SELECT SHUTDOWN SLAVEOF SLOWLOG SSUBSCRIBE SUBSCRIBE SWAPDB SYNC WAIT")

// unsafeBehind are subcommands like that.
var unsafeBehind = wordSet("SCRIPT FLUSH|SCRIPT KILL|FUNCTION FLUSH|FUNCTION KILL|FUNCTION DELETE|FUNCTION RESTORE|MEMORY PURGE")

// datedBy returns the name of a command whose effect, or reply, depends on what the clock shows, or
// "". The clock of a test shows another time than that of a server.
func datedBy(spec *cmdtable.Spec, args []string) string {
	absolute := spec.Name == "restore" && slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, "ABSTTL") })
	if absolute || spec.Varies&cmdtable.ByDate != 0 || spec.TakesDate(args) {
		return strings.ToUpper(spec.Name)
	}
	return ""
}

func wordSet(list string) map[string]bool {
	words := map[string]bool{}
	sep := " "
	if strings.Contains(list, "|") {
		sep = "|"
	}
	for _, word := range strings.Split(list, sep) {
		words[word] = true
	}
	return words
}

// judge notes what in the commands of an exchange cannot be repeated or compared.
func (env *Env) judge(x *Exchange, commands []Command) {
	for _, c := range commands {
		name := strings.ToUpper(c.Args[0])
		full := name
		if len(c.Args) > 1 {
			full += " " + strings.ToUpper(c.Args[1])
		}
		if unsafe[name] {
			env.use(name)
		} else if unsafeBehind[full] {
			env.use(full)
		}
		spec := rows.Resolve(c.Args)
		if spec == nil {
			continue
		}
		if x.Timed == "" {
			x.Timed = datedBy(spec, c.Args)
		}
		switch shown := strings.ToUpper(strings.ReplaceAll(spec.FullName(), "|", " ")); {
		case spec.Varies&cmdtable.ByChance != 0 && x.Loose < shapes:
			x.Why, x.Loose = shown, shapes
		case (spec.Varies&(cmdtable.ByOrder|cmdtable.ByClock|cmdtable.ByServer) != 0 || spec.TakesDate(c.Args)) && x.Loose < numbers:
			x.Why, x.Loose = shown, numbers
		}
	}
}

// rows are those of the latest version: what they say holds for the earlier ones, too.
var rows = cmdrows.TableOf(cmdtable.Redis80)
