package testredis

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// failNext is fail_next(command [, error [, times]]), or the same with a table of names: command,
// key, error, after, times and in_scripts.
func (w *World) failNext(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	f := harness.Fault{Error: harness.Injected, Times: 1}
	if table := c.Arg(0); table.Kind() == luabridge.TableKind {
		if err := readFault(&f, table); err != nil {
			return nil, err
		}
	} else {
		if table.Kind() != luabridge.StringKind {
			return nil, c.BadArgument(0, "the name of a command or a table expected")
		}
		f.Command = table.Text()
		if text := c.Arg(1); text.Kind() == luabridge.StringKind {
			f.Error = text.Text()
		} else if text.Kind() != luabridge.NilKind {
			return nil, c.BadArgument(1, "the text of an error expected")
		}
		if times := c.Arg(2); times.Kind() == luabridge.NumberKind {
			f.Times = int(times.Number())
		} else if times.Kind() != luabridge.NilKind {
			return nil, c.BadArgument(2, "a number expected")
		}
	}
	if f.Error == "" || f.Check() != nil {
		return nil, errors.New("the error of fail_next must be one line")
	}
	return nil, w.perform(func(env *Env) error {
		env.use("fail_next")
		if f.Times != 0 { // 0 does not mean the default here
			env.seen.Inject(f)
		}
		return nil
	})
}

// readFault reads the fields of a table.
func readFault(f *harness.Fault, table luabridge.Value) error {
	for _, field := range table.Fields() {
		name, v := field.Key.Text(), field.Value
		var ok bool
		switch name {
		case "command":
			f.Command, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "key":
			f.Key, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "error":
			f.Error, ok = v.Text(), v.Kind() == luabridge.StringKind
		case "after":
			f.After, ok = int(v.Number()), v.Kind() == luabridge.NumberKind
		case "times":
			f.Times, ok = int(v.Number()), v.Kind() == luabridge.NumberKind
		case "in_scripts":
			f.InScripts, ok = v.Bool(), v.Kind() == luabridge.BooleanKind
		default:
			return fmt.Errorf("fail_next knows the fields command, key, error, after, times and in_scripts, not %q", name)
		}
		if !ok {
			return fmt.Errorf("the field %s of fail_next has the wrong type: %s", name, v.Kind())
		}
	}
	return nil
}
