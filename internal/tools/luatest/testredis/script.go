package testredis

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/excerpt"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// Source is the text of a script or library, which may consist of several files.
type Source struct {
	Name   string // for people: the path of the last file, as the test wrote it, or "script"
	Text   string
	SHA    string // SHA1 of Text, in lower-case hexadecimal
	Pieces []Piece
	// Built has the files of Text.
	Built *bundle.Bundle
	// Library says that the text is one of functions.
	Library bool
}

// Piece is a part of a text: lines of a file that follow one another, or what is written in the
// test.
type Piece struct {
	Path  string // of the file; "": written in the test
	Name  string // for people
	Text  string // of the whole file
	First int    // the line of the whole text at which it begins, from 1
	Line  int    // the line of Text at which it begins, from 1
}

// Place returns the piece and the line in it of a line of the text, both from 1.
func (s Source) Place(line int) (p Piece, in int, ok bool) {
	for i := len(s.Pieces) - 1; i >= 0; i-- {
		if s.Pieces[i].First <= line {
			return s.Pieces[i], line - s.Pieces[i].First + s.Pieces[i].Line, true
		}
	}
	return p, 0, false
}

// File returns the path of the file that is the whole text, or "" if there is none.
func (s Source) File() string {
	if len(s.Pieces) == 1 && s.Pieces[0].Text == s.Text {
		return s.Pieces[0].Path
	}
	return ""
}

// source returns the text of the names or texts of a script.
func (w *World) source(what string, args []luabridge.Value) (Source, error) {
	if len(args) == 0 {
		return Source{}, fmt.Errorf("%s needs the name of a file or a text", what)
	}
	s := Source{Name: what}
	var b strings.Builder
	end := ""          // the name of the last file or text
	var given []string // the files so far
	var parts []*bundle.Bundle
	for i, arg := range args {
		if arg.Kind() != luabridge.StringKind {
			return Source{}, fmt.Errorf("argument %d of %s must be the name of a file or a text", i+1, what)
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			return Source{}, fmt.Errorf("%s: %s does not end with a line break, so nothing can follow it", what, end)
		}
		first := 1 + strings.Count(b.String(), "\n")
		if !isFile(arg.Text()) {
			end = what
			b.WriteString(arg.Text())
			parts = append(parts, bundle.Whole(what, arg.Text()))
			s.Pieces = append(s.Pieces, Piece{Name: what, Text: arg.Text(), First: first, Line: 1})
			continue
		}
		end = arg.Text()
		built, err := w.build(w.path(end), given)
		if err != nil {
			return Source{}, fmt.Errorf("%s: %w", what, err)
		}
		s.Name = filepath.Base(end)
		given = append(given, built.Files...)
		b.WriteString(built.Text)
		parts = append(parts, built)
		s.Pieces = append(s.Pieces, w.piecesOf(built, end, first)...)
	}
	s.Text, s.Built = b.String(), bundle.Join(parts...)
	sum := sha1.Sum([]byte(s.Text))
	s.SHA = hex.EncodeToString(sum[:])
	s.Library = what == "library"
	if w.opt.OnScript != nil {
		w.opt.OnScript(s)
	}
	return s, nil
}

// build reads a script with what belongs to it, except what the test has named before.
func (w *World) build(path string, given []string) (*bundle.Bundle, error) {
	return embedded.Build(path, bundle.Options{Given: given, Read: func(path string) (string, error) {
		text, err := w.readFile(path)
		return string(text), err
	}})
}

