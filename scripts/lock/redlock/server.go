package redlock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/redmoon-lua/redmoon/engine"
)

// server is one server of a lock, for all leases.
type server struct {
	c       engine.Client
	scripts *sync.Map // *redis.Script to *engine.Script
	// deletes is the command that deletes a string if it is equal to a value, "" if the server has
	// none, nil if it was not asked yet.
	deletes atomic.Pointer[string]
}

// errNoCommand says that a script has to do it.
var errNoCommand = errors.New("the server has no command for it")

// replacement is a command that does what a script of redsync does.
type replacement struct {
	command func(deletes string, keysAndArgs []string) []string
	result  func(engine.Value) any // the result of the script
}

// replaced has the scripts of redsync that are one command in Redis 8.4, Valkey 9.0 and later, by
// their SHA1. The first deletes a key, the second lets it live longer, both only if its value is
// that of the lease.
var replaced = map[string]replacement{
	"e950836ed1e694540c503ef9972b8de518044d3b": {
		func(deletes string, args []string) []string {
			if deletes == "DELEX" {
				return []string{deletes, args[0], "IFEQ", args[1]}
			}
			return []string{deletes, args[0], args[1]}
		},
		func(v engine.Value) any { n, _ := v.Int(); return n },
	},
	"d75bb8b5bd13532ddedd17762e772346e39b321e": {
		func(_ string, args []string) []string {
			return []string{"SET", args[0], args[1], "IFEQ", args[1], "PX", args[2]}
		},
		func(v engine.Value) any {
			if v.IsNil() {
				return int64(0)
			}
			return int64(1)
		},
	},
}

// run runs the command of r, or returns errNoCommand. A command that the server refuses has changed
// nothing, and is not tried again.
func (s *server) run(ctx context.Context, r replacement, keysAndArgs []any) (any, error) {
	deletes, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	if deletes == "" {
		return nil, errNoCommand
	}
	args := make([]string, len(keysAndArgs))
	for i, a := range keysAndArgs {
		args[i] = fmt.Sprint(a)
	}
	v, err := s.c.DoStrings(ctx, r.command(deletes, args)...)
	if refused := new(engine.Error); errors.As(err, &refused) {
		s.deletes.Store(new(string))
		return nil, errNoCommand
	}
	if err != nil {
		return nil, err
	}
	return r.result(v), nil
}

// ask returns the command that deletes a string if it is equal to a value, or "". A server that has
// one also has SET with IFEQ.
func (s *server) ask(ctx context.Context) (string, error) {
	if known := s.deletes.Load(); known != nil {
		return *known, nil
	}
	names := []string{"DELEX", "DELIFEQ"}
	v, err := s.c.DoStrings(ctx, append([]string{"COMMAND", "INFO"}, names...)...)
	if refused := new(engine.Error); err != nil && !errors.As(err, &refused) {
		return "", err
	}
	found := new(string)
	for i, row := range v.Slice() {
		if !row.IsNil() && i < len(names) {
			*found = names[i]
		}
	}
	s.deletes.Store(found)
	return *found, nil
}
