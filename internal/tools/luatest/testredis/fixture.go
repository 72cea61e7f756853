package testredis

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/fixture"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// fixture is fixture{key = value, ...} and fixture("file"): it makes keys.
func (w *World) fixture(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	if len(c.Args) == 0 {
		return nil, c.BadArgument(0, "a table of keys or the name of a file expected")
	}
	for i, arg := range c.Args {
		var op Op
		var err error
		switch arg.Kind() {
		case luabridge.TableKind:
			op, err = keysOp(arg)
		case luabridge.StringKind:
			op, err = w.fileOp(arg.Text())
		default:
			return nil, c.BadArgument(i, "a table of keys or the name of a file expected")
		}
		if err == nil {
			err = w.perform(op)
		}
		if err != nil {
			return nil, fmt.Errorf("fixture: %w", err)
		}
	}
	return nil, nil
}

// keysOp makes the keys of a table.
func keysOp(table luabridge.Value) (Op, error) {
	v, err := plain(table, 0)
	if err != nil {
		return nil, err
	}
	keys, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("a table with the names of keys expected, not a list")
	}
	commands, err := fixture.Keys(keys)
	if err != nil {
		return nil, err
	}
	return commandsOp(commands), nil
}

// commandsOp runs the commands of a fixture.
func commandsOp(commands [][]string) Op {
	return func(env *Env) error { return harness.Do(env.own).Run(commands) }
}

// fileOp loads a file: an RDB file, JSON, or a command on each line.
func (w *World) fileOp(name string) (Op, error) {
	path := w.path(name)
	content, err := w.readFile(path)
	if err != nil {
		return nil, err
	}
	if harness.IsRDB(name, content) {
		return func(env *Env) error { return env.loadRDB(bytes.NewReader(content), filepath.Base(name)) }, nil
	}
	commands, err := fixture.Commands(name, content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return commandsOp(commands), nil
}

// loadRDB loads an RDB file. A server gets its keys one by one.
func (env *Env) loadRDB(r io.Reader, name string) error {
	if env.remote == nil {
		if err := env.open(); err != nil {
			return err
		}
		if _, err := env.engine.LoadRDB(env.ctx, r, engine.LoadOptions{}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	scratch := newEnv(env.w, nil)
	defer scratch.close()
	if err := scratch.loadRDB(r, name); err != nil {
		return err
	}
	return harness.CopyKeys(scratch.own, env.own)
}
