package ldb

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// currentThread returns the frames of the coroutine that the script is in, the innermost first.
func currentThread(s *engine.Stack) []engine.Frame {
	frames := s.Frames()
	for i := range frames {
		if frames[i].Thread != frames[0].Thread {
			return frames[:i]
		}
	}
	return frames
}

func (d *dialogue) trace([]string) bool {
	return d.session.At(func(s *engine.Stack) {
		for i, f := range currentThread(s) {
			if f.Kind == engine.FrameOfLibrary {
				continue
			}
			in, name := "From ", "top level"
			if i == 0 {
				in = "In "
			}
			if f.Kind == engine.FrameOfFunction && f.Name != "" {
				name = f.Name[strings.LastIndexAny(f.Name, ".:")+1:]
			}
			d.log.add(in + name + ":")
			d.showLine(f.Line)
		}
	}) != nil
}

func (d *dialogue) print(args []string) bool {
	if len(args) == 2 {
		return d.session.At(func(s *engine.Stack) { d.printOne(s, cString(args[1])) }) != nil
	}
	return d.session.At(d.printAll) != nil
}

func (d *dialogue) printAll(s *engine.Stack) {
	locals := currentThread(s)[0].Locals()
	for _, v := range locals {
		d.log.addValue("<value> " + v.Name + " = " + formatValue(v.Value))
	}
	if len(locals) == 0 {
		d.log.add("No local variables in the current context.")
	}
}

// printOne prints the first local with that name in the innermost function that has one, or KEYS or
// ARGV.
func (d *dialogue) printOne(s *engine.Stack, name string) {
	for _, f := range currentThread(s) {
		locals := f.Locals()
		at := slices.IndexFunc(locals, func(v engine.Variable) bool { return v.Name == name })
		if at >= 0 {
			d.log.addValue("<value> " + formatValue(locals[at].Value))
			return
		}
	}
	if name == "KEYS" || name == "ARGV" {
		for _, f := range s.Globals().Fields() {
			if f.Key.Text() == name {
				d.log.addValue("<value> " + formatValue(f.Value))
				return
			}
		}
	}
	d.log.add("No such variable.")
}

// chunkName is the chunk name of evaluated code in error messages.
const chunkName = "@ldb_eval"

// eval evaluates code in the global environment. It does not see local variables.
func (d *dialogue) eval(args []string) bool {
	code := strings.Join(args[1:], " ")
	d.evaluating = true
	defer func() { d.evaluating = false }()
	return d.session.Change(func(s *engine.Stack) {
		values, err := s.Eval(-1, chunkName, code)
		switch {
		case err != nil:
			d.log.add("<error> " + cString(err.Error()))
		case len(values) == 0:
			d.log.addValue("<retval> nil")
		default:
			d.log.addValue("<retval> " + formatValue(values[0]))
		}
	}) != nil
}
