package engine

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands"
)

// RedisVersion is the version of Redis whose answers an engine gives unless its Options.Compat says otherwise.
const RedisVersion = cmdtable.Version

// Commands tells people of the commands of one version of Redis. The zero value is about Redis 7.0.
type Commands struct{ compat cmdtable.Compat }

// Commands are the commands that the engine knows.
func (e *Engine) Commands() Commands { return Commands{e.compat} }

// CommandsOf are the commands of a version of Redis, named as in Options.Compat.
func CommandsOf(compat string) (Commands, bool) {
	c, ok := cmdtable.ParseCompat(compat)
	return Commands{c}, ok
}

// CommandNames is [Commands.Names] of Redis 7.0.
func CommandNames() []string { return Commands{}.Names() }

// CommandHint is [Commands.Hint] of Redis 7.0.
func CommandHint(typed ...string) string { return Commands{}.Hint(typed...) }

// DescribeCommand is [Commands.Describe] of Redis 7.0.
func DescribeCommand(words ...string) (CommandDoc, bool) { return Commands{}.Describe(words...) }

// Version is the version of Redis, in three numbers.
func (c Commands) Version() string { return c.compat.Version() }

// Names returns the names of all commands, in lower case and sorted; a subcommand stands behind
// its parent with a space: "config get".
func (c Commands) Names() []string { return commands.TableOf(c.compat).Names() }

// Hint returns the arguments that may still follow what has been typed, for people to read:
// "value [NX|XX] [GET] [EX seconds|...]" after "set", "key". It is empty when nothing may follow.
func (c Commands) Hint(typed ...string) string { return commands.TableOf(c.compat).Hint(typed...) }

// Keys finds the keys in a command line, its name first: their places among args. It finds those whose slots a Redis Cluster looks at, and none in
// what is no command line of a command that it knows.
func (c Commands) Keys(args ...string) []int {
	if len(args) == 0 {
		return nil
	}
	s := commands.TableOf(c.compat).Resolve(args)
	if s == nil || s.Arity > 0 && len(args) != s.Arity || len(args) < -s.Arity {
		return nil
	}
	var places []int
	for _, k := range s.SlotKeys(args) {
		places = append(places, k.Pos)
	}
	return places
}

// CommandDoc describes a command for people.
type CommandDoc struct {
	Name       string // in capitals; a subcommand behind its parent: "CONFIG GET"
	Arguments  string // what CommandHint tells after the name
	Summary    string // one sentence without a full stop
	Since      string // the first version of Redis that has it
	Group      string // such as "string" or "sorted-set"
	Complexity string // such as "O(1)"; may be empty
	Deprecated string // the version since which it is deprecated, or ""
	ReplacedBy string // what to use instead, or ""
}

// Describe returns the description of the command or subcommand that words name, in any case; further
// words are arguments. It reports false for an unknown command.
func (c Commands) Describe(words ...string) (CommandDoc, bool) {
	if len(words) == 0 {
		return CommandDoc{}, false
	}
	t := commands.TableOf(c.compat)
	s := t.Resolve(words)
	if s == nil {
		return CommandDoc{}, false
	}
	name := s.Name
	if s.Parent != nil {
		name = s.Parent.Name + " " + s.Name
	}
	if _, known := slices.BinarySearch(t.Names(), name); !known {
		return CommandDoc{}, false // a row that is there only for its refusal from scripts
	}
	return CommandDoc{
		Name: strings.ToUpper(name), Arguments: t.Hint(strings.Fields(name)...), Summary: s.Summary,
		Since: s.Since, Group: s.Group, Complexity: s.Complexity, Deprecated: s.Deprecated, ReplacedBy: s.ReplacedBy,
	}, true
}
