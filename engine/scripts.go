package engine

import (
	"github.com/redmoon-lua/redmoon/internal/command"
	"github.com/redmoon-lua/redmoon/internal/reply"
)

// scripts is the script cache and the bridge from commands to the Lua VM. The loop owns it.
type scripts struct {
	e *Engine
}

func newScripts(e *Engine) *scripts { return &scripts{e: e} }

func (s *scripts) close()     {}
func (s *scripts) interrupt() {}

func (s *scripts) Eval(c *command.Ctx, source string, keys, argv []string, readOnly bool) reply.Value {
	return reply.Err("ERR no Lua here")
}

func (s *scripts) EvalSHA(c *command.Ctx, sha string, keys, argv []string, readOnly bool) reply.Value {
	return reply.Err("NOSCRIPT No matching script. Please use EVAL.")
}
func (s *scripts) Load(source string) reply.Value { return reply.Err("ERR no Lua here") }
func (s *scripts) Exists(sha string) bool         { return false }
func (s *scripts) Flush()                         {}
func (s *scripts) Len() int                       { return 0 }
func (s *scripts) Bytes() int                     { return 0 }
