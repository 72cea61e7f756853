package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// script is a loaded script.
type script struct {
	path, name string
	script     *engine.Script
	built      *bundle.Bundle  // the files of the script
	keys, args []string        // of the last run
	library    bool            // it is a library of functions
	functions  *engine.Library // of the library; nil: it could not be loaded
}

func scriptCommands() []command {
	return []command{
		{
			name: "load", group: groupScripts, args: "[file.lua]", where: idle,
			help: "read a script from a file; without a name, read the same file again",
			more: []string{"`:run` and `:debug` read a file that has changed again. Breakpoints stay. " +
				"A library of functions is also loaded by FUNCTION LOAD REPLACE, so that FCALL calls its functions."},
			run:      func(d *dialogue, rest string) error { return d.runner.load(rest) },
			complete: completeFiles,
		},
		{
			name: "run", group: groupScripts, args: "[key ... , arg ...]", where: idle,
			help:     "run the script",
			more:     []string{"Without keys and arguments it gets those of the last run; a separate comma alone means none."},
			run:      func(d *dialogue, rest string) error { return d.runner.runLoaded(rest) },
			complete: completeKeys,
		},
		{
			name: "debug", group: groupScripts, args: "[--sync] [key ... , arg ...]", where: idle,
			help: "run the script, or a function (`:debug fcall NAME numkeys key ... arg ...`), and stop before its first line",
			more: []string{"The script runs on a copy of the data, " +
				"which is discarded at the end. With --sync it runs on the data itself: its changes " +
				"stay, and other clients wait until it ends. With --connect it runs under the debugger of the " +
				"server, in the same two ways."},
			run:      func(d *dialogue, rest string) error { return d.player.debug(rest) },
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
			run: func(d *dialogue, rest string) error { return d.runner.lua(rest) },
		},
	}
}

// runner runs Redis commands, the loaded script and Lua code.
type runner struct {
	*common
	breakpoints *breakpoints
	data        *data
	inspector   *inspector
}

func (r *runner) load(path string) error {
	if path == "" {
		if r.scripts.loaded == nil {
			return errors.New("no script is loaded; :load file.lua loads one")
		}
		path = r.scripts.loaded.path
	}
	changed, err := r.read(path)
	if err != nil {
		return err
	}
	lines := strings.Count(strings.TrimSuffix(r.scripts.loaded.script.Source(), "\n"), "\n") + 1
	note := ""
	if !changed {
		note = ", unchanged"
	}
	r.sayf("%s: %d lines, sha1 %s%s", r.palette.name(r.scripts.loaded.name), lines, r.scripts.loaded.script.SHA(), note)
	if functions := r.scripts.loaded.functions; functions != nil {
		r.say("functions of the library " + functions.Name + ", for FCALL and :debug fcall:\n" + backend.ListFunctions(functions))
	}
	return nil
}

// read loads a file. If it does not compile, the loaded script stays.
func (r *runner) read(path string) (changed bool, err error) {
	built, err := embedded.Build(path, bundle.Options{})
	if err != nil {
		return false, err
	}
	source := built.Text
	if r.scripts.loaded != nil && r.scripts.loaded.path == path && r.scripts.loaded.script.Source() == source {
		return false, nil
	}
	name := filepath.Base(path)
	if err := r.syntax.check(source); err != nil {
		return false, withExcerpt(err.Error(), name, built)
	}
	next := &script{path: path, name: name, script: engine.NewScript(source), built: built}
	if r.scripts.loaded != nil && r.scripts.loaded.path == path {
		next.keys, next.args = r.scripts.loaded.keys, r.scripts.loaded.args
		r.breakpoints.lines[next.script.SHA()] = r.breakpoints.lines[r.scripts.loaded.script.SHA()]
	}
	r.scripts.loaded = next
	r.breakpoints.apply()
	if luabridge.IsLibrary(source) {
		next.library = true
		return true, r.loadFunctions(next)
	}
	return true, nil
}

// withExcerpt returns an error with the lines around the one of the script that it names. The
// script's own file is called name.
func withExcerpt(text, name string, built *bundle.Bundle) error {
	if line, ok := excerpt.Line(text); ok && line <= built.Lines() {
		at := built.Line(line)
		if at.File != built.Files[0] {
			name = at.File
		}
		if around := excerpt.Of(name, built.Source(at.File), at.Line); around != "" {
			return fmt.Errorf("%s\n%s", text, strings.TrimSuffix(around, "\n"))
		}
	}
	return errors.New(text)
}

// prepare reads the file again if it has changed, and sets the keys and arguments.
func (r *runner) prepare(words []string) error {
	if r.scripts.loaded == nil {
		return errors.New("no script is loaded; :load file.lua loads one")
	}
	changed, err := r.read(r.scripts.loaded.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if changed {
		r.sayf("(%s has changed and was read again)", r.scripts.loaded.name)
	}
	if len(words) > 0 {
		r.scripts.loaded.keys, r.scripts.loaded.args = SplitKeys(words)
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

func (r *runner) runLoaded(rest string) error {
	words, err := display.Split(rest)
	if err != nil {
		return err
	}
	if err := r.prepare(words); err != nil {
		return err
	}
	if r.scripts.loaded.library {
		return r.scripts.loaded.notAScript("FCALL NAME numkeys key ... arg ... calls one of its functions")
	}
	return r.runScript(r.scripts.loaded.script, r.scripts.loaded.name, r.scripts.loaded.keys, r.scripts.loaded.args)
}

// runScript runs a script to its end and shows its reply.
func (r *runner) runScript(s *engine.Script, name string, keys, args []string) error {
	r.data.snapshotBefore()
	var a backend.Answer
	_, err := r.interruptible(func(ctx context.Context) error {
		var err error
		a, err = r.backend.RunScript(ctx, s, keys, args)
		return err
	})
	if err != nil {
		return ignoreStop(err)
	}
	if a.Value.IsError() {
		built := r.scripts.builtOf(s)
		if built == nil {
			built = bundle.Whole(name, s.Source())
		}
		if err := withExcerpt(a.Value.Text(), name, built); strings.Contains(err.Error(), "\n") {
			if a.Left != nil {
				err = errors.New(err.Error() + "\n" + strings.TrimSuffix(display.Writes(a.Left), "\n"))
			}
			return err
		}
	}
	if err := r.show([]string{"eval"}, display.Shape(a.Value, r.proto)); err != nil {
		return err
	}
	r.showLeft(a.Left)
	return nil
}

// lua runs Lua code.
func (r *runner) lua(code string) error {
	code = strings.TrimSpace(code)
	if code == "" {
		return usage("lua")
	}
	if r.scripts.current != nil {
		return r.inspector.evaluate(code)
	}
	chunk, err := r.syntax.chunk(code)
	if err != nil {
		return withExcerpt(err.Error(), "lua", bundle.Whole("lua", code))
	}
	return r.runScript(engine.NewScript(chunk), "lua", nil, nil)
}
