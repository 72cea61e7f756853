package testredis

import (
	"strconv"
	"strings"

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

// varying are commands whose replies depend on time, or on the order in which a hash table keeps
// its elements, which differs between servers.
var varying = wordSet("TIME TTL PTTL EXPIRETIME PEXPIRETIME KEYS SCAN SSCAN HSCAN ZSCAN " +
	"SMEMBERS SUNION SINTER SDIFF HGETALL HKEYS HVALS XADD XTRIM XINFO XPENDING XAUTOCLAIM XCLAIM XREADGROUP OBJECT INFO LASTSAVE ROLE " +
	"COMMAND MEMORY DUMP HELLO EXPIREAT PEXPIREAT HTTL HPTTL HEXPIRETIME HPEXPIRETIME")

// varyingBehind are subcommands like that.
var varyingBehind = wordSet("FUNCTION LIST|FUNCTION STATS")

// timed are commands whose effect, or reply, depends on what the clock shows. The clock of a test
// shows another time than that of a server.
var timed = wordSet("TIME EXPIREAT PEXPIREAT HEXPIREAT HPEXPIREAT EXPIRETIME PEXPIRETIME LASTSAVE")

// absolute are options with an absolute time.
var absolute = wordSet("EXAT PXAT")

// timedBy returns the name of a command that depends on the clock, or "".
func timedBy(c Command) string {
	name := strings.ToUpper(c.Args[0])
	if timed[name] {
		return name
	}
	if name == "SET" || name == "GETEX" || name == "HSETEX" || name == "HGETEX" || name == "RESTORE" { // the others have no such option
		for _, arg := range c.Args[2:] {
			if absolute[strings.ToUpper(arg)] || name == "RESTORE" && strings.EqualFold(arg, "ABSTTL") {
				return name
			}
		}
	}
	return ""
}

// choosing are commands that choose by chance.
var choosing = wordSet("RANDOMKEY SRANDMEMBER SPOP HRANDFIELD ZRANDMEMBER")

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
		if x.Timed == "" {
			x.Timed = timedBy(c)
		}
		name := strings.ToUpper(c.Args[0])
		full := name
		if len(c.Args) > 1 {
			full += " " + strings.ToUpper(c.Args[1])
		}
		switch {
		case unsafe[name]:
			env.use(name)
		case unsafeBehind[full]:
			env.use(full)
		case choosing[name] && x.Loose < shapes:
			x.Why, x.Loose = name, shapes
		case varying[name] && x.Loose < numbers:
			x.Why, x.Loose = name, numbers
		case varyingBehind[full] && x.Loose < numbers:
			x.Why, x.Loose = full, numbers
		}
	}
}
