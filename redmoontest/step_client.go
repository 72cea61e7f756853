package redmoontest

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// StepClient is the connection of a client of a [Play] to the engine of the running order. Each
// call is a step. It is an [engine.Client], so the code under test may take it, and a TestingT of
// testify: require.NoError(c, err) reports the order of the steps that led there.
//
// Only the goroutine of the client may use it. After the order has ended, or the client has
// crashed, its goroutine ends at its next call; deferred calls return an error.
type StepClient struct {
	c    *play.Client
	name string
	x    *exploration
}

var _ engine.Client = (*StepClient)(nil)

// Name returns the name of the client.
func (c *StepClient) Name() string { return c.name }

// Do runs a command. Arguments, reply and errors are those of [engine.Engine.Do]. Between MULTI and
// EXEC it is not a step: all of them are one step together.
func (c *StepClient) Do(ctx context.Context, args ...any) (engine.Value, error) {
	return c.c.Do(ctx, args...)
}

// DoStrings is Do for arguments that are strings already.
func (c *StepClient) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	return c.c.DoStrings(ctx, args...)
}

// Eval runs the text of a script; see [engine.Engine.Eval].
func (c *StepClient) Eval(ctx context.Context, script string, keys []string, args ...any) (engine.Value, error) {
	return c.c.Eval(ctx, script, keys, args...)
}

// EvalSHA runs a cached script by its SHA1; see [engine.Engine.EvalSHA].
func (c *StepClient) EvalSHA(ctx context.Context, sha1 string, keys []string, args ...any) (engine.Value, error) {
	return c.c.EvalSHA(ctx, sha1, keys, args...)
}

// RunScript implements [engine.Runner].
func (c *StepClient) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	return c.c.RunScript(ctx, s, keys, args)
}

// MustDo is Do with an error that breaks the order and ends the client.
func (c *StepClient) MustDo(args ...any) engine.Value {
	return c.must(c.Do(context.Background(), args...))
}

// MustEval is Eval with an error that breaks the order and ends the client.
func (c *StepClient) MustEval(script string, keys []string, args ...any) engine.Value {
	return c.must(c.Eval(context.Background(), script, keys, args...))
}

// MustRun runs a script; an error breaks the order and ends the client.
func (c *StepClient) MustRun(s *engine.Script, keys []string, args ...any) engine.Value {
	return c.must(s.Run(context.Background(), c, keys, args...))
}

func (c *StepClient) must(v engine.Value, err error) engine.Value {
	if err != nil {
		c.Errorf("%v", err)
		c.FailNow()
	}
	return v
}

// Sleep makes the client wait until the clock has moved by d. If all clients wait, the clock moves
// to the first that goes on.
func (c *StepClient) Sleep(d time.Duration) { _ = c.c.Sleep(d) }

// Now is the time on the clock of the engine.
func (c *StepClient) Now() time.Time { return c.c.Clock().Now() }

// Clock returns the clock of the engine, for code that takes one. Only the play moves it. Code that
// waits by AfterFunc, on goroutines of its own, is not followed: use Sleep.
func (c *StepClient) Clock() engine.Clock { return c.c.Clock() }

// Note keeps a value under a name: for Check, for Serializable, and for the report of a failure.
func (c *StepClient) Note(name string, value any) { c.c.Note(name, value) }

// Errorf breaks the order. The client goes on.
func (c *StepClient) Errorf(format string, args ...any) {
	c.c.Fail(fmt.Errorf("%s: %s", c.name, fmt.Sprintf(format, args...)))
}

// FailNow breaks the order and ends the client.
func (c *StepClient) FailNow() {
	c.Errorf("failed")
	runtime.Goexit()
}

// Helper does nothing. It is there for testify.
func (c *StepClient) Helper() {}

// Atomic runs f as one step of that name; within another Atomic, as a part of that step. It is for
// other clients of the engine, such as go-redis (package goredistest has one): all that f sends to
// [StepClient.Engine] belongs to the step. A command that waits must be the last one. It returns an
// error, and does not call f, if the order has ended.
func (c *StepClient) Atomic(name string, f func()) error { return c.c.Atomic(name, f) }

// Engine returns the engine of the running order, for functions of Atomic. Commands that are sent
// to it outside of a step end the test.
func (c *StepClient) Engine() *Engine { return c.x.e }

// Cleanup calls f when the client has ended or crashed, to close connections to the engine.
func (c *StepClient) Cleanup(f func()) { c.c.OnEnd(f) }
