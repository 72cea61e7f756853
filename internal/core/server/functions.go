package server

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Functions keeps libraries of Lua functions. The engine implements it on top of luabridge.
type Functions interface {
	// Flags returns the flags of the named function (case-insensitive). Declared is false if there is
	// no such function.
	Flags(name string) ScriptFlags
	// Bytes returns the total length of the source code of all libraries.
	Bytes() int
	// Call calls an existing function. readOnly refuses writes (FCALL_RO).
	Call(c *Ctx, name string, keys, argv []string, readOnly bool) reply.Value
	// Load loads a library and replies with its name. With replace it may replace a library of the
	// same name.
	Load(c *Ctx, code string, replace bool) reply.Value
	// Delete removes a library and reports whether it was there.
	Delete(library string) bool
	// Flush removes all libraries and creates a new Lua state.
	Flush()
	// List returns the libraries.
	List() []FunctionLibrary
	// Restore loads all of the libraries or none. If bad is an error, it is the reply after the
	// sources have been checked.
	Restore(c *Ctx, codes []string, bad reply.Value, policy RestorePolicy) reply.Value
}

// FunctionLibrary is the entry of a library in FUNCTION LIST.
type FunctionLibrary struct {
	Name, Code string
	Functions  []FunctionInfo
}

// FunctionInfo is the entry of a function in FUNCTION LIST.
type FunctionInfo struct {
	Name, Description string
	Described         bool // it has a description, which may be empty
	Flags             []string
}

// RestorePolicy says how FUNCTION RESTORE treats existing libraries.
type RestorePolicy uint8

// The policies.
const (
	RestoreAppend  RestorePolicy = iota // they stay; a name in use is an error
	RestoreReplace                      // those with the same name are replaced
	RestoreFlush                        // they are removed
)

// anyQueued reports whether EXEC would run a command whose flags meet a condition.
func (s *Server) anyQueued(sess *Session, meets func(cmdtable.Flag) bool) bool {
	return slices.ContainsFunc(sess.Queue, func(args []string) bool { return meets(s.flagsOf(s.Table.Resolve(args), args)) })
}

// meets reports whether the flags of a command, or of one that EXEC would run, meet a condition.
func (a *attempt) meets(condition func(cmdtable.Flag) bool) bool {
	return condition(a.s.flagsOf(a.spec, a.args)) || a.spec.IsExec && a.s.anyQueued(a.sess, condition)
}

func writes(f cmdtable.Flag) bool { return f&cmdtable.Write != 0 }
