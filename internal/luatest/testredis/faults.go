package testredis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// fault makes commands fail that would run otherwise.
type fault struct {
	command string // in any case; "": all
	key     string // a pattern as of KEYS; "": any
	scripts bool   // only what scripts call
	text    string // the error reply
	after   int    // how many run before one fails
	times   int    // how many fail; negative: all
}

// hit returns the error of the first fault that concerns a command, or nil.
func (env *Env) hit(c engine.ProbedCommand) *engine.Error {
	for _, f := range env.faults {
		if f.times == 0 || !f.concerns(c) {
			continue
		}
		if f.after > 0 {
			f.after--
			continue
		}
		if f.times > 0 {
			f.times--
		}
		return reply.ParseError(f.text)
	}
	return nil
}

func (f *fault) concerns(c engine.ProbedCommand) bool {
	if f.command != "" && !strings.EqualFold(f.command, c.Args[0]) || f.scripts && !c.Script {
		return false
	}
	return f.key == "" || slices.ContainsFunc(c.Keys(), func(key string) bool { return engine.MatchGlob(f.key, key) })
}

// injected is the error of a fault without a text.
const injected = "ERR injected fault"

// failNext is fail_next(command [, error [, times]]), or the same with a table of names: command,
// key, error, after, times and in_scripts.
func (w *World) failNext(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	f := fault{text: injected, times: 1}
	if table := c.Arg(0); table.Kind() == luabridge.TableKind {
		if err := f.read(table); err != nil {
			return nil, err
		}
	} else {
		if table.Kind() != luabridge.StringKind {
			return nil, c.BadArgument(0, "the name of a command or a table expected")
		}
		f.command = table.Text()
		if text := c.Arg(1); text.Kind() == luabridge.StringKind {
			f.text = text.Text()
		} else if text.Kind() != luabridge.NilKind {
			return nil, c.BadArgument(1, "the text of an error expected")
		}
		if times := c.Arg(2); times.Kind() == luabridge.NumberKind {
			f.times = int(times.Number())
		} else if times.Kind() != luabridge.NilKind {
			return nil, c.BadArgument(2, "a number expected")
		}
	}
	if f.text == "" || strings.ContainsAny(f.text, "\r\n") {
		return nil, errors.New("the error of fail_next must be one line")
	}
	return nil, w.perform(func(env *Env) error {
		env.use("fail_next")
		env.mu.Lock()
		defer env.mu.Unlock()
		again := f
		env.faults = append(env.faults, &again)
		return nil
	})
}

// read reads the fields of a table.
func (f *fault) read(table luabridge.Value) error {
	for _, field := range table.Fields() {
		name, v := field.Key.Text(), field.Value
		var ok bool
		switch name {
		case "command":
			f.command, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "key":
			f.key, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "error":
			f.text, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "after":
			f.after, ok = int(v.Number()), v.Kind() == luabridge.NumberKind
		case "times":
			f.times, ok = int(v.Number()), v.Kind() == luabridge.NumberKind
		case "in_scripts":
			f.scripts, ok = v.Bool(), v.Kind() == luabridge.BooleanKind
		default:
			return fmt.Errorf("fail_next knows the fields command, key, error, after, times and in_scripts, not %q", name)
		}
		if !ok {
			return fmt.Errorf("the field %s of fail_next has the wrong type: %s", name, v.Kind())
		}
	}
	return nil
}
