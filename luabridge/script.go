package luabridge

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// Flags are the flags that a script declares on its first line.
type Flags = luatext.Flags

// The flags of Redis 7.0.
const (
	Shebang            = luatext.Shebang
	NoWrites           = luatext.NoWrites
	AllowOOM           = luatext.AllowOOM
	AllowStale         = luatext.AllowStale
	NoCluster          = luatext.NoCluster
	AllowCrossSlotKeys = luatext.AllowCrossSlotKeys
)

// Script is a compiled script. Only one VM may run it.
type Script struct {
	Source string
	SHA    string // SHA1 of Source, lower-case hexadecimal
	Flags  Flags
	uses   uint8 // since the last Rest; at most usedAgain

	*compiledText // nil: dropped
	fn            *lua.LFunction
	gen           int   // the state that fn belongs to
	size          int64 // approximate size of the code in bytes
}

// Compile is [CompileScript] without limits.
func (vm *VM) Compile(source string) (*Script, error) { return CompileScript(source, CompileLimits{}) }
