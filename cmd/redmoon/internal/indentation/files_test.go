package indentation

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

var (
	tab   = luafmt.Indent{Tab: true}
	tab8  = luafmt.Indent{Tab: true, Width: 8}
	three = luafmt.Indent{Width: 3}
	four  = luafmt.Indent{Width: 4}
)

// in returns the files of a tree, by their slash-separated paths below the root.
func in(t *testing.T, tree map[string]string) *Files {
	root, err := filepath.Abs(string(filepath.Separator))
	require.NoError(t, err)
	return &Files{Read: func(path string) ([]byte, error) {
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		if text, ok := tree[filepath.ToSlash(name)]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
}

// of returns the indentation of /a/b/x.lua with one file /.editorconfig.
func of(t *testing.T, text string, otherwise luafmt.Indent) (luafmt.Indent, error) {
	return in(t, map[string]string{Name: text}).Of("/a/b/x.lua", Flag{}, otherwise)
}

func TestProperties(t *testing.T) {
	for _, c := range []struct {
		text      string
		otherwise luafmt.Indent
		want      luafmt.Indent
	}{
		{"", luafmt.Indent{}, luafmt.Indent{}},
		{"", tab8, tab8},
		{"[*]\nindent_style = tab", luafmt.Indent{}, tab},
		{"[*]\nindent_style = tab", three, tab},
		{"[*]\nindent_style = tab", tab8, tab8},
		{"[*]\nindent_style = space", tab8, luafmt.Indent{}},
		{"[*]\nindent_style = space", three, three},
		{"[*]\nindent_style = space\nindent_size = 4", tab8, four},
		{"[*]\nindent_size = 4", luafmt.Indent{}, four},
		{"[*]\nindent_size = 8", tab, tab8},
		{"[*]\nindent_style = tab\nindent_size = 8", luafmt.Indent{}, tab8},
		{"[*]\nindent_style = tab\nindent_size = 2\ntab_width = 8", luafmt.Indent{}, tab8},
		{"[*]\nindent_style = space\nindent_size = 4\ntab_width = 8", luafmt.Indent{}, four},
		{"[*]\nindent_style = space\nindent_size = tab\ntab_width = 4", luafmt.Indent{}, four},
		{"[*]\nindent_style = tab\nindent_size = tab", luafmt.Indent{}, tab},
		{"[*]\ntab_width = 4", luafmt.Indent{}, four},
		{"[*]\nIndent_Style = TAB\nTAB_WIDTH=8", luafmt.Indent{}, tab8},
		{"[*]\nindent_style = tab\n[*.lua]\nindent_style = unset", three, three},
		{"[*]\nindent_size = 8\n[*.lua]\nindent_size = 4 # four\n", luafmt.Indent{}, four},
		{"[*]\ncharset = utf-8\nmax_line_length = x\ntrim_trailing_whitespace = x", three, three},
		{"[*]\nindent_size\nindent_style: tab\n[*\n=\nindent_size = 4\n[x]x]\nindent_size = 8", luafmt.Indent{}, four},
		{"\ufeff[*]\nindent_size = 4", luafmt.Indent{}, four},
		{"indent_size = 8\n[*]", three, three},
		{"; a comment\r\nroot = true\r\n\r\n[*]\r\nindent_size = 4\r\n", luafmt.Indent{}, four},
	} {
		got, err := of(t, c.text, c.otherwise)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, "%s, else %+v", c.text, c.otherwise)
	}
}

func TestSections(t *testing.T) {
	for name, matches := range map[string]bool{
		"*": true, "*.lua": true, "*.{lua,js}": true, "*.{js,lua}": true, "x.lua": true, "?.lua": true, "[xy].lua": true,
		"[!x].lua": false, "**.lua": true, "/a/**": true, "a/b/*.lua": true, "a/*.lua": false, "/a/*/x.lua": true, "b/*.lua": false,
		"**/b/*.lua": true, "*.LUA": false, "*.js": false, "{x,y}.lua": true, "x.{lua}": false, "*.lua,*.js": false,
		"{1..3}.lua": false, "{0..99999999999999999999}": false, "[": false, "[z-a].lua": false, "[]": false,
		strings.Repeat("x", 5000): false, "{x,{y,z}}.lua": true, "{y,{z,x}}.lua": true, "{x,y.lua": false, `\x.lua`: true, `\*.lua`: false,
		"[^x].lua": false, "[!y].lua": true, "[a-z].lua": true, "[a/x].lua": false, "{,z}x.lua": true, "": false,
	} {
		got, err := of(t, "["+name+"]\nindent_style = tab", luafmt.Indent{})
		require.NoError(t, err, name)
		require.Equal(t, matches, got.Tab, name)
	}
	f := in(t, map[string]string{Name: "[{{1..3},x}.lua]\nindent_style = tab\n[{x}.lua]\nindent_style = tab\n" +
		`[\[x\].lua]` + "\nindent_style = tab"})
	for path, matches := range map[string]bool{"/2.lua": true, "/a/3.lua": true, "/4.lua": false, "/x.lua": true, "/0.lua": false,
		"/{x}.lua": true, "/[x].lua": true, "/-1.lua": false} {
		got, err := f.Of(path, Flag{}, luafmt.Indent{})
		require.NoError(t, err)
		require.Equal(t, matches, got.Tab, path)
	}
}

func TestTheNearestFileWins(t *testing.T) {
	tree := map[string]string{
		Name:            "[*]\nindent_style = tab\ntab_width = 8",
		"a/" + Name:     "[*.lua]\nindent_style = space\nindent_size = 3",
		"a/top/" + Name: "root = TRUE\n[*.js]\nindent_size = 5",
	}
	f := in(t, tree)
	for path, want := range map[string]luafmt.Indent{
		"/x.lua": tab8, "/b/x.lua": tab8, "/a/x.lua": three, "/a/b/x.lua": three, "/a/top/x.lua": {}, "/a/top/b/x.lua": {},
	} {
		got, err := f.Of(path, Flag{}, luafmt.Indent{})
		require.NoError(t, err)
		require.Equal(t, want, got, path)
	}
}

func TestTheFlagWins(t *testing.T) {
	f := in(t, map[string]string{Name: "[*]\nindent_style = space\nindent_size = 8"})
	for value, want := range map[string]luafmt.Indent{"3": three, "16": {Width: 16}, "tab": tab8} {
		var flag Flag
		require.NoError(t, flag.UnmarshalText([]byte(value)))
		got, err := f.Of("/x.lua", flag, four)
		require.NoError(t, err)
		require.Equal(t, want, got, value)
	}
	for _, value := range []string{"", "0", "-1", "17", "tabs", "2.5", "Tab"} {
		require.EqualError(t, new(Flag).UnmarshalText([]byte(value)), "must be tab, or a number of spaces from 1 to 16", value)
	}
}

func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		"[*]\nindent_size = x":                     ".editorconfig of /a/b/x.lua: indent_size = x: must be from 1 to 16",
		"[*]\nindent_size = 0":                     ".editorconfig of /a/b/x.lua: indent_size = 0: must be from 1 to 16",
		"[*]\ntab_width = 17":                      ".editorconfig of /a/b/x.lua: tab_width = 17: must be from 1 to 16",
		"[*]\nindent_style = no":                   ".editorconfig of /a/b/x.lua: indent_style = no: must be tab or space",
		"[*]\na = " + strings.Repeat("x", maxFile): ".editorconfig: longer than 65536 bytes",
	} {
		got, err := of(t, text, three)
		require.ErrorContains(t, err, want)
		require.Equal(t, three, got)
	}
	broken := errors.New("broken")
	f := &Files{Read: func(string) ([]byte, error) { return nil, broken }}
	_, err := f.Of("/x.lua", Flag{}, three)
	require.ErrorIs(t, err, broken)
}

// A folder with the name of the file is not read, and a pipe is not waited for.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	_, err := new(Files).Of(filepath.Join(t.TempDir(), "x.lua"), Flag{}, three)
	require.NoError(t, err)
	_, err = ReadFile(t.TempDir())
	require.ErrorContains(t, err, "is a directory")
}

// Any file gives an indentation or an error.
func FuzzFiles(f *testing.F) {
	f.Add("root = true\n[*.{lua,js}]\nindent_style = tab\n")
	f.Add("[{1..3}[!a]**/x\\]?]\nindent_size = 4 ; c\n[*]\n\"a\" = `b\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := of(t, text, luafmt.Indent{})
		if err == nil {
			require.LessOrEqual(t, got.Width, luafmt.MaxIndent)
		}
	})
}
