package redisapi

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
)

// Error texts that servers word in different ways.
var (
	noArguments = errtext.Usual("Please specify at least one argument for this redis lib call").
			Since("-/8.0.0", "Please specify at least one argument for this call")
	badArguments = errtext.Usual("Lua redis lib command arguments must be strings or integers").
			Since("-/8.0.0", "Command arguments must be strings or integers")
	badLevel         = errtext.Usual("Invalid debug level.").Since("7.2.0", "Invalid log level.")
	setReplArguments = errtext.Usual("set_repl() requires two arguments.").Since("7.2.0", "set_repl() requires one argument.")

	libraryName = errtext.Usual("redis.").Since("-/8.0.0", "server.")
)

// named returns an error text that begins with the name of a function of the library, such as
// "redis.log".
func (r *Library) named(text string) string { return libraryName.Of(r.Server) + text }

// Renamed returns an error text that speaks of functions such as redis.register_function.
func (r *Library) Renamed(text string) string {
	if name := libraryName.Of(r.Server); name != "redis." {
		return strings.ReplaceAll(text, "redis.", name)
	}
	return text
}
