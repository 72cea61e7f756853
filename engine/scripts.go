package engine

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/commands/scriptingcmds"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// scripting is what runs scripts and functions.
type scripting struct {
	scripts     *scripts
	functions   *functions
	found       foundScript   // see programOf
	lastVM      *luabridge.VM // that has run the last script, unless a text was compiled since
	compiling   compiling
	watch       watch
	left        []leftBehind       // by failed scripts of the running command
	probedState [2]luabridge.State // of scripts and functions when a probe has looked last
}

// scripts is the script cache and the bridge from commands to the Lua VM. It implements
// server.Scripts and luabridge.Host. The loop owns it.
type scripts struct {
	e        *Engine
	vm       *luabridge.VM // nil until the first script, because it is larger than the rest of an engine
	bySHA    map[string]*luabridge.Script
	bySource map[string]*luabridge.Script // the same scripts; spares hashing on EVAL
	last     *luabridge.Script            // the one found last, or nil
	bytes    int
	live     []*luabridge.Script // those that are compiled
	compiled int64               // their approximate size, bytes
	recent   recentScripts
	fresh    int64 // of those that were compiled since the last sweep
}

func newScripts(e *Engine) *scripts {
	s := &scripts{e: e}
	s.forget()
	return s
}

func (s *scripts) forget() {
	s.bySHA, s.bySource, s.last, s.bytes = map[string]*luabridge.Script{}, map[string]*luabridge.Script{}, nil, 0
	s.live, s.compiled, s.fresh = nil, 0, 0
	s.recent = newRecentScripts(s.e.follows)
}

// evict drops a script from the cache.
func (s *scripts) evict(script *luabridge.Script) {
	delete(s.bySHA, script.SHA)
	delete(s.bySource, script.Source)
	s.bytes -= len(script.Source)
	if s.last == script {
		s.last = nil
	}
	if i := slices.Index(s.live, script); i >= 0 {
		s.live = slices.Delete(s.live, i, i+1)
		s.compiled -= script.Size()
	}
}

func (s *scripts) close() {
	if s.vm != nil {
		s.vm.Close()
	}
}

// Eval implements server.Scripts.
func (s *scripts) Eval(c *server.Ctx, source string, keys, argv []string, readOnly bool) reply.Value {
	cached := s.bySource[source] != nil
	script, errv := s.compile(c, source)
	if script == nil {
		return errv
	}
	if cached {
		s.recent.use(script)
	} else if out := s.recent.add(script); out != nil {
		s.e.server.Stats.EvictedScripts++
		s.evict(out)
	}
	return s.run(c, script, keys, argv, readOnly)
}

// EvalSHA implements server.Scripts.
func (s *scripts) EvalSHA(c *server.Ctx, sha string, keys, argv []string, readOnly bool) reply.Value {
	script := s.find(sha)
	if script == nil {
		return scriptingcmds.NoScriptReply(c.Server)
	}
	s.recent.use(script)
	return s.run(c, script, keys, argv, readOnly)
}

// foundScript is the script of [Script.Run], which is in the cache. It implements server.Program.
type foundScript struct {
	scripts  *scripts
	script   *luabridge.Script
	keys     int
	readOnly bool
}

// Run implements server.Program. The keys begin at the same place as those of EVALSHA.
func (f *foundScript) Run(c *server.Ctx) reply.Value {
	at := firstKey + f.keys
	f.scripts.recent.use(f.script)
	return f.scripts.run(c, f.script, c.Args[firstKey:at], c.Args[at:], f.readOnly)
}

// programOf returns the script of a request of [Script.Run] if it is in the cache. Otherwise, the
// request becomes an EVAL, so that the script runs exactly once, even if it returns an error like
// NOSCRIPT itself.
func (e *Engine) programOf(r *request) server.Program {
	script := e.scripts.find(r.script.sha)
	switch {
	case script == nil:
		r.args[0], r.args[1] = evalCommand(r.script), r.script.source
		return nil
	case r.sess.Debugging.Mode != server.NotDebugged: // EVALSHA has an error for it
		return nil
	}
	e.found = foundScript{e.scripts, script, r.numKeys, r.script.readOnly}
	return &e.found
}

