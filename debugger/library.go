package debugger

import (
	"context"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

// libraryOf returns the text of the library that has a function.
func libraryOf(ctx context.Context, on engine.Doer, function string) (*engine.Script, error) {
	libraries, err := engine.Libraries(ctx, on)
	if err != nil {
		return nil, err
	}
	for _, lib := range libraries {
		if _, ok := lib.Function(function); ok {
			return engine.NewScript(lib.Code), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrNoFunction, function)
}
