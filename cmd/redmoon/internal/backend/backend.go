package backend

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// Backend is where the commands of a dialogue run: a [Local] engine or a [Remote] server.
type Backend interface {
	// Do runs a command in the session of the dialogue.
	Do(ctx context.Context, args []string) (Answer, error)
	// RunScript runs a script. An error reply is a Value.
	RunScript(ctx context.Context, s *engine.Script, keys, args []string) (Answer, error)
	// Query runs a command outside the session, which may be in MULTI.
	Query(ctx context.Context, db int, args ...string) (engine.Value, error)
	// Debug begins to debug a script.
	Debug(ctx context.Context, s debugger.Target, o debugger.Options, db int) (Target, error)
	// Embedded reports whether this is a Local.
	Embedded() bool
	// Name is shown at the prompt.
	Name() string
}

// Answer is the result of a command.
type Answer struct {
	Value  engine.Value
	Proto  int  // protocol of the session after the command; 0: unchanged
	Closed bool // the session has ended
	// Left is what a script has written before it failed; nil if nothing remains or it is not known.
	Left *engine.ScriptError
}

// RunsScript reports whether a command runs Lua.
func RunsScript(args []string) bool {
	name := strings.ToLower(args[0])
	return strings.HasPrefix(name, "eval") || strings.HasPrefix(name, "fcall")
}

// Local is an engine of this process.
type Local struct {
	Engine  *engine.Engine
	Session *engine.Session // session of the dialogue
	Clock   *Clock          // clock of the engine; nil: it cannot be moved

	batch   enginedoor.Batch
	queries *engine.Session
}

// Name implements [Backend].
func (l *Local) Name() string { return "redmoon" }

func (l *Local) Embedded() bool { return true }

// Do runs a script with a cancellable call. It runs other commands as a batch, which reports the
// protocol of the reply.
func (l *Local) Do(ctx context.Context, args []string) (Answer, error) {
	if RunsScript(args) {
		return scriptAnswer(l.Session.DoStrings(ctx, args...))
	}
	l.batch.Commands = append(l.batch.Commands[:0], args)
	if err := enginedoor.Of(l.Session).RunBatch(ctx, &l.batch); err != nil {
		return Answer{}, err
	}
	return Answer{Value: l.batch.Replies[0], Proto: int(l.batch.Protos[0]), Closed: l.batch.Closed}, nil
}

func (l *Local) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (Answer, error) {
	return scriptAnswer(l.Session.RunScript(ctx, s, keys, args))
}

// scriptAnswer returns the answer of a script. An error reply is not an error of the dialogue.
func scriptAnswer(v engine.Value, err error) (a Answer, _ error) {
	if !v.IsError() {
		return Answer{Value: v}, err
	}
	errors.As(err, &a.Left)
	a.Value = v
	return a, nil
}

func (l *Local) Query(ctx context.Context, db int, args ...string) (engine.Value, error) {
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

func (l *Local) Debug(ctx context.Context, s debugger.Target, o debugger.Options, _ int) (Target, error) {
	t, err := debugger.StartOn(ctx, l.Session, s, o)
	if err != nil {
		return nil, err
	}
	return session{t}, nil
}
