package bundle_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// build builds main.lua of a set of files.
func build(t *testing.T, sources map[string]string, o bundle.Options) (*bundle.Bundle, error) {
	dir := t.TempDir()
	for name, text := range sources {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	for name, folder := range o.Folders {
		o.Folders[name] = filepath.Join(dir, folder)
	}
	b, err := bundle.Build(filepath.Join(dir, "main.lua"), o)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(dir)+"/", ""))
	}
	return b, nil
}

func TestBuild(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing is included": {map[string]string{"main.lua": "a\n\nb\n"}, "a\n\nb\n"},
		"both kinds of quotes, two and three dashes": {map[string]string{
			"main.lua": "--- @include \"x\"\n--\t@include 'y.lua' ;\nreturn 1", "x.lua": "local x", "y.lua": "local y"},
			"local x\nlocal y\nreturn 1"},
		"each once, where it is named first": {map[string]string{
			"main.lua": "--- @include \"x\"\n--- @include \"y\"\n--- @include \"y\"\nz\n",
			"x.lua":    "--- @include \"y\"\nx\n", "y.lua": "y\n"},
			"y\nx\nz\n"},
		"relative to the file": {map[string]string{
			"main.lua": "--- @include \"in/x\"\nz\n", "in/x.lua": "--- @include \"y\"\n--- @include \"../y\"\n",
			"in/y.lua": "inner\n", "y.lua": "outer\n"},
			"inner\nouter\nz\n"},
		"folders with names": {map[string]string{
			"main.lua": "--- @include \"<lib>/x\"\nz\n", "far/away/x.lua": "x\n"}, "x\nz\n"},
		"patterns": {map[string]string{
			"main.lua": "--- @include \"in/*\"\nz\n", "in/b.lua": "b\n", "in/a.lua": "a\n", "in/no.txt": "", "in/deep/c.lua": "c\n"},
			"a\nb\nz\n"},
		"blank lines go": {map[string]string{
			"main.lua": "\n--- @include \"x\"\n\n\n  local a \n \t\n\n\nlocal b\n\n  ", "x.lua": "\n\n\nx\n  \n"},
			"x\n  local a \nlocal b\n  "},
		"line breaks of Windows": {map[string]string{
			"main.lua": "--- @include \"x\"\r\n\r\nlocal b\r\n", "x.lua": "x\r\n"}, "x\r\nlocal b\r\n"},
		"not at the beginning of a line": {map[string]string{
			"main.lua": "  --- @include \"x\"\nf() --- @include \"x\"\n---- @include \"x\"\n\n"},
			"  --- @include \"x\"\nf() --- @include \"x\"\n---- @include \"x\"\n\n"},
		"within a comment and a string, as the builds do": {map[string]string{
			"main.lua": "--[[\n--- @include \"x\"\n]]\nreturn [[\n--- @include \"x\"\n]]", "x.lua": "x"}, "--[[\nx\n]]\nreturn [[\n]]"},
		"the script is not included again": {map[string]string{
			"main.lua": "--- @include \"x\"\nz\n", "x.lua": "--- @include \"./in/../y\"\nx\n", "y.lua": "y\n"}, "y\nx\nz\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := build(t, c.files, bundle.Options{Folders: map[string]string{"lib": "far/away"}})
			require.NoError(t, err)
			require.Equal(t, c.want, b.Text)
			checkPlaces(t, b)
		})
	}
}

