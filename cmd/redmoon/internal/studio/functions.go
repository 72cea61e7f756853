package studio

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// loadSteps limits the text of a library that is loaded only to list its functions.
const loadSteps = 1_000_000

// function is a function of a library.
type function struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Flags       []string `json:"flags,omitempty"`
}

// functionsOf returns the functions that a library registers; none if script is not a library. The
// error is that of FUNCTION LOAD.
func functionsOf(ctx context.Context, o Options, script *engine.Script, server string) ([]function, error) {
	if !script.IsLibrary() {
		return nil, nil
	}
	e, err := engine.New(engine.Options{
		Server: server, ScriptSteps: min(o.Steps, loadSteps), ScriptMemory: o.Memory, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if _, err := e.DoStrings(ctx, "FUNCTION", "LOAD", script.Source()); err != nil {
		return nil, err
	}
	libraries, err := engine.Libraries(ctx, e)
	if err != nil {
		return nil, err
	}
	var list []function
	for _, lib := range libraries {
		for _, f := range lib.Functions {
			list = append(list, function(f))
		}
	}
	return list, nil
}

// target returns what a request runs: its script, or the function that it names.
func (s *Session) target(ctx context.Context, r request, keys, args []string) (t debugger.Target, err error) {
	t = debugger.Target{Script: engine.NewScript(r.Source), Keys: keys, Args: args}
	if !t.Script.IsLibrary() {
		return t, nil
	}
	t.Function = r.Call
	list, err := functionsOf(ctx, s.o, t.Script, r.Server)
	if err != nil {
		if r.Call != "" {
			return t, nil // the run shows the error, at its line
		}
		return t, err
	}
	names := make([]string, len(list))
	for i, f := range list {
		if names[i] = f.Name; strings.EqualFold(f.Name, r.Call) {
			return t, nil
		}
	}
	return t, fmt.Errorf("function: choose one of %s", strings.Join(names, ", "))
}