// piecesOf returns the pieces of a script whose text begins at line first. name is what the test
// calls its file.
func (w *World) piecesOf(b *bundle.Bundle, name string, first int) []Piece {
	var pieces []Piece
	for _, r := range b.Runs() {
		p := Piece{Path: r.File, Name: name, Text: b.Source(r.File), First: first + r.First - 1, Line: r.Line}
		if r.File != b.Files[0] {
			p.Name = r.File
			if rel, err := filepath.Rel(w.opt.Dir, r.File); err == nil {
				p.Name = filepath.ToSlash(rel)
			}
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// isFile reports whether an argument of script is the name of a file, and not a text.
func isFile(text string) bool {
	if strings.ContainsAny(text, "\n") {
		return false
	}
	file, _ := embedded.SplitName(text)
	return strings.HasSuffix(text, ".lua") || embedded.Knows(file)
}

// script is script("file.lua", ...) and script(text): an object with the methods run, prun and
// run_ro. Several files are joined.
func (w *World) script(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	s, err := w.source("script", c.Args)
	if err != nil {
		return nil, err
	}
	t := w.tool
	o := t.Table()
	o.Set("sha", t.String(s.SHA))
	o.Set("source", t.String(s.Text))
	o.Set("name", t.String(s.Name))
	o.SetMetatable(w.scriptMeta(s))
	return one(o)
}

// scriptKind is a text of which a test has made scripts.
type scriptKind struct {
	source Source
	meta   luabridge.Value
}

// scriptMeta returns the metatable of the scripts of a text. Its field __script is the number of
// the text in w.scripts, from 1; __index holds the methods of all scripts.
func (w *World) scriptMeta(s Source) luabridge.Value {
	name := s.SHA + " " + s.Name
	if i, ok := w.scriptOf[name]; ok {
		return w.scripts[i].meta
	}
	t := w.tool
	meta := t.Table()
	meta.Set("__index", w.methods)
	meta.Set("__tostring", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) { return one(t.String("script " + s.Name)) }))
	meta.Set("__script", t.Int(len(w.scripts)+1))
	w.scriptOf[name] = len(w.scripts)
	w.scripts = append(w.scripts, scriptKind{s, meta})
	return meta
}

// methodsOfScripts returns the table of the methods of scripts.
func (w *World) methodsOfScripts() luabridge.Value {
	methods := w.tool.Table()
	for _, m := range scriptMethods {
		methods.Set(m.name, w.tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
			w.called(c)
			run, err := w.scriptRun(m, c.Args)
			if err != nil {
				return nil, err
			}
			return w.runScript(run, m.protected)
		}))
	}
	return methods
}

// scriptMethod is a method of scripts.
type scriptMethod struct {
	name, command string
	protected     bool // an error reply is returned
}

var scriptMethods = []scriptMethod{{"run", "EVAL", false}, {"prun", "EVAL", true}, {"run_ro", "EVAL_RO", false}}

// scriptRun returns the run that a call of a method means.
func (w *World) scriptRun(m scriptMethod, args []luabridge.Value) (*Run, error) {
	arg := func(i int) (v luabridge.Value) {
		if i < len(args) {
			v = args[i]
		}
		return v
	}
	n := int(arg(0).Metamethod("__script").Number())
	if n < 1 || n > len(w.scripts) {
		return nil, errors.New("call it with a colon: script(...):run(keys, args)")
	}
	s := w.scripts[n-1].source
	run := &Run{Source: s, command: m.command, what: s.Text, Name: s.Name}
	return run, run.with(arg(1), arg(2))
}

