package luabridge

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

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

	code
	fn   *lua.LFunction
	gen  int   // the state that fn belongs to
	size int64 // approximate size of the code in bytes
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
	parts, ok := splitQuoted(s.Source[:end])
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

// firstLine returns the end of the first line of a text, or -1. As in C, a NUL ends the text.
func firstLine(source string) int {
	if end := strings.IndexAny(source, "\n\x00"); end >= 0 && source[end] == '\n' {
		return end
	}
	return -1
}

// splitQuoted splits a line into words as redis-cli does. Double quotes allow escapes; single
// quotes do not. It fails if a quote is not closed, or if it is closed inside a word.
func splitQuoted(line string) ([]string, bool) {
	var words []string
	for i := 0; ; {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		if i >= len(line) {
			return words, true
		}
		var word strings.Builder
		var quote byte
	scan:
		for ; ; i++ {
			if i >= len(line) {
				if quote != 0 {
					return nil, false
				}
				break
			}
			c := line[i]
			switch {
			case quote == 0 && isSpace(c):
				break scan
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			case quote == 0:
				word.WriteByte(c)
			case c == quote:
				if i+1 < len(line) && !isSpace(line[i+1]) {
					return nil, false
				}
				i++
				break scan
			case c == '\\' && quote == '"' && i+3 < len(line) && line[i+1] == 'x' && isHex(line[i+2]) && isHex(line[i+3]):
				b, _ := strconv.ParseUint(line[i+2:i+4], 16, 8)
				word.WriteByte(byte(b))
				i += 3
			case c == '\\' && i+1 < len(line) && (quote == '"' || line[i+1] == '\''):
				i++
				word.WriteByte(unescape(line[i]))
			default:
				word.WriteByte(c)
			}
		}
		words = append(words, word.String())
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return c
}
