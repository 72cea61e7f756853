package luabridge

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/quoting"
	"github.com/redmoon-lua/redmoon/reply"
)

// Flags are the flags that a script declares on its first line, as in "#!lua flags=no-writes".
type Flags uint8

// The flags of Redis 7.0.
const (
	Shebang            Flags = 1 << iota // the script has such a line, so Redis's strict rules apply
	NoWrites                             // no-writes
	AllowOOM                             // allow-oom
	AllowStale                           // allow-stale
	NoCluster                            // no-cluster
	AllowCrossSlotKeys                   // allow-cross-slot-keys
)

var flagNames = map[string]Flags{
	"no-writes":             NoWrites,
	"allow-oom":             AllowOOM,
	"allow-stale":           AllowStale,
	"no-cluster":            NoCluster,
	"allow-cross-slot-keys": AllowCrossSlotKeys,
}

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

// Names in error positions of every script, and of every library.
const (
	chunkName   = "user_script"
	libraryName = "user_function"
)

// Compile is [CompileScript] without limits.
func (vm *VM) Compile(source string) (*Script, error) { return CompileScript(source, CompileLimits{}) }

// ScriptFlags returns the flags that the first line of a script declares, or 0 if it declares none
// or is malformed.
func ScriptFlags(source string) Flags {
	s := Script{Source: source}
	if _, err := s.shebang(); err != nil {
		return 0
	}
	return s.Flags
}

// shebang reads the first line if it begins with "#!", and returns the source without it. The line
// break stays, so that lines keep their numbers.
func (s *Script) shebang() (string, error) {
	if !strings.HasPrefix(s.Source, "#!") {
		return s.Source, nil
	}
	end := firstLine(s.Source)
	if end < 0 {
		return "", reply.ParseError("ERR Invalid script shebang")
	}
	parts, ok := quoting.Words(s.Source[:end])
	switch {
	case !ok || len(parts) == 0:
		return "", reply.ParseError("ERR Invalid engine in script shebang")
	case parts[0] != "#!lua":
		return "", reply.ParseError("ERR Unexpected engine in script shebang: " + parts[0])
	}
	s.Flags = Shebang
	for _, part := range parts[1:] {
		list, ok := strings.CutPrefix(part, "flags=")
		if !ok {
			return "", reply.ParseError("ERR Unknown lua shebang option: " + part)
		}
		if list == "" {
			continue
		}
		for _, name := range strings.Split(list, ",") {
			flag, ok := flagNames[name]
			if !ok {
				return "", reply.ParseError("ERR Unexpected flag in script shebang: " + name)
			}
			s.Flags |= flag
		}
	}
	return s.Source[end:], nil
}

// firstLine returns the end of the first line of a text, or -1. As in C, a NUL ends the text, so
// the line has none.
func firstLine(source string) int {
	if end := strings.IndexAny(source, "\n\x00"); end >= 0 && source[end] == '\n' {
		return end
	}
	return -1
}
