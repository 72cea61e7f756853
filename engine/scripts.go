package engine

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/command"
	"github.com/redmoon-lua/redmoon/internal/reply"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// scripts is the script cache and the bridge from commands to the Lua VM. It implements
// command.Scripts and luabridge.Host. The loop owns it; a caller that interrupts its script reads vm
// under Engine.mu.
type scripts struct {
	e        *Engine
	vm       *luabridge.VM // nil until the first script: it costs more than the rest of an engine
	bySHA    map[string]*luabridge.Script
	bySource map[string]*luabridge.Script // the same scripts; spares hashing on EVAL
	last     *luabridge.Script            // the one found last, or nil
	bytes    int

	// Of the running script.
	spec *command.Spec // of the command that runs it
	sess *command.Session
	door command.Door

	failed bool // its reply holds an error that no command got
}

func newScripts(e *Engine) *scripts {
	s := &scripts{e: e}
	s.forget()
	return s
}

func (s *scripts) forget() {
	s.bySHA, s.bySource, s.last, s.bytes = map[string]*luabridge.Script{}, map[string]*luabridge.Script{}, nil, 0
}

func (s *scripts) close() {
	if s.vm != nil {
		s.vm.Close()
	}
}

// Eval implements command.Scripts.
func (s *scripts) Eval(c *command.Ctx, source string, keys, argv []string, readOnly bool) reply.Value {
	script, errv := s.compile(source)
	if script == nil {
		return errv
	}
	return s.run(c, script, keys, argv, readOnly)
}

// EvalSHA implements command.Scripts.
func (s *scripts) EvalSHA(c *command.Ctx, sha string, keys, argv []string, readOnly bool) reply.Value {
	script := s.find(sha)
	if script == nil {
		return command.NoScriptReply()
	}
	return s.run(c, script, keys, argv, readOnly)
}

// Load implements command.Scripts.
func (s *scripts) Load(source string) reply.Value {
	script, errv := s.compile(source)
	if script == nil {
		return errv
	}
	return reply.Bulk(script.SHA)
}

// Exists implements command.Scripts.
func (s *scripts) Exists(sha string) bool { return s.find(sha) != nil }

// ReadOnly implements command.Scripts.
func (s *scripts) ReadOnly(source, sha string) bool {
	var script *luabridge.Script
	if sha != "" {
		script = s.find(sha)
	} else {
		script, _ = s.compile(source)
	}
	return script != nil && script.Flags&luabridge.NoWrites != 0
}

// Writes implements command.Scripts.
func (s *scripts) Writes(source, sha string) bool {
	var script *luabridge.Script
	if sha != "" {
		script = s.find(sha)
	} else {
		script, _ = s.compile(source)
	}
	return script != nil && script.Flags&luabridge.Shebang != 0 && script.Flags&luabridge.NoWrites == 0
}

// NeedsMemory implements command.Scripts.
func (s *scripts) NeedsMemory(source, sha string) bool {
	flags := luabridge.Flags(0)
	if script := s.find(sha); sha != "" && script != nil {
		flags = script.Flags
	} else if sha == "" {
		flags = luabridge.ScriptFlags(source)
	}
	return needsMemory(flags)
}

// needsMemory reports whether a script or function that declares flags may want more memory.
func needsMemory(flags luabridge.Flags) bool {
	return flags&luabridge.Shebang != 0 && flags&(luabridge.AllowOOM|luabridge.NoWrites) == 0
}

// find returns the cached script with that SHA1, in any case, or nil. The last one asked for is found
// without hashing.
func (s *scripts) find(sha string) *luabridge.Script {
	if s.last != nil && s.last.SHA == sha {
		return s.last
	}
	script := s.bySHA[sha]
	if script == nil {
		script = s.bySHA[strings.ToLower(sha)]
	}
	if script != nil {
		s.last = script
	}
	return script
}

// Flush implements command.Scripts.
func (s *scripts) Flush() {
	s.forget()
	if s.vm != nil {
		s.vm.Reset()
	}
}

// Len implements command.Scripts.
func (s *scripts) Len() int { return len(s.bySHA) }

// Bytes implements command.Scripts.
func (s *scripts) Bytes() int { return s.bytes }

func (s *scripts) compile(source string) (*luabridge.Script, reply.Value) {
	if script := s.bySource[source]; script != nil {
		return script, reply.Value{}
	}
	if s.vm == nil {
		s.e.setVM(&s.vm, s.e.newVM(false))
	}
	script, err := s.vm.Compile(source)
	if err != nil {
		return nil, reply.Err(err.Error())
	}
	s.bySHA[script.SHA], s.bySource[source] = script, script
	s.bytes += len(source)
	return script, reply.Value{}
}

func (s *scripts) run(c *command.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool) reply.Value {
	if errv := s.begin(c, "", script.Flags, readOnly); errv.IsError() {
		return errv
	}
	if e := s.e; e.choosers != nil || e.current != nil && e.current.debug != nil {
		return s.runWatched(c, script, keys, argv, readOnly)
	}
	return s.runPlain(script, keys, argv)
}

// runPlain runs a script that nobody debugs.
func (s *scripts) runPlain(script *luabridge.Script, keys, argv []string) reply.Value {
	s.e.enterScript(s.vm)
	v := s.vm.Run(s, script, keys, argv)
	s.e.leaveScript()
	return v
}

// begin makes s the host of a script, or of a function with a name, with these flags.
func (s *scripts) begin(c *command.Ctx, function string, flags luabridge.Flags, readOnly bool) (errReply reply.Value) {
	s.door = command.DoorScript
	if readOnly || flags&luabridge.NoWrites != 0 {
		s.door = command.DoorScriptRO
	}
	if flags&luabridge.NoCluster != 0 {
		if errv := c.Server.NotOnCluster(); errv.IsError() {
			return errv
		}
	}
	if readOnly && flags&luabridge.Shebang != 0 && flags&luabridge.NoWrites == 0 {
		return reply.Err("ERR Can not execute a script with write flag using *_ro command.")
	}
	if needsMemory(flags) && c.Server.OutOfMemory() {
		return reply.Err("OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'")
	}
	s.spec, s.failed = c.Spec, false
	s.sess = c.Server.StartScript(c, function, command.ScriptRights{
		CrossSlot: flags&luabridge.Shebang == 0 && !s.e.oneSlot || flags&luabridge.AllowCrossSlotKeys != 0,
		AllowOOM:  flags&luabridge.AllowOOM != 0,
	})
	return errReply
}

// Call implements luabridge.Host.
func (s *scripts) Call(args []string) reply.Value {
	if r := s.e.current; r != nil && r.cancellable && s.e.server.Table.Writes(args) && !s.e.mayWrite() {
		return reply.Err(interruptReason)
	}
	return s.e.server.Execute(s.sess, s.door, args)
}

// SetResp implements luabridge.Host.
func (s *scripts) SetResp(proto int) { s.sess.Proto = proto }

// CheckACL implements luabridge.Host.
func (s *scripts) CheckACL(args []string) (allowed, known bool) {
	return s.e.server.MayRun(s.sess, args)
}

// InnerError implements luabridge.Host.
func (s *scripts) InnerError(v reply.Value) {
	s.e.server.CountInner(s.spec, v, s.failed)
	s.failed = s.failed || !v.Told()
}
