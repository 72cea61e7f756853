package coverage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// covered returns what the runs of a script cover. The script is run without a host.
func covered(t *testing.T, source string, argv ...string) luabridge.ScriptCoverage {
	c := luabridge.NewCoverage()
	s, err := luabridge.CompileScript(source, luabridge.CompileLimits{Coverage: c})
	require.NoError(t, err)
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	for _, arg := range argv {
		v := vm.Run(nil, s, nil, []string{arg})
		require.False(t, v.IsError(), v.Text())
	}
	return c.Scripts()[0]
}

const choice = "if ARGV[1] == 'a' then\n  return 1\nend\nreturn 2\n"

func TestFilesAreAddedUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cover.json")
	require.NoError(t, coverage.Append(path, []luabridge.ScriptCoverage{covered(t, choice, "a")}))
	more := covered(t, choice, "b", "b")
	more.Source, more.Name = "", "choice.lua" // as a process that has written the source before
	require.NoError(t, coverage.Append(path, []luabridge.ScriptCoverage{more, covered(t, "return 1")}))
	var set coverage.Set
	require.NoError(t, set.ReadFile(path))
	scripts := set.Scripts()
	require.Len(t, scripts, 2)
	got := scripts[1]
	require.Equal(t, "choice.lua", got.Name)
	require.Equal(t, choice, got.Source)
	require.EqualValues(t, 3, got.Runs)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 3}, {Line: 2, Hits: 1}, {Line: 4, Hits: 2}}, got.Lines)
	require.EqualValues(t, 1, got.Branches[0].Yes)
	require.EqualValues(t, 2, got.Branches[0].No)
}

func TestManyWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cover.json")
	one := covered(t, choice, "a")
	one.Source += strings.Repeat("-- a long comment\n", 10_000) // longer than a pipe or a page
	one.SHA = shaOf(one.Source)
	var writers sync.WaitGroup
	for range 32 {
		writers.Go(func() {
			for range 4 {
				if err := coverage.Append(path, []luabridge.ScriptCoverage{one}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	var set coverage.Set
	require.NoError(t, set.ReadFile(path))
	require.EqualValues(t, 32*4, set.Scripts()[0].Runs)
}

func TestSourcesThatAreNotUTF8(t *testing.T) {
	source := "return '\xff\x00\xfe'"
	var b bytes.Buffer
	require.NoError(t, coverage.Write(&b, []luabridge.ScriptCoverage{covered(t, source, "")}))
	scripts, err := coverage.Read("a", &b)
	require.NoError(t, err)
	require.Equal(t, source, scripts[0].Source)
}

func TestDamagedFilesAreRefused(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, coverage.Write(&b, []luabridge.ScriptCoverage{covered(t, choice, "a")}))
	good := strings.TrimSpace(b.String())
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":       {good + "\nSF:a.lua\n", "a:2: this is not a line of a coverage file"},
		"half a line":   {good[:len(good)/2], "a:1: this is not a line of a coverage file"},
		"other version": {strings.Replace(good, `"redmoonCoverage":1`, `"redmoonCoverage":9`, 1), "of version 1: redmoonCoverage is 9"},
		"other source":  {strings.Replace(good, "return 2", "return 3", 1), "the source does not have the SHA1"},
		"other places": {good + "\n" + strings.Replace(good, `"line":2,"hits"`, `"line":3,"hits"`, 1),
			"a:2: the two were counted at different places"},
	} {
		_, err := coverage.Read("a", strings.NewReader(c.text))
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestImpossiblePlacesAreRefused(t *testing.T) {
	for _, change := range []func(s *luabridge.ScriptCoverage){
		func(s *luabridge.ScriptCoverage) { s.Source = "" },
		func(s *luabridge.ScriptCoverage) { s.Lines[0].Line = 0 },
		func(s *luabridge.ScriptCoverage) { s.Lines[0].Line = 99 },
		func(s *luabridge.ScriptCoverage) { s.Branches[0].Column = 1 << 40 },
		func(s *luabridge.ScriptCoverage) { s.Branches[0].EndColumn = 1 },
		func(s *luabridge.ScriptCoverage) { s.Functions[0].EndLine = -1 },
	} {
		s := covered(t, choice+"-- local function f() end\n", "a")
		s.Functions = []luabridge.FunctionCoverage{{Line: 1, EndLine: 1}}
		change(&s)
		_, err := coverage.NewReport([]luabridge.ScriptCoverage{s}, nil)
		require.ErrorContains(t, err, "is damaged")
	}
}

func TestScriptsOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"common.lua": "local function yes(x)\n  return x == 'a'\nend\n",
		"one.lua": "return yes(ARGV[1]) and 1 or 0",
		"two.lua": "if yes(ARGV[1]) then\n  return 2\nend\n", ".hidden/one.lua": "return 0", "readme.txt": "return 0"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(text)
	}
	sources, err := coverage.ReadSources(dir)
	require.NoError(t, err)
	r, err := coverage.NewReport([]luabridge.ScriptCoverage{
		covered(t, read("common.lua")+read("one.lua"), "a", "b", "b"),
		covered(t, read("common.lua")+read("two.lua"), "b"),
		covered(t, "return 0", "a"),
	}, sources)
	require.NoError(t, err)
	require.Len(t, r.Files, 4)
	name := func(i int) string { return strings.TrimPrefix(r.Files[i].Path, filepath.ToSlash(dir)+"/") }
	require.Equal(t, "common.lua", name(0))
	require.EqualValues(t, 4, r.Files[0].Runs)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 4}, {Line: 2, Hits: 4}}, r.Files[0].Lines)
	require.Equal(t, []luabridge.FunctionCoverage{{Name: "yes", Line: 1, EndLine: 3, Hits: 4}}, r.Files[0].Functions)
	require.Equal(t, "one.lua", name(1))
	require.Equal(t, "return yes(ARGV[1]) and 1 or 0", r.Files[1].Source)
	require.Equal(t, luabridge.BranchCoverage{Kind: "and", Line: 1, Column: 8, EndLine: 1, EndColumn: 20, Yes: 1, No: 2},
		r.Files[1].Branches[0])
	require.Equal(t, "two.lua", name(2))
	require.Equal(t, "script:"+shaOf("return 0"), name(3))
	require.False(t, r.Files[3].Known)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 1}, {Line: 2, Hits: 0}}, r.Files[2].Lines)
	require.Equal(t, coverage.Totals{Lines: coverage.Share{Hit: 5, All: 6}, Branches: coverage.Share{Hit: 3, All: 4},
		Functions: coverage.Share{Hit: 1, All: 1}},
		r.Totals())
	r.KnownOnly()
	require.Len(t, r.Files, 3)
}

// A text without a file may be a part of a script; it has no name.
func TestTextsAreParts(t *testing.T) {
	sources := coverage.NewSources()
	sources.Add("lib/../a.lua", "local a = 1\n")
	sources.AddText("return 2")
	scripts := []luabridge.ScriptCoverage{covered(t, "local a = 1\nreturn 2", ""), covered(t, "return 2", "")}
	r, err := coverage.NewReport(scripts, sources)
	require.NoError(t, err)
	require.Len(t, r.Files, 2)
	require.Equal(t, "a.lua", r.Files[0].Path)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 1}}, r.Files[0].Lines)
	require.Equal(t, "script:"+shaOf("return 2"), r.Files[1].Path)
	require.False(t, r.Files[1].Known)
	sources.Name(scripts)
	require.Empty(t, scripts[1].Name)
	sources.Each(func(source, path string) { require.Equal(t, "a.lua", path) })
	sources.Add("b.lua", "return 2")
	sources.Name(scripts)
	require.Equal(t, "b.lua", scripts[1].Name)
}