// library is library("file.lua") and library(text): it loads functions, in place of a library of
// that name.
func (w *World) library(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	s, err := w.source("library", c.Args)
	if err != nil {
		return nil, err
	}
	w.called(c)
	var v reply.Value
	err = w.perform(func(env *Env) error {
		v, err = env.loadLibrary(s)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case v.IsError():
		return nil, w.raise(v, &Run{Source: s})
	}
	return one(w.tool.FromReply(v))
}

// loadLibrary loads functions.
func (env *Env) loadLibrary(s Source) (reply.Value, error) {
	v, err := env.exchange("FUNCTION LOAD "+s.Name, []string{"FUNCTION", "LOAD", "REPLACE", s.Text})
	if err == nil && !v.IsError() {
		env.libraries = append(env.libraries, v.Text())
		env.w.loaded(v.Text(), s)
	}
	return v, err
}

// loaded remembers the source of a library, for positions of errors.
func (w *World) loaded(name string, s Source) {
	if w.sources == nil {
		w.sources = map[string]Source{}
	}
	w.sources[name] = s
}

// fcall is fcall(name, keys, args).
func (w *World) fcall(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	return w.callFunction(c, false)
}

// pfcall is fcall, but returns an error as a table.
func (w *World) pfcall(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	return w.callFunction(c, true)
}

func (w *World) callFunction(c *luabridge.ToolCall, protected bool) ([]luabridge.Value, error) {
	if c.Arg(0).Kind() != luabridge.StringKind {
		return nil, c.BadArgument(0, "the name of a function expected")
	}
	w.called(c)
	run := w.functionRun(c.Arg(0).Text())
	if err := run.with(c.Arg(1), c.Arg(2)); err != nil {
		return nil, err
	}
	return w.runScript(run, protected)
}

// functionRun returns a run of a function.
func (w *World) functionRun(name string) *Run {
	run := &Run{Name: name, command: "FCALL", what: name}
	if w.env != nil && len(w.env.libraries) > 0 {
		run.Source = w.sources[w.env.libraries[len(w.env.libraries)-1]]
	}
	return run
}

// Run is a run of a script or function.
type Run struct {
	Name       string
	Source     Source
	Keys, Args []string
	Reply      reply.Value
	Commands   []harness.Call // what it has called, in order
	Stays      bool           // it has failed, and what it has written stays

	command string // EVAL, EVAL_RO or FCALL
	what    string // the text or the name of the function
}

// with sets the keys and the arguments of a run.
func (r *Run) with(keys, args luabridge.Value) (err error) {
	if r.Keys, err = wordsOf(keys, "keys"); err == nil {
		r.Args, err = wordsOf(args, "arguments")
	}
	return err
}

// words returns the command of a run.
func (r *Run) words() []string {
	words := append([]string{r.command, r.what, strconv.Itoa(len(r.Keys))}, r.Keys...)
	return append(words, r.Args...)
}

// runScript runs a script or function.
func (w *World) runScript(run *Run, protected bool) ([]luabridge.Value, error) {
	done := run
	err := w.perform(func(env *Env) error {
		again := *run
		done = &again
		return env.run(done)
	})
	switch {
	case err != nil:
		return nil, err
	case done.Reply.IsError() && !protected:
		return nil, w.raise(done.Reply, done)
	}
	return one(w.fromReply(done.Reply, done))
}

// wordsOf reads the list of keys or arguments of a script.
func wordsOf(v luabridge.Value, what string) ([]string, error) {
	switch v.Kind() {
	case luabridge.NilKind:
		return nil, nil
	case luabridge.TableKind:
		words, ok := luabridge.Words(v.Elements())
		if !ok {
			return nil, fmt.Errorf("the %s of a script must be strings or numbers", what)
		}
		if len(v.Fields()) > len(words) {
			return nil, fmt.Errorf("the %s of a script must be a list without gaps", what)
		}
		return words, nil
	}
	return nil, fmt.Errorf("the %s of a script must be a table, not a %s", what, v.Kind())
}

// run runs a script or function, and notes what it calls.
func (env *Env) run(r *Run) (err error) {
	mark := env.seen.Mark()
	r.Reply, err = env.exchange(r.Label(), r.words())
	if env.first != nil && len(env.runs) < len(env.first.runs) {
		first := env.first.runs[len(env.runs)] // the server does not say what a script calls
		r.Commands, r.Stays = first.Commands, first.Stays
	} else {
		r.Commands, r.Stays = env.seen.ScriptCalls(mark), env.stays
	}
	env.runs = append(env.runs, r)
	return err
}

// Label describes the run for people.
func (r *Run) Label() string {
	return strings.TrimSpace(r.Name + " KEYS " + harness.List(r.Keys) + " ARGV " + harness.List(r.Args))
}

// LastRun returns the last run of a script, or nil.
func (env *Env) LastRun() *Run {
	if len(env.runs) == 0 {
		return nil
	}
	return env.runs[len(env.runs)-1]
}

// scriptPlace matches what Redis adds to the error of a script.
var scriptPlace = regexp.MustCompile(` script: [0-9a-zA-Z_]+, on @?[^ ]*:[0-9]+\.$`)

// shortError returns the text of an error without what Redis adds for a script.
func shortError(text string) string { return scriptPlace.ReplaceAllString(text, "") }

// place returns the file and the line that an error of a run names.
func (r *Run) place(text string) (file string, line int, ok bool) {
	p, line, ok := r.Place(text)
	return p.Name, line, ok
}

// Place returns the piece and the line in it that an error of a run names.
func (r *Run) Place(text string) (p Piece, line int, ok bool) {
	if r == nil {
		return p, 0, false
	}
	if n, ok := excerpt.Line(text); ok {
		return r.Source.Place(n)
	}
	return p, 0, false
}

// calls is calls([name]): what the last script has called, in order. Each call is a list of words
// with the reply in the field reply.
func (w *World) calls(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	env, err := w.current()
	if err != nil {
		return nil, err
	}
	t := w.tool
	result := t.Table()
	run := env.LastRun()
	if run == nil {
		return one(result)
	}
	n := 0
	for _, command := range run.Commands {
		if c.Arg(0).Kind() == luabridge.StringKind && !strings.EqualFold(c.Arg(0).Text(), command.Args[0]) {
			continue
		}
		words := make([]luabridge.Value, len(command.Args))
		for i, arg := range command.Args {
			words[i] = t.String(arg)
		}
		call := t.Table(words...)
		call.Set("reply", w.fromReply(command.Reply, nil))
		n++
		result.SetField(t.Int(n), call)
	}
	return one(result)
}
