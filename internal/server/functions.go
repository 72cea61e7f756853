package server

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Functions keeps libraries of Lua functions. The engine implements it on top of luabridge.
type Functions interface {
	// Flags returns the flags of the function with that name, in any case. Declared is not set if
	// there is none.
	Flags(name string) ScriptFlags
	// Bytes tells how long the codes of all libraries are.
	Bytes() int
	// Call calls a function that is there; readOnly refuses writes (FCALL_RO).
	Call(c *Ctx, name string, keys, argv []string, readOnly bool) reply.Value
	// Load loads a library and replies with its name; replace lets it take the place of one with the
	// same name.
	Load(c *Ctx, code string, replace bool) reply.Value
	// Delete removes a library and reports whether it was there.
	Delete(library string) bool
	// Flush removes all libraries and makes their Lua state anew.
	Flush()
	// List returns the libraries.
	List() []FunctionLibrary
	// Restore loads libraries, all or none. When bad is an error, that is the reply once the codes
	// have been found good.
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

// CountFunctions counts the libraries and their functions.
func (s *Server) CountFunctions() (libraries, functions int) {
	if s.Functions == nil {
		return 0, 0
	}
	for _, lib := range s.Functions.List() {
		libraries++
		functions += len(lib.Functions)
	}
	return libraries, functions
}

// scriptFlags returns the flags of the script or function that a command line runs.
func (s *Server) scriptFlags(spec *cmdtable.Spec, args []string) ScriptFlags {
	if spec.Runs == cmdtable.RunsFunction {
		return s.Functions.Flags(args[1])
	}
	return s.Scripts.Flags(args[1], spec.Runs == cmdtable.RunsSHA)
}
