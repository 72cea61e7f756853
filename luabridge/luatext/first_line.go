package luatext

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/reply"
)

// cut splits a text behind its first line if that begins with "#!". The line break stays in body,
// so that lines keep their numbers. ok is false if the line does not end: as in C, a NUL ends the
// text, so the line has none.
func cut(source string) (first, body string, ok bool) {
	if !strings.HasPrefix(source, "#!") {
		return "", source, true
	}
	if end := strings.IndexAny(source, "\n\x00"); end >= 0 && source[end] == '\n' {
		return source[:end], source[end:], true
	}
	return source, "", false
}

// Body returns a text that can be compiled without its first line if that begins with "#!". The
// line break stays, so that lines keep their numbers.
func Body(source string) string {
	_, body, _ := cut(source)
	return body
}

// IsLibrary reports whether a text is for FUNCTION LOAD: its first line names the library.
func IsLibrary(source string) bool {
	if !strings.HasPrefix(source, "#!") {
		return false
	}
	first, _, _ := strings.Cut(source, "\n")
	return strings.Contains(strings.ToLower(first), "name=")
}

// ScriptFlags returns the flags that the first line of a script declares, or 0 if it declares none
// or is malformed.
func ScriptFlags(source string) Flags { return FirstLine{}.Flags(source) }

// FirstLine says how a server reads the first line of a script or library. The zero value is that
// of Redis.
type FirstLine struct {
	// EngineNames looks the engine of a script up by its name: the name may have any case of letters,
	// and is missed after the options are read. Valkey since 8.1.
	EngineNames bool
	// JoinedQuotes lets a word go on behind a closing quote. Valkey since 9.1.
	JoinedQuotes bool
}

// Flags returns the flags that the first line of a script declares.
func (f FirstLine) Flags(source string) Flags {
	flags, _, _ := f.ReadScript(source)
	return flags
}

// ReadScript reads the first line of a script if it begins with "#!". It returns the flags that the
// line declares, and the text as [Body] does. The error is a *[reply.Error] with Redis's text.
func ReadScript(source string) (flags Flags, body string, err error) {
	return FirstLine{}.ReadScript(source)
}

// ReadScript is [ReadScript] for a server.
func (f FirstLine) ReadScript(source string) (flags Flags, body string, err error) {
	first, body, ok := cut(source)
	switch {
	case !ok:
		return 0, "", reply.ParseError("ERR Invalid script shebang")
	case first == "":
		return 0, body, nil
	}
	parts, ok := quoting.WordsOf(first, f.JoinedQuotes)
	switch {
	case !ok || len(parts) == 0:
		return 0, "", reply.ParseError("ERR Invalid engine in script shebang")
	case !f.EngineNames && parts[0] != "#!lua":
		return 0, "", reply.ParseError("ERR Unexpected engine in script shebang: " + parts[0])
	}
	flags = Shebang
	for _, part := range parts[1:] {
		list, ok := strings.CutPrefix(part, "flags=")
		if !ok {
			return 0, "", reply.ParseError("ERR Unknown lua shebang option: " + part)
		}
		if list == "" {
			continue
		}
		for _, name := range strings.Split(list, ",") {
			flag, ok := FlagNamed(name)
			if !ok {
				return 0, "", reply.ParseError("ERR Unexpected flag in script shebang: " + name)
			}
			flags |= flag
		}
	}
	if name := strings.TrimPrefix(parts[0], "#!"); f.EngineNames && !strings.EqualFold(name, "lua") {
		return 0, "", reply.ParseError("ERR Could not find scripting engine '" + name + "'")
	}
	return flags, body, nil
}

// The errors of FUNCTION LOAD about the first line.
var (
	errNoMetadata  = reply.ParseError("ERR Missing library metadata")
	errBadMetadata = reply.ParseError("ERR Invalid library metadata")
	errTwoNames    = reply.ParseError("ERR Invalid metadata value, name argument was given multiple times")
	errNoName      = reply.ParseError("ERR Library name was not given")
	errBadName     = reply.ParseError("ERR " + BadName)
)

// NameRule is the rule of [IsName] in error texts. BadName is the text for names of libraries, and
// in Redis of functions, that it refuses.
const (
	NameRule = "names can only contain letters, numbers, or underscores(_) and must be at least one character long"
	BadName  = "Library " + NameRule
)

// IsName reports whether a name is valid for a library or function.
func IsName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != ""
}

// ReadLibrary reads the first line of a function library, which gives the engine and the name. It
// returns the name, and the text as [Body] does. The error is a *[reply.Error] with Redis's text.
func ReadLibrary(source string) (name, body string, err error) {
	return FirstLine{}.ReadLibrary(source)
}

// ReadLibrary is [ReadLibrary] for a server.
func (f FirstLine) ReadLibrary(source string) (name, body string, err error) {
	first, body, ok := cut(source)
	switch {
	case !ok:
		return "", "", errBadMetadata
	case first == "":
		return "", "", errNoMetadata
	}
	parts, ok := quoting.WordsOf(first, f.JoinedQuotes)
	if !ok || len(parts) == 0 {
		return "", "", errBadMetadata
	}
	named := false
	for _, part := range parts[1:] {
		const key = "name="
		switch {
		case len(part) < len(key) || !strings.EqualFold(part[:len(key)], key):
			return "", "", reply.ParseError("ERR Invalid metadata value given: " + part)
		case named:
			return "", "", errTwoNames
		}
		name, named = part[len(key):], true
	}
	switch engine := parts[0][len("#!"):]; {
	case !named:
		return "", "", errNoName
	case !IsName(name):
		return "", "", errBadName
	case !strings.EqualFold(engine, "lua"):
		return "", "", reply.ParseError("ERR Engine '" + engine + "' not found")
	}
	return name, body, nil
}
