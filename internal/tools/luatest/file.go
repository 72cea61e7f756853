package luatest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/assert"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/snapshot"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// File is a test file with its tree of tests. It belongs to one goroutine at a time.
type File struct {
	Path string

	opt     *Options
	ctx     context.Context
	tool    *luabridge.Tool
	asserts *assert.Library
	world   *testredis.World
	root    *block
	snaps   *snapshot.File
	texts   map[string]string // the files whose lines can be shown, by the names of their chunks
	reads   []string
	loaded  luabridge.Value // package.loaded

	building *block // whose function runs; nil: none
	running  *run   // the test that runs; nil: none
	pending  luabridge.Value
	gens     *generators
	values   uint64 // the seed of the values of properties
	output   strings.Builder
	stopped  bool
	bad      bool // a result makes the run fail
	results  []Result

	records  []record // of the tests that have run, if they are compared with a server
	second   bool
	first    []record // in the second run: those of the first
	compared []Result // in the second run: the results of the first
}

// maxMemory is the memory that the values of a test file may take.
const maxMemory = 512 << 20

// Load reads a test file and makes its tree. The error says that the file cannot be read; a mistake
// in it is a result. The caller must close the File.
func Load(ctx context.Context, path string, opt *Options) (*File, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, opt: opt, ctx: ctx, texts: map[string]string{}, root: &block{}}
	f.root.settings.Server = opt.Server
	if f.values = opt.Values; f.values == 0 {
		f.values = 1 + uint64(rand.Uint32N(1<<31))
	}
	f.noteRead(path)
	if f.snaps, err = snapshot.Open(path); err != nil {
		return nil, err
	}
	shuffle := opt.Seed
	f.tool = luabridge.NewTool(luabridge.ToolOptions{MaxMemory: maxMemory, ShufflePairs: shuffle,
		Logger: slog.New(outputLog{f})})
	world := testredis.Options{
		Dir: filepath.Dir(path), ShufflePairs: shuffle, Compare: opt.Against != nil, OnScript: opt.OnScript, ReadFile: f.readFile,
		Coverage: opt.Coverage, Profile: opt.Profile, StrictKeys: opt.StrictKeys, ScriptMigrate: opt.ScriptMigrate,
		Print: func(line string) { f.output.WriteString(line + "\n") },
	}
	if opt.Debug != nil { // else the traceback is not needed
		world.OnEngine, world.OnCall = opt.Debug.Engine, f.noteCall
	}
	f.world = testredis.Install(f.tool, world)
	f.asserts = assert.Install(f.tool, f.world.Commands())
	f.world.UseAsserts(f.asserts)
	f.installWords()
	f.installGenerators()
	f.installModules()
	f.asserts.Add("matches_snapshot", assert.Assertion{Least: 1, Check: f.matchSnapshot, Positive: true})
	f.build(string(source))
	return f, nil
}

// Close frees the Lua state.
func (f *File) Close() { f.tool.Close() }

// noteCall notifies a debugger where Redis is used. There is no traceback if what setup has done is
// repeated.
func (f *File) noteCall(trace []luabridge.TraceLine) {
	if f.opt.Debug == nil {
		return
	}
	phase := "file"
	if f.running != nil {
		phase = f.running.phase
	}
	for _, l := range trace {
		if f.texts[l.Chunk] != "" {
			f.opt.Debug.Call(phase, l.Chunk, l.Line)
			return
		}
	}
	f.opt.Debug.Call(phase, "", 0)
}

func (f *File) noteRead(path string) { f.reads = append(f.reads, path) }

// build runs the text of the file.
func (f *File) build(source string) {
	f.texts[f.Path] = source
	fn, err := f.tool.Load(f.Path, source)
	if err == nil {
		f.building = f.root
		err = f.call(fn)
		f.building = nil
	}
	if err != nil {
		f.root.broken = f.problem("file", err)
	}
	f.asserts.Reset()
}

// Tests returns the full names of the tests that the options choose, with their lines.
func (f *File) Tests() (names []string, lines []int) {
	for _, t := range f.root.tests() {
		if f.opt.selects(t) {
			names, lines = append(names, strings.Join(t.names(), " ")), append(lines, t.line)
		}
	}
	return names, lines
}

// Broken returns the problems with the text of the file, and with the functions of its blocks.
func (f *File) Broken() (list []*Problem) {
	for _, b := range f.root.brokenBlocks() {
		list = append(list, b.broken)
	}
	return list
}

// call calls a function, which ends with an error when the time-out has passed, or the run is
// stopped.
func (f *File) call(fn luabridge.Value, args ...luabridge.Value) error {
	stop := f.limit()
	_, err := f.tool.Call(fn, args...)
	stop()
	return err
}

// matchSnapshot is assert.matches_snapshot(value [, name]).
func (f *File) matchSnapshot(_ *luabridge.ToolCall, args []luabridge.Value) (*assert.Failure, error) {
	if f.running == nil {
		return nil, fmt.Errorf("assert.matches_snapshot works in a test")
	}
	return f.running.matchSnapshot(args)
}
