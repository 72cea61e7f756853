package server

import (
	"crypto/sha1"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

// Scripts runs Lua for the EVAL family. The engine implements it on top of luabridge.
type Scripts interface {
	// Eval runs source. readOnly refuses writes (EVAL_RO).
	Eval(c *Ctx, source string, keys, argv []string, readOnly bool) reply.Value
	// EvalSHA runs a cached script. sha is case-insensitive. The reply is NOSCRIPT if the script is
	// not cached.
	EvalSHA(c *Ctx, sha string, keys, argv []string, readOnly bool) reply.Value
	// Load compiles source, caches it and replies with its SHA1.
	Load(c *Ctx, source string) reply.Value
	// Exists reports whether the script with that SHA1 (hexadecimal, case-insensitive) is cached.
	Exists(sha string) bool
	// Source returns the source of a cached script.
	Source(sha string) (source string, ok bool)
	// Flags returns the flags of a script, which is given by its SHA1 if bySHA is set and else by its
	// source. It returns no flags for a SHA1 that is not cached.
	Flags(script string, bySHA bool) ScriptFlags
	// Flush empties the cache and creates a new Lua state.
	Flush()
	// Len returns the number of cached scripts, Bytes the total length of their sources.
	Len() int
	Bytes() int
}

// ScriptFlags are the flags that a script or function declares.
type ScriptFlags struct {
	Declared bool // it declares flags, even if none are set; functions always do

	NoWrites, AllowOOM, AllowStale bool
}

// scripting is what runs scripts and functions, and the one that runs.
type scripting struct {
	Scripts   Scripts
	Functions Functions
	Rules     scriptRules
	strict    keyRules // the keys that scripts may use
	Run       Run      // the running script or function
}

// scriptRules are how scripts, functions and transactions run on this server.
type scriptRules struct {
	TimeFlows bool // they see the time move, as in Redis before 7.2
	Migrate   bool // scripts may call MIGRATE

	// UndoFailures makes scripts, functions and transactions leave nothing when they fail.
	UndoFailures bool

	// MaxReply is the limit, in bytes, of a reply whose length the client chooses, for example by
	// SRANDMEMBER key -count. MaxScriptReply is the limit in scripts. 0 means no limit.
	MaxReply, MaxScriptReply int64
}

// flagsOf returns the flags of a command. For a script or function that declares flags they follow
// from these; without them the commands that it calls are checked instead.
func (s *scripting) flagsOf(spec *cmdtable.Spec, args []string) cmdtable.Flag {
	var declared ScriptFlags
	switch spec.Runs {
	case cmdtable.RunsNoScript:
		return spec.Flags
	case cmdtable.RunsFunction:
		declared = s.Functions.Flags(args[1])
	default:
		declared = s.Scripts.Flags(args[1], spec.Runs == cmdtable.RunsSHA)
	}
	if !declared.Declared {
		return spec.Flags
	}
	flags := spec.Flags &^ (cmdtable.Write | cmdtable.DenyOOM | cmdtable.Stale | cmdtable.MayReplicate)
	if !declared.NoWrites {
		flags |= cmdtable.Write
		if !declared.AllowOOM {
			flags |= cmdtable.DenyOOM
		}
	}
	if declared.AllowStale {
		flags |= cmdtable.Stale
	}
	return flags
}

// CountFunctions returns the number of libraries and of their functions.
func (s *scripting) CountFunctions() (libraries, functions int) {
	if s.Functions == nil {
		return 0, 0
	}
	for _, lib := range s.Functions.List() {
		libraries++
		functions += len(lib.Functions)
	}
	return libraries, functions
}

// Libraries returns the source texts of the function libraries.
func (s Control) Libraries() []string {
	if s.Functions == nil {
		return nil
	}
	list := s.Functions.List()
	texts := make([]string, len(list))
	for i, l := range list {
		texts[i] = l.Code
	}
	return texts
}

// ScriptCaller returns the session that runs a script or function, or nil.
func (s Control) ScriptCaller() *Session {
	if s.Run.Command == nil {
		return nil
	}
	return s.Run.Command.Session
}

// scriptName returns the name of the running function, or the SHA1 of the running script.
func (s *scripting) scriptName() string {
	if s.Run.Function != "" {
		return s.Run.Function
	}
	return s.scriptSHA()
}

// scriptSHA returns the SHA1 of the running script, in hexadecimal.
func (s *scripting) scriptSHA() string {
	c := s.Run.Command
	if strings.HasPrefix(c.Spec.Name, "evalsha") {
		return strings.ToLower(c.Args[1])
	}
	return fmt.Sprintf("%x", sha1.Sum([]byte(c.Args[1])))
}

// SetBusy marks the running script or function as busy: it has run for so long that
// [Control.ExecuteBusy] serves other clients in between.
func (s Control) SetBusy() {
	s.Run.Busy = errBusyScript.Of(s.Follows)
	if s.Run.Function != "" {
		s.Run.Busy = errBusyFunction.Of(s.Follows)
	}
}

// Busy returns the error that clients get while a script or function is busy, or "".
func (s Control) Busy() string { return s.Run.Busy }