// firstKey is the place of the first key of EVALSHA.
const firstKey = 3

// Load implements server.Scripts.
func (s *scripts) Load(c *server.Ctx, source string) reply.Value {
	script, errv := s.compile(c, source)
	if script == nil {
		return errv
	}
	if s.e.follows.Has(servers.LoadedScriptsStay) {
		s.recent.remove(script)
	}
	return reply.Bulk(script.SHA)
}

// Exists implements server.Scripts.
func (s *scripts) Exists(sha string) bool { return s.find(sha) != nil }

// Source implements server.Scripts.
func (s *scripts) Source(sha string) (source string, ok bool) {
	if script := s.find(sha); script != nil {
		return script.Source, true
	}
	return "", false
}

// Flags implements server.Scripts.
func (s *scripts) Flags(script string, bySHA bool) server.ScriptFlags {
	if !bySHA {
		return scriptFlags(s.e.firstLine().Flags(script))
	}
	if cached := s.find(script); cached != nil {
		return scriptFlags(cached.Flags)
	}
	return server.ScriptFlags{}
}

func scriptFlags(f luabridge.Flags) server.ScriptFlags {
	return server.ScriptFlags{
		Declared: f&luabridge.Shebang != 0,
		NoWrites: f&luabridge.NoWrites != 0,
		AllowOOM: f&luabridge.AllowOOM != 0, AllowStale: f&luabridge.AllowStale != 0,
	}
}

// find returns the cached script with that SHA1 (case-insensitive), or nil. The last result is
// found without hashing.
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

// Flush implements server.Scripts.
func (s *scripts) Flush() {
	s.forget()
	s.e.server.Stats.Scripts.Forget(func(id server.ScriptID) bool { return id.Library == "" })
	if s.vm != nil {
		s.vm.Reset()
	}
}

// Len implements server.Scripts.
func (s *scripts) Len() int { return len(s.bySHA) }

// Bytes implements server.Scripts.
func (s *scripts) Bytes() int { return s.bytes }

// compile returns the compiled script of a source. c is the command that needs it, or nil.
func (s *scripts) compile(c *server.Ctx, source string) (*luabridge.Script, reply.Value) {
	if script := s.bySource[source]; script != nil {
		return script, reply.Value{}
	}
	if s.vm == nil {
		s.vm = s.e.newVM(false)
	}
	var script *luabridge.Script
	var err error
	if j := s.e.compiling.take(source, false); j != nil {
		script, err = j.script, j.err
	} else {
		err = s.e.compileFor(c, source, "", func(l luabridge.CompileLimits) (err error) {
			script, err = luabridge.CompileScript(source, l)
			return err
		})
	}
	if err != nil {
		return nil, reply.Err(err.Error())
	}
	s.bySHA[script.SHA], s.bySource[source] = script, script
	s.bytes += len(source)
	s.keep(script)
	return script, reply.Value{}
}

// keptScripts divides the memory limit of a script: all compiled scripts together may take this
// part of it.
const keptScripts = 2

// freshScripts is the approximate size in bytes of the scripts that are compiled between two
// sweeps.
const freshScripts = 8 << 20

// keep counts a script that has been compiled. From time to time it drops the compiled form of
// those that have not been run again: a client that sends each script once, with a number of its
// own in it, makes the server keep the sources only. If the others take too much memory together,
// it drops them all.
func (s *scripts) keep(script *luabridge.Script) {
	s.live = append(s.live, script)
	s.compiled += script.Size()
	s.fresh += script.Size()
	if s.fresh > freshScripts {
		s.sweep(script, func(other *luabridge.Script) bool { return other.Rest() })
	}
	if s.e.memory > 0 && s.compiled > s.e.memory/keptScripts {
		s.sweep(script, func(*luabridge.Script) bool { return false })
	}
}

