package testredis

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// stub answers a command in place of the engine.
type stub struct {
	name   string
	answer func(args []luabridge.Value) (luabridge.Value, error)
}

// ask is a question of the probe, on the engine's goroutine, to the goroutine of the test, which
// runs the code of stubs.
type ask struct {
	stub  *stub
	args  []string
	reply chan reply.Value
}

// ask asks the goroutine of the test for the reply of a command. It is called on the goroutine of
// the engine.
func (env *Env) ask(s *stub, args []string) reply.Value {
	q := ask{s, args, make(chan reply.Value, 1)}
	select {
	case env.asks <- q:
		return <-q.reply
	case <-env.ctx.Done():
		return reply.Err("ERR the test has ended")
	}
}

// doWithStubs runs a command and meanwhile answers the questions of the probe.
func (env *Env) doWithStubs(args []string) (v reply.Value, err error) {
	type result struct {
		v   reply.Value
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := env.sess.DoStrings(env.ctx, args...)
		done <- result{v, err}
	}()
	env.problem = nil
	for {
		select {
		case q := <-env.asks:
			env.serve(q)
		case r := <-done:
			v, err := env.replied(r.v, r.err)
			if env.problem != nil {
				err = env.problem
			}
			return v, err
		}
	}
}

// serve runs the code of a stub. If that does not return, because the test must end, the engine
// gets an error reply.
func (env *Env) serve(q ask) {
	answer := reply.Err("ERR the stub was stopped")
	env.inStub = true
	defer func() {
		env.inStub = false
		q.reply <- answer
	}()
	t := env.w.tool
	args := make([]luabridge.Value, len(q.args)-1)
	for i, arg := range q.args[1:] {
		args[i] = t.String(arg)
	}
	v, err := q.stub.answer(args)
	if err != nil {
		if env.problem == nil {
			env.problem = err
		}
		answer = reply.Errorf("ERR the stub of %s failed", strings.ToUpper(q.stub.name))
		return
	}
	answer = t.ToReply(v)
}

// commands makes spies and stubs of commands.
type commands struct{ w *World }

// Commands returns what the assertions need to spy on commands.
func (w *World) Commands() assert.Commands { return commands{w} }

// present returns the Env of the running test for a spy or stub.
func (c commands) present(what, name string) (*Env, error) {
	env, err := c.w.current()
	if err != nil || c.w.record != nil {
		return nil, fmt.Errorf("a %s of a command lasts for one test: make it in the test or in before_each", what)
	}
	if name == "" || strings.ContainsAny(name, " \t\r\n") {
		return nil, fmt.Errorf("%q is not the name of a command", name)
	}
	if _, ok := engine.DescribeCommand(name); !ok {
		return nil, fmt.Errorf("there is no command %q", name)
	}
	env.use(what + " of a command")
	return env, nil
}

// Spy implements [assert.Commands].
func (c commands) Spy(name string) (calls func() []assert.CommandCall, end func(), err error) {
	env, err := c.present("spy", name)
	if err != nil {
		return nil, nil, err
	}
	from, over := env.seen.Mark(), false
	calls = func() (list []assert.CommandCall) {
		if over {
			return nil
		}
		for _, command := range env.seen.Since(from) {
			if strings.EqualFold(command.Args[0], name) {
				list = append(list, c.call(command))
			}
		}
		from = env.seen.Mark()
		return list
	}
	return calls, func() { over = true }, nil
}

// call returns a call as a spy shows it.
func (c commands) call(command harness.Call) assert.CommandCall {
	args := make([]luabridge.Value, len(command.Args)-1)
	for i, arg := range command.Args[1:] {
		args[i] = c.w.tool.String(arg)
	}
	return assert.CommandCall{Args: args, Reply: c.w.fromReply(command.Reply, nil)}
}

// Stub implements [assert.Commands].
func (c commands) Stub(name string, answer func(args []luabridge.Value) (luabridge.Value, error)) (end func(), err error) {
	env, err := c.present("stub", name)
	if err != nil {
		return nil, err
	}
	if env.inStub {
		return nil, errors.New("a stub cannot make stubs")
	}
	name = strings.ToLower(name)
	s := &stub{name: name, answer: answer}
	put := func(s *stub) {
		env.mu.Lock()
		defer env.mu.Unlock()
		if s == nil {
			delete(env.stubs, name)
		} else {
			env.stubs[name] = s
		}
	}
	env.mu.Lock()
	before := env.stubs[name]
	env.mu.Unlock()
	put(s)
	return func() { put(before) }, nil
}
