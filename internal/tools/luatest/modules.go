package luatest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// installModules adds require, package, print, os and debug to the globals.
func (f *File) installModules() {
	t, g := f.tool, f.tool.Globals()
	f.loaded = t.Table()
	pkg := t.Table()
	pkg.Set("loaded", f.loaded)
	pkg.Set("preload", t.Table())
	pkg.Set("path", t.String("./?.lua;./?/init.lua"))
	g.Set("package", pkg)
	for _, name := range []string{"string", "table", "math", "coroutine", "redis", "cjson", "cmsgpack", "bit", "struct"} {
		f.loaded.Set(name, g.Get(name))
	}
	f.loaded.Set("json", f.json())
	f.loaded.Set("luassert", g.Get("assert"))
	for _, name := range []string{"spy", "stub", "mock", "match"} {
		f.loaded.Set("luassert."+name, g.Get(name))
	}
	busted := t.Table()
	for _, name := range []string{"describe", "context", "it", "test", "spec", "pending", "setup", "teardown", "before_each", "after_each",
		"insulate", "expose", "finally", "assert", "spy", "stub", "mock", "match"} {
		busted.Set(name, g.Get(name))
	}
	f.loaded.Set("busted", busted)
	f.loaded.Set("busted.runner", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) { return nil, nil }))
	g.Set("require", t.Func(f.require))
	g.Set("print", t.Func(f.print))
	g.Set("os", f.osTable())
	debug := t.Table()
	debug.Set("traceback", t.Func(f.traceback))
	g.Set("debug", debug)
}

// json returns the module json: gopher-json.
func (f *File) json() luabridge.Value {
	t := f.tool
	m := t.Table()
	failed := func(err error) []luabridge.Value { return []luabridge.Value{{}, t.String(err.Error())} }
	m.Set("encode", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		text, err := c.Arg(0).JSON()
		if err != nil {
			return failed(err), nil
		}
		return []luabridge.Value{t.String(text)}, nil
	}))
	m.Set("decode", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		if c.Arg(0).Kind() != luabridge.StringKind {
			return nil, c.BadArgument(0, "string expected")
		}
		v, err := t.DecodeJSON(c.Arg(0).Text())
		if err != nil {
			return failed(err), nil
		}
		return []luabridge.Value{v}, nil
	}))
	return m
}

// require is require(name): a module of the runner, or a file beside the test.
func (f *File) require(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	if c.Arg(0).Kind() != luabridge.StringKind {
		return nil, c.BadArgument(0, "string expected")
	}
	name := c.Arg(0).Text()
	if v := f.loaded.Get(name); v.Truth() {
		return []luabridge.Value{v}, nil
	}
	t := f.tool
	loader, err := f.loader(name)
	if err != nil {
		return nil, err
	}
	f.loaded.Set(name, t.Bool(true))
	results, err := t.Call(loader, t.String(name))
	if err != nil {
		f.loaded.Set(name, luabridge.Value{})
		return nil, err
	}
	if len(results) > 0 && results[0].Kind() != luabridge.NilKind {
		f.loaded.Set(name, results[0])
	}
	return []luabridge.Value{f.loaded.Get(name)}, nil
}

// loader returns the function that makes a module.
func (f *File) loader(name string) (luabridge.Value, error) {
	pkg := f.tool.Globals().Get("package")
	if fn := pkg.Get("preload").Get(name); fn.Kind() == luabridge.FunctionKind {
		return fn, nil
	}
	tried := ""
	for _, pattern := range strings.Split(pkg.Get("path").Text(), ";") {
		if pattern == "" {
			continue
		}
		path := strings.ReplaceAll(pattern, "?", strings.ReplaceAll(name, ".", string(filepath.Separator)))
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(f.Path), path)
		}
		source, err := f.readFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			tried += "\n\tno file '" + path + "'"
			continue
		}
		if err != nil {
			return luabridge.Value{}, err
		}
		f.texts[path] = string(source)
		return f.tool.Load(path, string(source))
	}
	return luabridge.Value{}, fmt.Errorf("module '%s' not found:%s", name, tried)
}

// maxOutput is the number of bytes that a test may print.
const maxOutput = 256 << 10

// print is print(...): the output is shown with the result of the test.
func (f *File) print(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	tostring := f.tool.Globals().Get("tostring")
	for i, arg := range c.Args {
		if i > 0 {
			f.output.WriteByte('\t')
		}
		text := ""
		if arg.Kind() == luabridge.TableKind && arg.Metamethod("__tostring").Kind() == luabridge.NilKind {
			text = luavalue.Format(arg)
		} else {
			results, err := f.tool.Call(tostring, arg)
			if err != nil {
				return nil, err
			}
			if len(results) > 0 {
				text = results[0].Text()
			}
		}
		if f.output.Len()+len(text) > maxOutput {
			return nil, fmt.Errorf("a test may print at most %d bytes", maxOutput)
		}
		f.output.WriteString(text)
	}
	f.output.WriteByte('\n')
	return nil, nil
}

// outputLog adds what a test logs itself to its output.
type outputLog struct{ f *File }

func (outputLog) Enabled(context.Context, slog.Level) bool { return true }

func (l outputLog) Handle(_ context.Context, r slog.Record) error {
	if l.f.output.Len()+len(r.Message) <= maxOutput {
		l.f.output.WriteString(r.Message + "\n")
	}
	return nil
}

func (l outputLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l outputLog) WithGroup(string) slog.Handler { return l }

// traceback is debug.traceback([text]).
func (f *File) traceback(c *luabridge.ToolCall) ([]luabridge.Value, error) {
	var b strings.Builder
	if v := c.Arg(0); v.Kind() == luabridge.StringKind || v.Kind() == luabridge.NumberKind {
		b.WriteString(v.Text() + "\n")
	} else if v.Kind() != luabridge.NilKind {
		return []luabridge.Value{v}, nil
	}
	b.WriteString("stack traceback:")
	for _, l := range c.Trace() {
		b.WriteString("\n\t" + l.String())
	}
	return []luabridge.Value{f.tool.String(b.String())}, nil
}

// osTable returns the part of os that tests need: time, clock and getenv. They are those of the
// machine; the time of the engine is clock.now.
func (f *File) osTable() luabridge.Value {
	t := f.tool
	start := time.Now()
	o := t.Table()
	o.Set("time", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		at := time.Now()
		if v := c.Arg(0); v.Kind() == luabridge.TableKind {
			n := func(name string, otherwise int) int {
				if field := v.Get(name); field.Kind() == luabridge.NumberKind && math.Abs(field.Number()) < 1e6 {
					return int(field.Number())
				}
				return otherwise
			}
			at = time.Date(n("year", 1970), time.Month(n("month", 1)), n("day", 1), n("hour", 12), n("min", 0), n("sec", 0), 0, time.Local)
		}
		return []luabridge.Value{t.Number(float64(at.Unix()))}, nil
	}))
	o.Set("clock", t.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		return []luabridge.Value{t.Number(time.Since(start).Seconds())}, nil
	}))
	o.Set("getenv", t.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		v, err := f.opt.getenv(c.Arg(0).Text())
		if v == nil || err != nil {
			return nil, err
		}
		return []luabridge.Value{t.String(*v)}, nil
	}))
	return o
}