// checkPlaces compares every byte of a text with the byte of the file from which it comes.
func checkPlaces(t *testing.T, b *bundle.Bundle) {
	texts := map[string]string{}
	for _, file := range b.Files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[file] = string(text)
	}
	for at := range len(b.Text) {
		p := b.At(at)
		source := texts[p.File]
		require.Equal(t, b.Text[at], source[p.Offset], "byte %d of %q", at, b.Text)
		require.Equal(t, 1+strings.Count(source[:p.Offset], "\n"), p.Line)
		require.Equal(t, p.Offset-strings.LastIndexByte(source[:p.Offset], '\n'), p.Column)
		back, ok := b.Find(p.File, p.Offset)
		require.True(t, ok)
		require.Equal(t, at, back)
	}
	for n, line := range strings.Split(b.Text, "\n") {
		p := b.Line(n + 1)
		require.True(t, strings.HasPrefix(texts[p.File][p.Offset:], line[:min(len(line), 1)]), "line %d", n+1)
	}
	next := 1
	for _, r := range b.Runs() {
		require.Equal(t, next, r.First, "runs have no gaps")
		require.Positive(t, r.Count)
		for i := range r.Count {
			p := b.Line(r.First + i)
			require.Equal(t, bundle.Place{File: r.File, Line: r.Line + i}, bundle.Place{File: p.File, Line: p.Line})
			back, ok := b.FindLine(p.File, p.Line)
			require.True(t, ok)
			require.Equal(t, r.First+i, back)
		}
		require.Equal(t, texts[r.File], b.Source(r.File))
		next += r.Count
	}
	require.Equal(t, b.Lines(), next-1)
}

func TestWhatCannotBeBuilt(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a cycle": {map[string]string{
			"main.lua": "\n--- @include \"in/x\"\n", "in/x.lua": "--- @include \"../y\"\n", "y.lua": "--\n-- @include \"in/x\"\n"},
			`main.lua:2: in/x.lua:1: y.lua:2: include "in/x": files include themselves: in/x.lua -> y.lua -> in/x.lua`},
		"the script itself": {map[string]string{"main.lua": "--- @include \"main\"\n"},
			`main.lua:1: include "main": files include themselves: main.lua -> main.lua`},
		"no such file": {map[string]string{"main.lua": "--- @include \"x\"\n"},
			`main.lua:1: include "x": open x.lua: no such file or directory`},
		"no such folder": {map[string]string{"main.lua": "--- @include \"<x>/y\"\n"},
			`main.lua:1: include "<x>/y": the configuration names no folder <x>`},
		"nothing matches": {map[string]string{"main.lua": "--- @include \"x*\"\n"}, `main.lua:1: include "x*": file does not exist`},
		"a bad pattern":   {map[string]string{"main.lua": "--- @include \"[\"\n"}, `main.lua:1: include "[": syntax error in pattern`},
		"no script":       {nil, "open main.lua: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := build(t, c.files, bundle.Options{})
			require.EqualError(t, err, c.want)
		})
	}
}

// endless reads files that never end, or never end to include others.
func endless(text func(n int) string) bundle.Options {
	return bundle.Options{Read: func(file string) (string, error) {
		var n int
		_, err := fmt.Sscanf(path.Base(filepath.ToSlash(file)), "%d.lua", &n)
		return text(n), err
	}}
}

func TestBundlesHaveLimits(t *testing.T) {
	_, err := bundle.Build("0.lua", endless(func(n int) string { return fmt.Sprintf("--- @include \"%d\"\n", n+1) }))
	require.ErrorContains(t, err, "more than 200 files include one another")
	long := strings.Repeat("x", 1<<20)
	_, err = bundle.Build("0.lua", endless(func(n int) string {
		if n > 0 {
			return long
		}
		var all strings.Builder
		for i := range 100 {
			fmt.Fprintf(&all, "--- @include \"%d\"\n", i+1)
		}
		return all.String()
	}))
	require.EqualError(t, err, "0.lua: with what it includes, it is longer than 16777216 bytes")
}

func TestEmptyLinesOfAScriptWithoutIncludes(t *testing.T) {
	b, err := build(t, map[string]string{"main.lua": "a\n\n \nb\n"}, bundle.Options{DropEmptyLines: true})
	require.NoError(t, err)
	require.Equal(t, "a\nb\n", b.Text)
	require.Equal(t, 4, b.Line(2).Line)
	for line, want := range map[int]int{1: 1, 2: 2, 3: 2, 4: 2, 5: 3} {
		found, ok := b.FindLine(b.Files[0], line)
		require.True(t, ok)
		require.Equal(t, want, found, "from line %d on", line)
	}
	_, ok := b.FindLine(b.Files[0], 6)
	require.False(t, ok)
	_, ok = b.FindLine("other.lua", 1)
	require.False(t, ok)
	checkPlaces(t, b)
}

