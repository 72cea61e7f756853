package engine

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// DefaultServer is the server that an engine follows unless [Options].Server names another one.
const DefaultServer = "redis-7.0"

// ServerNames returns the names of the servers that an engine can follow, as text: "redis-7.0,
// redis-7.2 ... and valkey-9.1".
func ServerNames() string { return servers.Names() }

// RedisVersion is the version of Redis that an engine follows unless [Options].Server names another
// server.
const RedisVersion = servers.DefaultRelease

// Commands describes the commands of one server. The zero value describes Redis 7.0.
type Commands struct{ server servers.Server }

// Commands returns the commands that the engine knows, those of [Options].Server.
func (e *Engine) Commands() Commands { return Commands{e.follows} }

// CommandsOf returns the commands of a server, and false if there is no such server. It is named as
// in [Options].Server.
func CommandsOf(server string) (Commands, bool) {
	s, ok := servers.Parse(server)
	return Commands{s}, ok
}

// CommandNames is [Commands.Names] of Redis 7.0.
func CommandNames() []string { return Commands{}.Names() }

// CommandHint is [Commands.Hint] of Redis 7.0.
func CommandHint(typed ...string) string { return Commands{}.Hint(typed...) }

// DescribeCommand is [Commands.Describe] of Redis 7.0.
func DescribeCommand(words ...string) (CommandDoc, bool) { return Commands{}.Describe(words...) }

// Version returns the release of the server in three numbers, such as "7.0.15".
func (c Commands) Version() string { return c.server.Release() }

// Names returns the names of all commands, in lower case and sorted. A subcommand is listed after
// its parent, with a space between: "config get".
func (c Commands) Names() []string { return cmdrows.TableOf(c.server).Names() }

// Hint returns the arguments that may follow what has been typed, for people to read: "value
// [NX|XX] [GET] [EX seconds|...]" after "set", "key". It returns "" if nothing may follow.
func (c Commands) Hint(typed ...string) string { return cmdrows.TableOf(c.server).Hint(typed...) }

// Keys returns the indexes of the keys in args, a command with its name first. It finds those keys
// whose slots a Redis Cluster checks. It returns nil if the command is unknown or malformed.
func (c Commands) Keys(args ...string) []int {
	if len(args) == 0 {
		return nil
	}
	s := cmdrows.TableOf(c.server).Resolve(args)
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
	Name       string // in upper case; a subcommand after its parent: "CONFIG GET"
	Arguments  string // what CommandHint returns after the name
	Summary    string // one sentence without a full stop
	Since      string // the first version of Redis that has it
	Group      string // as in COMMAND DOCS, such as "string" or "sorted-set"
	Complexity string // such as "O(1)"; may be empty
	Deprecated string // the version since which it is deprecated, or ""
	ReplacedBy string // what to use instead, or ""
}

// Describe returns the description of the command or subcommand that words name, in upper or lower
// case; further words count as arguments. It returns false for an unknown command.
func (c Commands) Describe(words ...string) (CommandDoc, bool) {
	if len(words) == 0 {
		return CommandDoc{}, false
	}
	t := cmdrows.TableOf(c.server)
	s := t.Resolve(words)
	if s == nil {
		return CommandDoc{}, false
	}
	name := s.Name
	if s.Parent != nil {
		name = s.Parent.Name + " " + s.Name
	}
	if _, known := slices.BinarySearch(t.Names(), name); !known {
		return CommandDoc{}, false // the row only exists to refuse the command in scripts
	}
	since, _ := s.Since.Of(c.server.Kind())
	return CommandDoc{
		Name: strings.ToUpper(name), Arguments: t.Hint(strings.Fields(name)...), Summary: s.Summary,
		Since: since, Group: s.Group, Complexity: s.Complexity, Deprecated: s.Deprecated, ReplacedBy: s.ReplacedBy,
	}, true
}
