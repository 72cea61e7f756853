package engine

import "github.com/redmoon-lua/redmoon/internal/command"

// RedisVersion is the version of Redis whose answers the engine gives.
const RedisVersion = command.Version
