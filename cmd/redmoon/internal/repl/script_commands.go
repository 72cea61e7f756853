package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
)

// script is a loaded script.
type script struct {
	path, name string
	script     *engine.Script
	keys, args []string // of the last run
}

func scriptCommands() []command {
	return []command{
		{
			name: "load", group: groupScripts, args: "[file.lua]", where: idle,
			help:     "read a script from a file; without a name, read the same file again",
			more:     []string{"`:run` and `:debug` read a file that has changed again. Breakpoints stay."},
			run:      (*dialogue).load,
			complete: completeFiles,
		},
		{
			name: "run", group: groupScripts, args: "[key ... , arg ...]", where: idle,
			help:     "run the script",
			more:     []string{"Without keys and arguments it gets those of the last run; a separate comma alone means none."},
			run:      (*dialogue).runLoaded,
			complete: completeKeys,
		},
		{
			name: "debug", group: groupScripts, args: "[--sync] [key ... , arg ...]", where: idle,
			help: "run the script and stop before its first line",
			more: []string{"The script runs on a copy of the data, " +
				"which is discarded at the end. With --sync it runs on the data itself: its changes " +
				"stay, and other clients wait until it ends. With --connect it runs under the debugger of the " +
				"server, in the same two ways."},
			run:      (*dialogue).debug,
			complete: completeKeys,
		},
		{
			name: "lua", group: groupScripts, args: "[CODE]",
			help: "run Lua; `= CODE` is the same",
			more: []string{"The value of an expression is returned. The prompt reads further lines until the " +
				"code is complete; an empty line always " +
				"ends it. After `:lua` alone any number of lines may follow, up to an empty one. The code runs as a script: it can use " +
				"`redis.call`, and its result is shown as a reply. At a stop the code runs inside the stopped " +
				"function, can use and change " +
				"its locals, and its result is shown as Lua."},
			run: (*dialogue).lua,
		},
	}
}

func (d *dialogue) load(path string) error {
	if path == "" {
		if d.script == nil {
			return errors.New("no script is loaded; :load file.lua loads one")
		}
		path = d.script.path
	}
	changed, err := d.read(path)
	if err != nil {
		return err
	}
	lines := strings.Count(strings.TrimSuffix(d.script.script.Source(), "\n"), "\n") + 1
	note := ""
	if !changed {
		note = ", unchanged"
	}
	d.sayf("%s: %d lines, sha1 %s%s", d.palette.name(d.script.name), lines, d.script.script.SHA(), note)
	return nil
}

// read loads a file. If it does not compile, the loaded script stays.
func (d *dialogue) read(path string) (changed bool, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	source := string(b)
	if d.script != nil && d.script.path == path && d.script.script.Source() == source {
		return false, nil
	}
	name := filepath.Base(path)
	if err := d.syntax.check(source); err != nil {
		return false, withExcerpt(err.Error(), name, source)
	}
	next := &script{path: path, name: name, script: engine.NewScript(source)}
	if d.script != nil && d.script.path == path {
		next.keys, next.args = d.script.keys, d.script.args
		d.breakpoints[next.script.SHA()] = d.breakpoints[d.script.script.SHA()]
	}
	d.script = next
	d.applyBreakpoints()
	return true, nil
}

// withExcerpt returns an error with the lines of the script around the one that it names.
func withExcerpt(text, name, source string) error {
	if line, ok := display.ErrorLine(text); ok {
		if around := display.Excerpt(name, source, line); around != "" {
			return fmt.Errorf("%s\n%s", text, strings.TrimSuffix(around, "\n"))
		}
	}
	return errors.New(text)
}

// prepare reads the file again if it has changed, and sets the keys and arguments.
func (d *dialogue) prepare(words []string) error {
	if d.script == nil {
		return errors.New("no script is loaded; :load file.lua loads one")
	}
	changed, err := d.read(d.script.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if changed {
		d.sayf("(%s has changed and was read again)", d.script.name)
	}
	if len(words) > 0 {
		d.script.keys, d.script.args = SplitKeys(words)
	}
	return nil
}

// SplitKeys splits words into keys and arguments at the first separate comma.
func SplitKeys(words []string) (keys, args []string) {
	for i, w := range words {
		if w == "," {
			return words[:i:i], words[i+1:]
		}
	}
	return words, nil
}

func (d *dialogue) runLoaded(rest string) error {
	words, err := display.Split(rest)
	if err != nil {
		return err
	}
	if err := d.prepare(words); err != nil {
		return err
	}
	return d.runScript(d.script.script, d.script.name, d.script.keys, d.script.args)
}

// runScript runs a script to its end and shows its reply.
func (d *dialogue) runScript(s *engine.Script, name string, keys, args []string) error {
	d.snapshotBefore()
	var v engine.Value
	_, err := d.interruptible(func(ctx context.Context) error {
		var err error
		v, err = d.backend.RunScript(ctx, s, keys, args)
		return err
	})
	if err != nil {
		return ignoreStop(err)
	}
	if v.IsError() {
		if err := withExcerpt(v.Text(), name, s.Source()); strings.Contains(err.Error(), "\n") {
			return err
		}
	}
	return d.show([]string{"eval"}, display.Shape(v, d.proto))
}

// lua runs Lua code.
func (d *dialogue) lua(code string) error {
	code = strings.TrimSpace(code)
	if code == "" {
		return d.usage("lua")
	}
	if d.stop != nil {
		return d.evaluate(code)
	}
	chunk, err := d.syntax.chunk(code)
	if err != nil {
		return withExcerpt(err.Error(), "lua", code)
	}
	return d.runScript(engine.NewScript(chunk), "lua", nil, nil)
}
