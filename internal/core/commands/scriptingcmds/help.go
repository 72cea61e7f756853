package scriptingcmds

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// scriptDebugLines are the lines of SCRIPT HELP about SCRIPT DEBUG.
var scriptDebugLines = errtext.Usual("DEBUG (YES|SYNC|NO)\n"+
	"    Set the debug mode for subsequent scripts executed.").
	Since("-/9.1.0", "DEBUG (YES|SYNC|NO) [<engine_name>]\n"+
		"    Set the debug mode for subsequent scripts executed of the specified engine.\n"+
		"    Default engine name: 'lua'")

// scriptFlushLines are those about the default mode of SCRIPT FLUSH.
var scriptFlushLines = errtext.Usual("    When called without the optional mode argument, the behavior is determined by the\n"+
	"    lazyfree-lazy-user-flush configuration directive. Valid modes are:").
	Since("-/8.0.0", "    When called without the optional mode argument, the behavior is determined\n"+
		"     by the lazyfree-lazy-user-flush configuration directive. Valid modes are:")

// scriptShowLines are those about SCRIPT SHOW.
var scriptShowLines = errtext.Usual("").Since("-/8.0.0", "SHOW <sha1>\n    Show a script from the scripts cache.")

func scriptHelp() server.Handler {
	of := servers.Lazily(scriptHelpOf)
	return func(c *server.Ctx) reply.Value { return of(c.Server.Follows)(c) }
}

func scriptHelpOf(s servers.Server) server.Handler {
	lines := strings.Split(scriptDebugLines.Of(s), "\n")
	lines = append(lines,
		"EXISTS <sha1> [<sha1> ...]",
		"    Return information about the existence of the scripts in the script cache.",
		"FLUSH [ASYNC|SYNC]",
		"    Flush the Lua scripts cache. Very dangerous on replicas.",
	)
	lines = append(lines, strings.Split(scriptFlushLines.Of(s), "\n")...)
	lines = append(lines,
		"    * ASYNC: Asynchronously flush the scripts cache.",
		"    * SYNC: Synchronously flush the scripts cache.",
		"KILL",
		"    Kill the currently executing Lua script.",
		"LOAD <script>",
		"    Load a script into the scripts cache without executing it.",
	)
	if show := scriptShowLines.Of(s); show != "" {
		lines = append(lines, strings.Split(show, "\n")...)
	}
	return server.Help("SCRIPT", lines...)
}

func functionHelp() server.Handler {
	usual := server.Help("FUNCTION", functionLines...)
	short := server.Help("FUNCTION", slices.DeleteFunc(slices.Clone(functionLines), func(line string) bool {
		return line == "    * Library description"
	})...)
	return func(c *server.Ctx) reply.Value {
		if c.Has(servers.NoLibraryDescription) {
			return short(c)
		}
		return usual(c)
	}
}

var functionLines = []string{
	"LOAD [REPLACE] <FUNCTION CODE>",
	"    Create a new library with the given library name and code.",
	"DELETE <LIBRARY NAME>",
	"    Delete the given library.",
	"LIST [LIBRARYNAME PATTERN] [WITHCODE]",
	"    Return general information on all the libraries:",
	"    * Library name",
	"    * The engine used to run the Library",
	"    * Library description",
	"    * Functions list",
	"    * Library code (if WITHCODE is given)",
	"    It also possible to get only function that matches a pattern using LIBRARYNAME argument.",
	"STATS",
	"    Return information about the current function running:",
	"    * Function name",
	"    * Command used to run the function",
	"    * Duration in MS that the function is running",
	"    If no function is running, return nil",
	"    In addition, returns a list of available engines.",
	"KILL",
	"    Kill the current running function.",
	"FLUSH [ASYNC|SYNC]",
	"    Delete all the libraries.",
	"    When called without the optional mode argument, the behavior is determined by the",
	"    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
	"    * ASYNC: Asynchronously flush the libraries.",
	"    * SYNC: Synchronously flush the libraries.",
	"DUMP",
	"    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command",
	"RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]",
	"    Restore the libraries represented by the given payload, it is possible to give a restore policy to",
	"    control how to handle existing libraries (default APPEND):",
	"    * FLUSH: delete all existing libraries.",
	"    * APPEND: appends the restored libraries to the existing libraries. On collision, abort.",
	"    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old",
	"      libraries with the new libraries (notice that even on this option there is a chance of failure",
	"      in case of functions name collision with another library).",
}
