package lint

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

// filesOf builds scripts of texts, which stand in files with these names.
func filesOf(t *testing.T, texts map[string]string, before []string, names ...string) []Script {
	t.Helper()
	var list []Script
	for _, name := range names {
		b, err := bundle.Build(name, bundle.Options{Before: before, Read: func(path string) (string, error) {
			text, ok := texts[path]
			if !ok {
				return "", fs.ErrNotExist
			}
			return text, nil
		}})
		require.NoError(t, err)
		list = append(list, Built(b))
	}
	return list
}

// merged returns the findings of each file: their places, rules and messages.
func merged(t *testing.T, scripts []Script) map[string]string {
	t.Helper()
	l, err := New(Config{})
	require.NoError(t, err)
	seen := map[string]string{}
	for name, found := range Merge(scripts, l.LintFolder(scripts)) {
		var lines []string
		for _, f := range found {
			lines = append(lines, placeOf(f)+" "+f.Message)
		}
		seen[name] = strings.Join(lines, "; ")
	}
	return seen
}

func TestFindingsStandInTheirFiles(t *testing.T) {
	texts := map[string]string{
		"a.lua":    "local rcall = redis.call\n\n--- @include \"x\"\n\nlocal left = 1\nreturn x(KEYS[1])\n",
		"b.lua":    "local call = redis.call\n--- @include \"x\"\nreturn x(ARGV[1])\n",
		"x.lua":    "local function x(key)\n\n  local n = 1\n  return rcal('GET', key)\nend\nlocal function y() return rcall('PING') end\n",
		"part.lua": "local call = redis.call\nlocal unused = 1\n",
		"main.lua": "return call('GET', ARGV[1])",
		"bad.lua":  "--- @include \"x\"\nreturn +",
	}
	require.Equal(t, map[string]string{
		"a.lua": "5:7 unused-local the local left is never read",
		"b.lua": "1:7 unused-local the local call is never read",
		"x.lua": "3:9 unused-local the local n is never read; 4:10 undeclared-global there is no global rcal; " +
			"6:16 unused-local the local function y is never called; " +
			"6:27 undeclared-global there is no global rcall (in b.lua)",
	}, merged(t, filesOf(t, texts, nil, "a.lua", "b.lua")), "x.lua has what all scripts have, and what one has with its name")
	require.Equal(t, map[string]string{
		"main.lua": "1:20 undeclared-key the key ARGV[1] of GET comes from ARGV; pass it in KEYS",
		"part.lua": "2:7 unused-local the local unused is never read",
	}, merged(t, filesOf(t, texts, []string{"part.lua"}, "main.lua")))
	found := merged(t, filesOf(t, texts, []string{"part.lua"}, "bad.lua"))
	require.Len(t, found, 1, "a text that does not compile has one finding")
	require.True(t, strings.HasPrefix(found["bad.lua"], "2:1 syntax-error"), found)
}

func TestCommentsHideFindingsOfTheirFile(t *testing.T) {
	texts := map[string]string{
		"a.lua": "-- redmoon:disable-file unused-local\n--- @include \"x\"\nlocal a = 1\nreturn 1\n",
		"x.lua": "local n = 1\nlocal m = 1 -- redmoon:disable unused-local\n",
	}
	require.Equal(t, map[string]string{"x.lua": "1:7 unused-local the local n is never read"}, merged(t, filesOf(t, texts, nil, "a.lua")))
}

func TestRepairsOfSharedFilesNeedAPerson(t *testing.T) {
	texts := map[string]string{
		"a.lua": "--- @include \"x\"\nlocal v = redis.call('GET', KEYS[1])\nif v == nil then return x() end\nreturn v\n",
		"x.lua": "local function x()\n  local v = redis.call('GET', KEYS[1])\n  if v == nil then return 1 end\n  return v\nend\n",
	}
	l, err := New(Config{})
	require.NoError(t, err)
	scripts := filesOf(t, texts, nil, "a.lua")
	found := Merge(scripts, l.LintFolder(scripts))
	require.Len(t, found["a.lua"], 1)
	require.False(t, found["a.lua"][0].Fix.OneByOne)
	text, n := Apply(texts["a.lua"], found["a.lua"])
	require.Equal(t, 1, n)
	require.Equal(t, strings.Replace(texts["a.lua"], "v == nil", "v == false", 1), text)
	require.Len(t, found["x.lua"], 1)
	require.True(t, found["x.lua"][0].Fix.OneByOne)
}
