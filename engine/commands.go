package engine

import "github.com/redmoon-lua/redmoon/internal/command"

// RedisVersion is the version of Redis whose answers the engine gives.
const RedisVersion = command.Version

// CommandNames returns the names of all commands, in lower case and sorted; a subcommand stands behind
// its parent with a space: "config get".
func CommandNames() []string { return command.Commands().Names() }

// CommandHint returns the arguments that may still follow what has been typed, for people to read:
// "value [NX|XX] [GET] [EX seconds|...]" after "set", "key". It is empty when nothing may follow.
func CommandHint(typed ...string) string { return command.Commands().Hint(typed...) }
