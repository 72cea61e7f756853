package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func TestConfiguration(t *testing.T) {
	c, err := Parse([]byte("\ufeff" + `
redis = "6.2"
servers = ["redis-7.0", "valkey-9.1"]
exclude = ["vendor"]
drop-empty-lines = true

[folders]
lib = "../lib"

[[join]]
files = ["stock/*.lua"]
before = ["stock/common.lua"]
between = "\n"

[lint]
globals = ["prelude"]
severities = {shadowing = "off"}
`))
	require.NoError(t, err)
	require.Equal(t, &Config{
		Redis: "6.2", Servers: []string{"redis-7.0", "valkey-9.1"}, Exclude: []string{"vendor"}, DropEmptyLines: true,
		Folders: map[string]string{"lib": "../lib"},
		Join:    []Join{{[]string{"stock/*.lua"}, []string{"stock/common.lua"}, "\n"}},
		Lint:    Lint{map[string]string{"shadowing": "off"}, []string{"prelude"}},
	}, c)
	old, err := ParseJSON([]byte("\ufeff" + `{"redis": "6.2", "servers": ["redis-7.0", "valkey-9.1"], "exclude": ["vendor"],
		"join": [{"files": ["stock/*.lua"], "before": ["stock/common.lua"]}],
		"globals": ["prelude"], "severities": {"shadowing": "off"}}`))
	require.NoError(t, err)
	c.DropEmptyLines, c.Folders, c.Join[0].Between = false, nil, ""
	require.Equal(t, c, old, "the older form has the same fields")
}

func TestConfigurationIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"nope = 1":             "there is no field nope",
		"[lint]\nnope = 1":     "there is no field lint.nope",
		"redis = 7":            "line 1",
		"redis = ":             "line 1: ",
		"a = 1\nb\n":           "line 2: ",
		"exclude = ['[']":      `"[": syntax error in pattern`,
		"join = ['*.lua']":     "join",
		"[folders]\n'a/b'='x'": "a name without < > and /",
		"[folders]\na = ''":    "a name without < > and /",
	} {
		_, err := Parse([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err := Parse(nil)
	require.NoError(t, err, "an empty file says nothing")
	for text, want := range map[string]string{
		`{"nope": 1}`:                    `unknown field "nope"`,
		`{"folders": {}}`:                `unknown field "folders"`,
		`[]`:                             "the configuration must be a JSON object; its type is array",
		`null`:                           "the configuration must be a JSON object",
		` `:                              "the configuration is empty; the least is {}",
		`{"redis": 7}`:                   "the field redis cannot have the type number",
		`{"join": [{"files": "*.lua"}]}`: "the field join.files cannot have the type string",
		`{"redis" "7.0"}`:                "at byte 10: invalid character '\"' after object key",
		`{`:                              "unexpected EOF",
		`{"exclude": ["["]}`:             `"[": syntax error in pattern`,
		`{} {}`:                          "text after the end of the configuration",
	} {
		_, err := ParseJSON([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}

func TestTheNearestConfigurationCounts(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		Name: "redis = '6.2'", "a/" + OldName: `{"redis": "6.0"}`, "both/" + Name: "", "both/" + OldName: "{}", "bad/" + Name: "x",
		"b/c/x.lua": "",
	})
	for folder, want := range map[string]string{"": "6.2", "a": "6.0", "b/c": "6.2"} {
		p, err := Find(filepath.Join(dir, folder), ReadFile)
		require.NoError(t, err)
		require.Equal(t, want, p.Redis, folder)
	}
	_, err := Find(filepath.Join(dir, "both"), ReadFile)
	require.ErrorContains(t, err, "stand in one folder; move everything to redmoon.toml")
	_, err = Find(filepath.Join(dir, "bad"), ReadFile)
	require.ErrorContains(t, err, filepath.Join(dir, "bad", Name)+": line 1: ")
}

func TestScriptsAreBuiltByTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		Name: "folders = {lib = 'shared'}\n[[join]]\nfiles = ['stock/*.lua']\n" +
			"before = ['stock/common.lua', 'stock/more.lua']\nbetween = \"\\n\"\n",
		"stock/common.lua": "local a = 1", "stock/more.lua": "local b = 2", "stock/take.lua": "return a + b\n",
		"get.lua": "--- @include \"<lib>/x\"\nreturn x\n", "shared/x.lua": "local x = 1\n",
		"old/" + OldName: `{"join": [{"files": ["*.lua"], "before": ["b.lua"]}]}`, "old/a.lua": "return 1\n", "old/b.lua": "local b\n",
	})
	for name, want := range map[string]string{
		"stock/take.lua":   "local a = 1\nlocal b = 2\nreturn a + b\n",
		"stock/more.lua":   "local a = 1\nlocal b = 2", // a part has what always stands before it
		"stock/common.lua": "local a = 1",
		"get.lua":          "local x = 1\nreturn x\n",
		"old/a.lua":        "return 1\n", // the older form joins for the linter alone
	} {
		b, err := Build(filepath.Join(dir, filepath.FromSlash(name)), bundle.Options{})
		require.NoError(t, err)
		require.Equal(t, want, b.Text, name)
	}
	b, err := Build(filepath.Join(dir, "stock", "take.lua"), bundle.Options{Given: []string{filepath.Join(dir, "stock", "common.lua")}})
	require.NoError(t, err)
	require.Equal(t, "local b = 2\nreturn a + b\n", b.Text, "what is there already is not added again")
	require.Equal(t, 1, b.Line(2).Line)
	require.Equal(t, filepath.Join(dir, "stock", "take.lua"), b.Line(2).File)
}

func TestUsersOfAFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"commands/a.lua": "--- @include \"includes/x\"\n", "commands/b.lua": "--- @include \"includes/y\"\n", "commands/c.lua": "return 1\n",
		"commands/broken.lua": "--- @include \"nosuch\"\n", "commands/includes/x.lua": "local x\n",
		"commands/includes/y.lua": "--- @include \"x\"\nlocal y\n", "node_modules/d.lua": "--- @include \"../commands/includes/x\"\n",
	})
	p := &Project{Absolute: true}
	path := func(name string) string { return filepath.Join(dir, "commands", filepath.FromSlash(name)) }
	uses := p.Uses(path("includes/x.lua"), ReadText)
	require.Equal(t, []string{path("a.lua"), path("b.lua")}, uses[path("includes/x.lua")], "y.lua is a part of b.lua")
	require.Equal(t, []string{path("b.lua")}, uses[path("includes/y.lua")])
	require.Empty(t, uses[path("c.lua")])
	own := bundle.Whole(path("c.lua"), "return 1\n")
	require.Equal(t, []*bundle.Bundle{own}, p.Scripts(path("c.lua"), ReadText, own))
	list := p.Scripts(path("includes/x.lua"), ReadText, nil)
	require.Len(t, list, 2)
	require.Equal(t, "local x\n", list[0].Text)
}

// A configuration that is too long, or a folder, is an error.
func TestHostileConfigurations(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{Name: "x = \"" + strings.Repeat("y", MaxConfig) + "\"\n"})
	_, err := Find(dir, ReadFile)
	require.ErrorContains(t, err, Name)
	other := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(other, Name), 0o755))
	_, err = Find(other, ReadFile)
	require.Error(t, err)
}
