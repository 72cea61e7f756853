package main

import (
	"fmt"
	"log/slog"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// callFlag is the flag of the commands that run scripts or functions of a library.
type callFlag struct {
	Call string `placeholder:"NAME" help:"Call this function of the library in the file."`
}

// chooseHint ends the error about a function that does not exist.
const chooseHint = "--call NAME calls one of:"

// library reports whether the text of a file is a library of functions. If it is not, c must not
// name a function.
func (c *callFlag) library(file, text string) (is bool, err error) {
	if is = luatext.IsLibrary(text); !is && c.Call != "" {
		err = fmt.Errorf("--call: %s is not a library: its first line must be like #!lua name=mylib", file)
	}
	return is, err
}

// check returns an error that lists the functions of a library, unless c names one of them. A
// library that cannot be loaded passes: whoever loads it next says why.
func (c *callFlag) check(std *streams, script *bundle.Bundle, server string) error {
	e, err := engine.New(engine.Options{Server: server, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer e.Close()
	sess, err := e.NewSession()
	if err != nil {
		return err
	}
	lib, _, err := backend.LoadLibrary(std.interruptible, &backend.Local{Engine: e, Session: sess}, script.Text)
	if lib == nil {
		return err
	}
	return backend.Choose(lib, script.Files[0], c.Call, chooseHint)
}