// sweep drops the compiled form of all scripts except the newest and those of which stays is true.
func (s *scripts) sweep(newest *luabridge.Script, stays func(*luabridge.Script) bool) {
	live := s.live[:0]
	s.compiled, s.fresh = 0, 0
	for _, script := range s.live {
		if script != newest && !stays(script) {
			script.Drop()
			continue
		}
		live = append(live, script)
		s.compiled += script.Size()
	}
	clear(s.live[len(live):])
	s.live = live
}

// restore compiles a dropped script again.
func (s *scripts) restore(c *server.Ctx, script *luabridge.Script) reply.Value {
	if j := s.e.compiling.take(script.Source, false); j != nil && j.script != nil {
		*script = *j.script
	} else if err := s.e.compileFor(c, script.Source, "", script.Restore); err != nil {
		return reply.Err(err.Error())
	}
	s.keep(script)
	return reply.Value{}
}

func (s *scripts) run(c *server.Ctx, script *luabridge.Script, keys, argv []string, readOnly bool) reply.Value {
	if script.Dropped() {
		if errv := s.restore(c, script); errv.IsError() {
			return errv
		}
	}
	script.Use()
	if errv := s.begin(c, "", script.Flags, readOnly); errv.IsError() {
		return errv
	}
	s.e.countRun(server.ScriptID{Name: script.SHA})
	if s.e.maybeDebugged() {
		return s.runWatched(c, script, keys, argv, readOnly)
	}
	return s.runPlain(script, keys, argv)
}

// runPlain runs a script without a debugger.
func (s *scripts) runPlain(script *luabridge.Script, keys, argv []string) reply.Value {
	s.e.enterScript(s.vm)
	v := s.vm.Run(s, script, keys, argv)
	s.e.endScript(v)
	return v
}

// begin makes s the host of a script, or of a function if function is not "", with these flags.
func (s *scripts) begin(c *server.Ctx, function string, flags luabridge.Flags, readOnly bool) (errReply reply.Value) {
	if flags&luabridge.NoCluster != 0 {
		if errv := scriptingcmds.NotOnCluster(c.Server); errv.IsError() {
			return errv
		}
	}
	if flags&luabridge.Shebang == 0 && s.e.server.IsStale() {
		return reply.Err(errtext.MasterDown)
	}
	if readOnly && flags&luabridge.Shebang != 0 && flags&luabridge.NoWrites == 0 {
		return reply.Err("ERR Can not execute a script with write flag using *_ro command.")
	}
	if f := scriptFlags(flags); f.Declared && !f.AllowOOM && !f.NoWrites && s.e.server.OutOfMemory() {
		return reply.Err("OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'")
	}
	e := s.e
	e.server.StartScript(c, function, e.stopSwitch(c), server.Rights{
		ReadOnly:  readOnly || flags&luabridge.NoWrites != 0,
		CrossSlot: flags&luabridge.Shebang == 0 && !e.options.OneSlot || flags&luabridge.AllowCrossSlotKeys != 0,
		AllowOOM:  flags&luabridge.AllowOOM != 0,
	})
	return errReply
}

// Call implements luabridge.Host.
func (s *scripts) Call(args []string) reply.Value { return s.e.server.ExecuteInScript(args) }

// SetEffects implements luabridge.Host.
func (s *scripts) SetEffects(file, replicas bool) {
	to := server.ToNone
	if file {
		to |= server.ToFile
	}
	if replicas {
		to |= server.ToReplicas
	}
	s.e.server.Run.Reaches = to
}

// SetResp implements luabridge.Host.
func (s *scripts) SetResp(proto int) { s.e.server.Run.Session.Proto = proto }

// CheckACL implements luabridge.Host.
func (s *scripts) CheckACL(args []string) (allowed, known bool) {
	return s.e.server.MayRun(&s.e.server.Run.Session, args)
}

// CheckArity implements redisapi.ArityHost.
func (s *scripts) CheckArity(args []string) bool {
	spec := s.e.server.Table.Resolve(args)
	return spec != nil && len(args) >= spec.MinArgs && len(args) <= spec.MaxArgs
}

// InnerError implements luabridge.Host.
func (s *scripts) InnerError(v reply.Value) { s.e.server.CountErrorInReply(v) }
