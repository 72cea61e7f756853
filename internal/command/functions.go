package command

import "github.com/redmoon-lua/redmoon/internal/reply"

// Functions keeps libraries of Lua functions. The engine implements it on top of luabridge.
type Functions interface {
	// Has reports whether there is a function with that name, in any case.
	Has(name string) bool
	// NeedsMemory reports whether there is a function with that name that declares neither allow-oom nor no-writes.
	NeedsMemory(name string) bool
	// Bytes tells how long the codes of all libraries are.
	Bytes() int
	// ReadOnly reports whether there is a function with that name that declares that it does not write.
	ReadOnly(name string) bool
	// Call calls a function that is there; readOnly refuses writes (FCALL_RO).
	Call(c *Ctx, name string, keys, argv []string, readOnly bool) reply.Value
	// Load loads a library and replies with its name; replace lets it take the place of one with the same name.
	Load(c *Ctx, code string, replace bool) reply.Value
	// Delete removes a library and reports whether it was there.
	Delete(library string) bool
	// Flush removes all libraries and makes their Lua state anew.
	Flush()
	// List returns the libraries.
	List() []FunctionLibrary
	// Restore loads libraries, all or none. When bad is an error, that is the reply once the codes have been found good.
	Restore(c *Ctx, codes []string, bad reply.Value, policy RestorePolicy) reply.Value
}

// FunctionLibrary is what FUNCTION LIST tells of a library.
type FunctionLibrary struct {
	Name, Code string
	Functions  []FunctionInfo
}

// FunctionInfo is what FUNCTION LIST tells of a function.
type FunctionInfo struct {
	Name, Description string
	Described         bool // it has a description, which may be empty
	Flags             []string
}

// RestorePolicy says what FUNCTION RESTORE does about libraries that are there.
type RestorePolicy uint8

// The policies.
const (
	RestoreAppend  RestorePolicy = iota // they stay; a name that is there already is an error
	RestoreReplace                      // those with the same name are replaced
	RestoreFlush                        // they go
)

// functionCommands declares the commands about functions, which belong to the scripting family.
func functionCommands() []*Spec {
	return []*Spec{
		{
			Name: "fcall", Arity: -3, Flags: MayReplicate | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RW|Access|Update, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the function",
			Summary: "Calls a function of a library",
			Syntax:  `function numkeys# [key@0...] [arg...]`,
			Handler: fcall,
		},
		{
			Name: "fcall_ro", Arity: -3, Flags: ReadOnly | NoScript | Stale | SkipMonitor | NoMandatoryKeys, Cats: CatScripting,
			Keys:  []KeySpec{keyNum(RO|Access, 2)},
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the function",
			Summary: "Calls a function of a library, without writes",
			Syntax:  `function numkeys# [key@0...] [arg...]`,
			Handler: fcallRO,
		},
		{
			Name: "function", Arity: -2,
			Since: "7.0.0", Group: "scripting", Complexity: "Depends on the subcommand",
			Summary: "Holds the commands about libraries of functions",
			Subs:    functionSubcommands(),
		},
	}
}

func functionSubcommands() []*Spec {
	everywhere := []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	return []*Spec{
		{
			Name: "delete", Arity: 3, Flags: Write | NoScript, Cats: CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Removes a library",
			Syntax:  `library-name`,
			Handler: functionDelete,
		},
		{
			Name: "dump", Arity: 2, Flags: NoScript, Cats: CatScripting,
			Since: "7.0.0", Complexity: "O(N), N being the number of functions",
			Summary: "Returns all libraries in one value, for FUNCTION RESTORE",
			Handler: functionDump,
		},
		{
			Name: "flush", Arity: -2, Flags: Write | NoScript, Cats: CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(N), N being the number of functions",
			Summary: "Removes all libraries",
			Syntax:  `[async(ASYNC|SYNC)]`,
			Handler: functionFlush,
		},
		{
			Name: "help", Arity: 2, Flags: Loading | Stale, Cats: CatScripting,
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Lists the subcommands of FUNCTION",
			Handler: functionHelp(),
		},
		{
			Name: "kill", Arity: 2, Flags: NoScript | AllowBusy, Cats: CatScripting,
			Tips:  []string{"request_policy:all_shards", "response_policy:one_succeeded"},
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Stops the running function if it has not written yet",
			Handler: functionKill,
		},
		{
			Name: "list", Arity: -2, Flags: NoScript, Cats: CatScripting, Tips: []string{"nondeterministic_output_order"},
			Since: "7.0.0", Complexity: "O(N), N being the number of functions",
			Summary: "Describes the libraries and their functions",
			Syntax:  `[LIBRARYNAME:library-name-pattern] [WITHCODE]`,
			Handler: functionList,
		},
		{
			Name: "load", Arity: -3, Flags: Write | DenyOOM | NoScript, Cats: CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(1), compiling left aside",
			Summary: "Loads a library",
			Syntax:  `[REPLACE] function-code`,
			Handler: functionLoad,
		},
		{
			Name: "restore", Arity: -3, Flags: Write | DenyOOM | NoScript, Cats: CatScripting, Tips: everywhere,
			Since: "7.0.0", Complexity: "O(N), N being the number of functions in the value",
			Summary: "Loads the libraries of a value that FUNCTION DUMP returned",
			Syntax:  `serialized-value [policy(FLUSH|APPEND|REPLACE)]`,
			Handler: functionRestore,
		},
		{
			Name: "stats", Arity: 2, Flags: NoScript | AllowBusy, Cats: CatScripting,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Since: "7.0.0", Complexity: "O(1)",
			Summary: "Tells which function runs, and counts the libraries",
			Handler: functionStats,
		},
	}
}
