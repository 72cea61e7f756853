package assert

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// register is assert:register(kind, name, function [, positive [, negative]]). An assertion is a
// function that gets the state and the table of arguments, and returns whether it holds. positive
// and negative are the messages; each %s in them is an argument.
func (l *Library) register(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	args := l.withoutSelf(c.Args, l.tool.Globals().Get("assert"))
	if len(args) < 3 || !callable(args[2]) {
		return nil, errors.New("assert:register needs a kind, a name and a function")
	}
	name, fn := strings.ToLower(args[1].Text()), args[2]
	message := func(i int) string {
		if i < len(args) && args[i].Kind() == luabridge.StringKind {
			return args[i].Text()
		}
		return ""
	}
	switch kind := args[0].Text(); kind {
	case "assertion", "matcher":
		l.assertions[name] = assertion{run: func(s *state) (outcome, error) { return l.custom(s, name, fn, message(3), message(4)) }}
	case "modifier":
		l.modifiers[name] = modifier{arguments: func(s *state) error {
			_, err := l.tool.Call(fn, l.stateTable(s), l.counted(s.args))
			return err
		}}
	default:
		return nil, fmt.Errorf("assert:register knows the kinds assertion, matcher and modifier, not %q", kind)
	}
	return nil, nil
}

// unregister is assert:unregister(kind, name).
func (l *Library) unregister(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	args := l.withoutSelf(c.Args, l.tool.Globals().Get("assert"))
	if len(args) < 2 {
		return nil, errors.New("assert:unregister needs a kind and a name")
	}
	name := strings.ToLower(args[1].Text())
	if args[0].Text() == "modifier" {
		delete(l.modifiers, name)
	} else {
		delete(l.assertions, name)
	}
	return nil, nil
}

// stateTable returns what an assertion of a test sees of the chain.
func (l *Library) stateTable(s *state) luabridge.Value {
	v := l.tool.Table()
	v.Set("mod", l.tool.Bool(!s.not))
	v.Set("payload", s.payload)
	return v
}

// custom runs an assertion of a test.
func (l *Library) custom(s *state, name string, fn luabridge.Value, positive, negative string) (outcome, error) {
	args := l.counted(s.args)
	results, err := l.tool.Call(fn, l.stateTable(s), args)
	if err != nil {
		return outcome{}, err
	}
	return outcome{ok: len(results) > 0 && results[0].Truth(), failure: func(not bool) Failure {
		format, otherwise := positive, "assert."+name+" does not hold"
		if not {
			format, otherwise = negative, "assert."+name+" holds"
		}
		if format == "" {
			return Failure{Message: otherwise + " for " + list(s.args)}
		}
		for _, v := range args.Elements() { // the function may have changed them
			format = strings.Replace(format, "%s", luavalue.FormatShort(v), 1)
		}
		return Failure{Message: format}
	}}, nil
}

// snapshot is assert:snapshot(): it returns an object whose method revert undoes the spies and
// stubs that were made since.
func (l *Library) snapshot(*luabridge.ToolCall) ([]luabridge.Value, error) {
	mark := l.Mark()
	o := l.tool.Table()
	o.Set("revert", l.tool.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		l.Revert(mark)
		return nil, nil
	}))
	return one(o)
}
