package repl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

// loadFunctions loads a library that was read from a file. An error of its text is shown; the text
// stays, so that it can be debugged.
func (r *runner) loadFunctions(s *script) error {
	var lib *engine.Library
	var a backend.Answer
	r.breakpoints.wanted.setLoading(s.script.SHA())
	defer r.breakpoints.wanted.setLoading("")
	_, err := r.interruptible(func(ctx context.Context) error {
		var err error
		lib, a, err = backend.LoadLibrary(ctx, r.backend, s.script.Source())
		return err
	})
	if err != nil {
		return ignoreStop(err)
	}
	if s.functions = lib; lib == nil {
		r.say(r.palette.lines(r.palette.bad, withExcerpt(a.Value.Text(), s.name, s.built).Error()))
	}
	return nil
}

// notAScript is the error of a command for scripts if a library is loaded.
func (s *script) notAScript(hint string) error {
	text := s.name + " is a library of functions; " + hint
	if s.functions != nil {
		text += "\n" + backend.ListFunctions(s.functions)
	}
	return errors.New(text)
}

// isFunctionCall reports whether the words of :debug call a function.
func isFunctionCall(words []string) bool {
	return len(words) > 0 && (strings.EqualFold(words[0], "fcall") || strings.EqualFold(words[0], "fcall_ro"))
}

// functionTarget returns the function that the words of :debug call, and the text and the name of
// its library. The loaded file comes before the libraries of the engine.
func (p *player) functionTarget(words []string) (t debugger.Target, library *script, err error) {
	if !p.backend.Embedded() {
		return t, nil, errors.New("a Redis server has no debugger for functions; without --connect they can be debugged")
	}
	if len(words) < 3 {
		return t, nil, errors.New("usage: :debug " + strings.ToLower(words[0]) + " NAME numkeys key ... arg ...")
	}
	n, err := strconv.Atoi(words[2])
	if err != nil || n < 0 || n > len(words)-3 {
		return t, nil, fmt.Errorf("numkeys: %s is not the number of keys that follow", words[2])
	}
	t = debugger.Target{Function: words[1], ReadOnly: strings.EqualFold(words[0], "fcall_ro"), Keys: words[3 : 3+n], Args: words[3+n:]}
	if loaded := p.scripts.loaded; loaded != nil && loaded.library {
		if err := p.runner.prepare(nil); err != nil {
			return t, nil, err
		}
		loaded = p.scripts.loaded
		if loaded.functions == nil {
			t.Script = loaded.script
			return t, loaded, nil
		}
		if _, ok := loaded.functions.Function(t.Function); ok {
			t.Script = loaded.script
			return t, loaded, nil
		}
	}
	library, err = p.libraryOf(t.Function)
	return t, library, err
}

// libraryOf returns the library of the engine that has a function.
func (p *player) libraryOf(function string) (*script, error) {
	var list []engine.Library
	_, err := p.runner.interruptible(func(ctx context.Context) (err error) {
		list, err = backend.Libraries(ctx, p.backend)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []string
	for i := range list {
		if _, ok := list[i].Function(function); ok {
			return &script{name: "library " + list[i].Name, script: engine.NewScript(list[i].Code)}, nil
		}
		all = append(all, backend.ListFunctions(&list[i]))
	}
	if all == nil {
		return nil, fmt.Errorf("there is no function %s; :load reads a library from a file", function)
	}
	return nil, fmt.Errorf("there is no function %s; these exist:\n%s", function, strings.Join(all, "\n"))
}
