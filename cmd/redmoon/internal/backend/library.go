package backend

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// doer runs the commands of a backend. It implements [engine.Doer].
type doer struct{ Backend }

func (d doer) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	a, err := d.Do(ctx, args)
	if err == nil && a.Value.IsError() {
		err = a.Value.Err()
	}
	return a.Value, err
}

// Libraries returns the libraries of functions of b.
func Libraries(ctx context.Context, b Backend) ([]engine.Library, error) {
	return engine.Libraries(ctx, doer{b})
}

// LoadLibrary loads the text of a library, in place of one with the same name. If the reply of
// FUNCTION LOAD is an error, lib is nil and the answer has it.
func LoadLibrary(ctx context.Context, b Backend, text string) (lib *engine.Library, a Answer, err error) {
	if a, err = b.Do(ctx, []string{"FUNCTION", "LOAD", "REPLACE", text}); err != nil || a.Value.IsError() {
		return nil, a, err
	}
	list, err := Libraries(ctx, b)
	for i := range list {
		if list[i].Name == a.Value.Text() {
			return &list[i], a, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("the library %s is not there after FUNCTION LOAD", a.Value.Text())
	}
	return nil, a, err
}

// FunctionCall returns the command that calls a function.
func FunctionCall(name string, keys, args []string) []string {
	words := append([]string{"FCALL", name, strconv.Itoa(len(keys))}, keys...)
	return append(words, args...)
}

// Choose returns an error that lists the functions of the library in file, unless name is one of
// them. hint says how a function is chosen.
func Choose(lib *engine.Library, file, name, hint string) error {
	if _, ok := lib.Function(name); ok {
		return nil
	}
	problem := fmt.Sprintf("%s has no function %s; %s", file, name, hint)
	if name == "" {
		problem = fmt.Sprintf("%s is a library of functions; %s", file, hint)
	}
	return fmt.Errorf("%s\n%s", problem, ListFunctions(lib))
}

// ListFunctions describes the functions of a library, one on each line.
func ListFunctions(lib *engine.Library) string {
	lines := make([]string, len(lib.Functions))
	for i, f := range lib.Functions {
		lines[i] = "  " + f.Name
		if len(f.Flags) > 0 {
			lines[i] += " (" + strings.Join(f.Flags, ", ") + ")"
		}
		if f.Description != "" {
			lines[i] += ": " + f.Description
		}
	}
	return strings.Join(lines, "\n")
}
