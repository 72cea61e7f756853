package repl

import (
	"context"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// run runs a Redis command and shows its reply. more is false if it was interrupted.
func (r *runner) run(args []string) (more bool, err error) {
	if r.scripts.current != nil {
		v, err := r.scripts.current.target.Do(args...)
		if err != nil {
			return false, err
		}
		if v.Kind() != engine.KindVerbatim { // a verbatim string is output of a server's debugger
			v = display.Shape(v, r.proto)
		}
		return true, r.show(args, v)
	}
	var a backend.Answer
	done, err := r.interruptible(func(ctx context.Context) error {
		var err error
		a, err = r.backend.Do(ctx, args)
		return err
	})
	if err != nil {
		return false, ignoreStop(err)
	}
	if a.Proto != 0 {
		r.proto = a.Proto
	}
	v := display.Shape(a.Value, r.proto)
	r.state.note(args, v)
	if err := r.show(args, v); err != nil {
		return false, err
	}
	r.showLeft(a.Left)
	if a.Closed {
		return false, errQuit
	}
	return done, nil
}
