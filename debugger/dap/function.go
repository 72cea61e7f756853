package dap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

var errNoLibrary = errors.New("attribute call: the script is not a library: its first line must be like #!lua name=mylib")

// checkCall returns an error unless the attribute call names a function of the script, if that is a
// library. A library that cannot be loaded passes: the debugger shows why.
func checkCall(ctx context.Context, a *arguments, script *source) error {
	if !engine.NewScript(script.text).IsLibrary() {
		if a.Call != "" {
			return errNoLibrary
		}
		return nil
	}
	e, err := engine.New(engine.Options{Server: cmp.Or(a.Server, a.Compat), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer e.Close()
	if _, err := e.DoStrings(ctx, "FUNCTION", "LOAD", script.text); err != nil && a.Call != "" {
		return nil
	}
	libraries, err := engine.Libraries(ctx, e)
	if err != nil {
		return err
	}
	var names []string
	for _, lib := range libraries {
		if _, ok := lib.Function(a.Call); ok {
			return nil
		}
		for _, f := range lib.Functions {
			names = append(names, strings.Join(append([]string{f.Name}, f.Flags...), " "))
		}
	}
	return fmt.Errorf("attribute call: %q is not a function of the library, which has: %s", a.Call, strings.Join(names, ", "))
}