func TestWhole(t *testing.T) {
	b := bundle.Whole("x.lua", "a\n\nb")
	require.Equal(t, bundle.Place{File: "x.lua", Line: 3, Column: 1, Offset: 3}, b.Line(3))
	require.Equal(t, bundle.Place{File: "x.lua", Line: 3, Column: 2, Offset: 4}, b.At(100), "behind the end")
	require.Equal(t, bundle.Place{File: "x.lua", Line: 1, Column: 1}, bundle.Whole("x.lua", "").At(0))
	require.Equal(t, "da39a3ee5e6b4b0d3255bfef95601890afd80709", bundle.Whole("x.lua", "").SHA1())
}

// Partials of ERB are put where they stand, as often as they are named, and found from the script.
func TestPartials(t *testing.T) {
	texts := map[string]string{
		"lua/lock.lua":          "<%= include_partial \"shared/head.lua\" %>\n\nlocal x = <%=include_partial('shared/one')%>\nreturn x\n",
		"lua/shared/head.lua":   "local a = <%= include_partial \"shared/one.lua\" %>\n",
		"lua/shared/one.lua":    "1",
		"lua/cycle.lua":         "<%= include_partial 'cycle.lua' %>",
		"lua/strings.lua":       "return '<%= other %>'",
		"lua/deep.lua":          strings.Repeat("<%= include_partial 'deep2' %>", 200),
		"lua/deep2.lua":         strings.Repeat("<%= include_partial 'deep3' %>", 200),
		"lua/deep3.lua":         "",
		"lua/shared/unused.lua": "",
	}
	read := func(path string) (string, error) {
		text, ok := texts[filepath.ToSlash(path)]
		if !ok {
			return "", fs.ErrNotExist
		}
		return text, nil
	}
	b, err := bundle.Build("lua/lock.lua", bundle.Options{Read: read})
	require.NoError(t, err)
	require.Equal(t, "local a = 1\n\n\nlocal x = 1\nreturn x\n", b.Text, "no line is dropped")
	require.Equal(t, bundle.Place{File: "lua/lock.lua", Line: 4, Column: 1, Offset: strings.Index(texts["lua/lock.lua"], "return")}, b.Line(5))
	_, err = bundle.Build("lua/cycle.lua", bundle.Options{Read: read})
	require.ErrorContains(t, err, "files include themselves: cycle.lua -> cycle.lua")
	b, err = bundle.Build("lua/strings.lua", bundle.Options{Read: read})
	require.NoError(t, err)
	require.Equal(t, texts["lua/strings.lua"], b.Text)
	_, err = bundle.Build("lua/deep.lua", bundle.Options{Read: read})
	require.ErrorContains(t, err, "more than 10000 files")
}

func TestJoin(t *testing.T) {
	a, err := build(t, map[string]string{"main.lua": "--- @include \"x\"\nreturn x\n", "x.lua": "\nlocal x = 1\n"}, bundle.Options{})
	require.NoError(t, err)
	first := bundle.Whole("script", "local first\n")
	all := bundle.Join(first, a, bundle.Whole("script", "local last\n"), first)
	require.Equal(t, "local first\n"+a.Text+"local last\nlocal first\n", all.Text)
	var places []string
	for line := 1; line <= all.Lines(); line++ {
		at := all.Line(line)
		places = append(places, fmt.Sprintf("%s:%d", path.Base(filepath.ToSlash(at.File)), at.Line))
	}
	require.Equal(t, []string{"script:1", "x.lua:2", "main.lua:2", "script (2):1", "script:1", "script:2"}, places)
	require.Len(t, all.Files, 4, "a name with two texts is two files")
	require.Equal(t, "local last\n", all.Source("script (2)"))
	require.Equal(t, 1, bundle.Join(bundle.Whole("script", "")).Line(1).Line)
}
