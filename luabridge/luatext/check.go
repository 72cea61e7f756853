package luatext

import (
	"errors"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/reply"
)

// Names in error positions of every script, and of every library.
const (
	ScriptChunk  = "user_script"
	LibraryChunk = "user_function"
)

// Check compiles a script, or a library if the first line names one, as Redis does, and drops the
// result. The error is a *[reply.Error] with Redis's text.
func Check(source string) error {
	if IsLibrary(source) {
		_, body, err := ReadLibrary(source)
		if err != nil {
			return err
		}
		_, err = luac.Compile(body, LibraryChunk, luac.Options{})
		return LibraryError(err)
	}
	_, body, err := ReadScript(source)
	if err != nil {
		return err
	}
	_, err = luac.Compile(body, ScriptChunk, luac.Options{})
	return ScriptError(err)
}

// ScriptError returns the error reply for an error of the compiler in a script. It returns nil and
// errors that are replies already as they are.
func ScriptError(err error) error {
	return compileError("ERR Error compiling script (new function): ", err)
}

// LibraryError is [ScriptError] for libraries.
func LibraryError(err error) error { return compileError("ERR Error compiling function: ", err) }

func compileError(prefix string, err error) error {
	var stopped *reply.Error
	if err == nil || errors.As(err, &stopped) {
		return err
	}
	return reply.ParseError(prefix + err.Error())
}