// A file stands within another one, of which an empty line is missing.
func TestScriptsThatWereBuilt(t *testing.T) {
	const outer, inner = "if ARGV[1] == 'a' then\n-- inner\nend\n\nreturn 2\n", "-- The end.\n  return 1\n"
	sources := coverage.NewSources()
	sources.Add("built.lua", choice)
	sources.AddBuilt(choice, []coverage.Run{
		{Path: "outer.lua", Source: outer, First: 1, Line: 1, Count: 1},
		{Path: "./inner.lua", Source: inner, First: 2, Line: 2, Count: 1},
		{Path: "outer.lua", Source: outer, First: 3, Line: 3, Count: 1},
		{Path: "outer.lua", Source: outer, First: 4, Line: 5, Count: 2},
	})
	scripts := []luabridge.ScriptCoverage{covered(t, choice, "a", "a", "b")}
	sources.Name(scripts)
	r, err := coverage.NewReport(scripts, sources)
	require.NoError(t, err)
	require.Len(t, r.Files, 2)
	require.Equal(t, "inner.lua", r.Files[0].Path)
	require.Equal(t, []luabridge.LineCoverage{{Line: 2, Hits: 2}}, r.Files[0].Lines)
	require.Equal(t, "outer.lua", r.Files[1].Path)
	require.EqualValues(t, 3, r.Files[1].Runs)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 3}, {Line: 5, Hits: 1}}, r.Files[1].Lines)
	require.Len(t, r.Files[1].Branches, 1)
}

// A script that has a file twice counts it twice.
func TestAFileTwice(t *testing.T) {
	const half = "local a = 1\n"
	sources := coverage.NewSources()
	sources.AddBuilt(half+half, []coverage.Run{
		{Path: "a.lua", Source: half, First: 1, Line: 1, Count: 1}, {Path: "a.lua", Source: half, First: 2, Line: 1, Count: 1},
	})
	r, err := coverage.NewReport([]luabridge.ScriptCoverage{covered(t, half+half, "")}, sources)
	require.NoError(t, err)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 2}}, r.Files[0].Lines)
}

func TestVersionsOfAFile(t *testing.T) {
	one, two := covered(t, choice, "a"), covered(t, choice+"-- changed\n", "b", "b")
	one.Name, two.Name = "choice.lua", "choice.lua"
	r, err := coverage.NewReport([]luabridge.ScriptCoverage{one, two}, nil)
	require.NoError(t, err)
	require.Equal(t, "choice.lua", r.Files[0].Path)
	require.Equal(t, two.Source, r.Files[0].Source, "the one that ran more often")
	require.Equal(t, "choice.lua@"+one.SHA[:7], r.Files[1].Path)
}

func TestLinesCanBeExcluded(t *testing.T) {
	s := covered(t, `local n = 0
if ARGV[1] == 'x' then -- redmoon:nocover
  n = 1
end
-- redmoon:nocover-begin the server has no such reply
for i = 1, n do
  n = i
end
-- redmoon:nocover-end
return n`, "a")
	r, err := coverage.NewReport([]luabridge.ScriptCoverage{s}, nil)
	require.NoError(t, err)
	require.Equal(t, []luabridge.LineCoverage{{Line: 1, Hits: 1}, {Line: 3, Hits: 0}, {Line: 10, Hits: 1}}, r.Files[0].Lines)
	require.Empty(t, r.Files[0].Branches)
}

func TestPercentIsRoundedDown(t *testing.T) {
	require.Equal(t, 99.9, coverage.Share{Hit: 9999, All: 10000}.Percent())
	require.Equal(t, 100.0, coverage.Share{Hit: 3, All: 3}.Percent())
	require.Equal(t, 100.0, coverage.Share{}.Percent())
	require.Equal(t, 0.0, coverage.Share{All: 3}.Percent())
}
