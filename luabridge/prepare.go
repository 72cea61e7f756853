package luabridge

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
	"github.com/redmoon-lua/redmoon/reply"
)

// LongText is the length in bytes from which a text takes so long to compile that other clients
// should be served meanwhile.
const LongText = 64 << 10

// CompileLimits limit the compilation of one text, and say who watches its runs. The zero value has
// no limits.
type CompileLimits struct {
	// MaxMemory is the approximate limit of memory in bytes, including the result. 0: no limit.
	MaxMemory int64
	// Stop is called every few thousand tokens. The compilation stops at its error and returns it.
	// Optional.
	Stop func() error
	// First is how the first line is read.
	First luatext.FirstLine
	// Coverage counts what runs of the text. Optional.
	Coverage *Coverage
	// Profile measures what the lines of the text cost. Optional.
	Profile *Profile
}

// options converts l to options of package luac, and adds the allocated bytes to size.
func (l CompileLimits) options(size *int64) luac.Options {
	return luac.Options{Places: l.watches(), Poll: l.Stop, Reserve: func(n int) error {
		if *size += int64(n); l.MaxMemory > 0 && *size > l.MaxMemory {
			return reply.ParseError(fmt.Sprintf("ERR Script stopped: it needs more than %d bytes of memory", l.MaxMemory))
		}
		return nil
	}}
}

// bytesPerByte is the approximate size of compiled code, in bytes per byte of text.
const bytesPerByte = 64

// CompileScript compiles a script. Any VM may run it, but only one. CompileScript may be called on
// any goroutine. The error is a *[reply.Error] with Redis's text, or the error of l.Stop.
func CompileScript(source string, l CompileLimits) (*Script, error) {
	sum := sha1.Sum([]byte(source))
	s := &Script{Source: source, SHA: hex.EncodeToString(sum[:])}
	if err := s.compile(l); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Script) compile(l CompileLimits) error {
	flags, body, err := l.First.ReadScript(s.Source)
	if err != nil {
		return err
	}
	s.Flags = flags
	if s.compiledText, err = compileText(textKey{luatext.ScriptChunk, body}, l); err != nil {
		return luatext.ScriptError(err)
	}
	l.watch(&s.code, s.Source, false, len(s.Source)-len(body))
	s.size = max(s.reserved, int64(bytesPerByte*min(len(body), LongText)))
	return nil
}

// Size returns the approximate size of the compiled script in bytes, without its source. It is 0
// after [Script.Drop].
func (s *Script) Size() int64 { return s.size }

// Drop frees the compiled code and keeps the source. The script must be compiled again before its
// next run; see [Script.Restore].
func (s *Script) Drop() {
	s.compiledText, s.fn, s.gen, s.size, s.uses = nil, nil, 0, 0, 0
}

// usedAgain is the number of uses from which a script counts as used again.
const usedAgain = 2

// Use notes that the script is about to be run.
func (s *Script) Use() {
	if s.uses < usedAgain {
		s.uses++
	}
}

// Rest reports whether the script has been used again: twice since it was compiled or, if Rest has
// been called since then, once since the last call.
func (s *Script) Rest() bool {
	again := s.uses == usedAgain
	s.uses = usedAgain - 1
	return again
}

// Dropped reports whether the script must be compiled before its next run.
func (s *Script) Dropped() bool { return s.compiledText == nil }

// Restore compiles a dropped script again.
func (s *Script) Restore(l CompileLimits) error {
	if !s.Dropped() {
		return nil
	}
	return s.compile(l)
}

// Compile compiles a library from [ParseLibrary] before [VM.LoadLibrary] runs it. It may be called
// on any goroutine. Its errors are those of [CompileScript].
func (lib *Library) Compile(l CompileLimits) error {
	if !lib.script.Dropped() {
		return nil
	}
	body := luatext.Body(lib.Source)
	c, err := compileText(textKey{luatext.LibraryChunk, body}, l)
	if err != nil {
		return luatext.LibraryError(err)
	}
	l.watch(&c.code, lib.Source, true, len(lib.Source)-len(body))
	lib.script = Script{Source: lib.Source, compiledText: c}
	return nil
}
