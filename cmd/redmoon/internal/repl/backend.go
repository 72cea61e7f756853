package repl

import (
	"context"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// Backend is where the commands of a dialogue run: a [Local] engine or a [Remote] server.
type Backend interface {
	// do runs a command in the session of the dialogue.
	do(ctx context.Context, args []string) (answer, error)
	// runScript runs a script. An error reply is a Value.
	runScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error)
	// query runs a command outside the session, which may be in MULTI.
	query(ctx context.Context, db int, args ...string) (engine.Value, error)
	// debug begins to debug a script.
	debug(ctx context.Context, s *script, o debugger.Options, db int) (target, error)
	// embedded reports whether this is a Local.
	embedded() bool
	// Name is shown at the prompt.
	Name() string
}

// Local is an engine of this process.
type Local struct {
	Engine  *engine.Engine
	Session *engine.Session // session of the dialogue
	Clock   *Clock          // clock of the engine; nil: it cannot be moved

	batch   engine.Batch
	queries *engine.Session
}

// Name implements [Backend].
func (l *Local) Name() string { return "redmoon" }

func (l *Local) embedded() bool { return true }

// do runs a script with a cancellable call. It runs other commands as a batch, which reports the
// protocol of the reply.
func (l *Local) do(ctx context.Context, args []string) (answer, error) {
	if strings.HasPrefix(strings.ToLower(args[0]), "eval") {
		v, err := l.Session.DoStrings(ctx, args...)
		if v.IsError() {
			err = nil // an error reply is not an error of the dialogue
		}
		if err != nil {
			return answer{}, err
		}
		return answer{value: v}, nil
	}
	l.batch.Commands = append(l.batch.Commands[:0], args)
	if err := l.Session.RunBatch(ctx, &l.batch); err != nil {
		return answer{}, err
	}
	return answer{l.batch.Replies[0], int(l.batch.Protos[0]), l.batch.Closed}, nil
}

func (l *Local) runScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	v, err := l.Session.RunScript(ctx, s, keys, args)
	if v.IsError() {
		err = nil
	}
	return v, err
}

func (l *Local) query(ctx context.Context, db int, args ...string) (engine.Value, error) {
	if l.queries == nil {
		var err error
		if l.queries, err = l.Engine.NewSession(); err != nil {
			return engine.Value{}, err
		}
	}
	if v, err := l.queries.DoStrings(ctx, "SELECT", strconv.Itoa(db)); err != nil {
		return v, err
	}
	return l.queries.DoStrings(ctx, args...)
}

func (l *Local) debug(ctx context.Context, s *script, o debugger.Options, _ int) (target, error) {
	t, err := debugger.StartOn(ctx, l.Session, debugger.Target{Script: s.script, Keys: s.keys, Args: s.args}, o)
	if err != nil {
		return nil, err
	}
	return session{t}, nil
}
