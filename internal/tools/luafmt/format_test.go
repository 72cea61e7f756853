package luafmt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

var update = flag.Bool("update", false, "write the results into testdata")

// Each file of testdata is a txtar archive: NAME is a script, NAME.want is the same formatted.
func TestStyle(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		var files []txtar.File
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			got, err := Format(string(f.Data), Options{})
			require.NoError(t, err, f.Name)
			files = append(files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
		}
		if *update {
			require.NoError(t, os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files}), 0o644))
			continue
		}
		require.Equal(t, len(files), len(archive.Files))
		for i, f := range archive.Files {
			require.Equal(t, string(f.Data), string(files[i].Data), f.Name)
		}
	}
}

func TestErrorsAreThoseOfRedis(t *testing.T) {
	for source, want := range map[string]string{
		"return +":                "ERR Error compiling script (new function): user_script:1: unexpected symbol near '+'",
		"#!lua name=l\nreturn +":  "ERR Error compiling function: user_function:2: unexpected symbol near '+'",
		"#!lua flags=x\nreturn 1": "ERR Unexpected flag in script shebang: x",
		"f\n(1)": "ERR Error compiling script (new function): " +
			"user_script:2: ambiguous syntax (function call x new statement) near '('",
		"return 1 -- \x00\nlocal a": "ERR Error compiling script (new function): user_script:2: '<eof>' expected near 'local'",
	} {
		_, err := Format(source, Options{})
		require.EqualError(t, err, want)
	}
}

func TestQuotes(t *testing.T) {
	const source = "f('a', \"b\", 'it\"s', \"it's\", '\\n', [[c]], 'd\\'e')\n"
	for quotes, want := range map[Quotes]string{
		KeepQuotes:   source,
		SingleQuotes: "f('a', 'b', 'it\"s', \"it's\", '\\n', [[c]], 'd\\'e')\n",
		DoubleQuotes: "f(\"a\", \"b\", 'it\"s', \"it's\", \"\\n\", [[c]], 'd\\'e')\n",
	} {
		got, err := Format(source, Options{Quotes: quotes})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestLineBreaksStay(t *testing.T) {
	for source, want := range map[string]string{
		"":                               "",
		" \n\n":                          "",
		"return 1":                       "return 1\n",
		"a=1\r\nb=2":                     "a = 1\r\nb = 2\r\n",
		"a=1\nb=2\r\n":                   "a = 1\nb = 2\n",
		"a=1\rb=2\n\r":                   "a = 1\nb = 2\n",
		"#!lua name=l\r\n\r\n\r\nf ( )":  "#!lua name=l\r\n\r\nf()\r\n",
		"#!lua\na = [[x\r\ny \n\n\n z]]": "#!lua\na = [[x\r\ny \n\n\n z]]\n",
		"-- only a comment  ":            "-- only a comment\n",
		"\xff='\xfe' --\xfd":             "",
	} {
		got, err := Format(source, Options{})
		if luatext.Check(source) != nil {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, source)
		require.Equal(t, want, got)
	}
}

func TestWidth(t *testing.T) {
	got, err := Format("f(aaaa, bbbb)", Options{Width: 10})
	require.NoError(t, err)
	require.Equal(t, "f(\n  aaaa,\n  bbbb\n)\n", got)
	got, err = Format("f('ääää', bb)", Options{Width: 13})
	require.NoError(t, err)
	require.Equal(t, "f('ääää', bb)\n", got, "columns are characters")
}

func TestIndentation(t *testing.T) {
	const source = "if a then\n  f(aaaa, {\n    b = 1 }) -- c\nend\n"
	for _, c := range []struct {
		indent Indent
		want   string
	}{
		{Indent{}, "if a then\n  f(aaaa, {\n    b = 1,\n  }) -- c\nend\n"},
		{Indent{Width: 4}, "if a then\n    f(aaaa, {\n        b = 1,\n    }) -- c\nend\n"},
		{Indent{Tab: true}, "if a then\n\tf(aaaa, {\n\t\tb = 1,\n\t}) -- c\nend\n"},
	} {
		got, err := Format(source, Options{Indent: c.indent})
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// A tab counts as so many columns of a line.
func TestTabsHaveAWidth(t *testing.T) {
	const source = "do f(aaaa, bbbb) end"
	for width, want := range map[int]string{
		0: "do\n\tf(\n\t\taaaa,\n\t\tbbbb\n\t)\nend\n", // 4 and 13
		3: "do\n\tf(aaaa, bbbb)\nend\n",
	} {
		got, err := Format(source, Options{Width: 16, Indent: Indent{Tab: true, Width: width}})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestDeepTextsDoNotExhaustTheStack(t *testing.T) {
	for _, source := range []string{
		"return " + strings.Repeat("(", 190) + "1" + strings.Repeat(")", 190),
		"return " + strings.Repeat("{", 190) + strings.Repeat("}", 190),
		strings.Repeat("do ", 190) + strings.Repeat("end ", 190),
		"return 1" + strings.Repeat(" + 1", 900),
		"return a" + strings.Repeat(".b", 900),
		"return f" + strings.Repeat("()", 900),
		"return " + strings.Repeat("- ", 190) + "1",
	} {
		require.True(t, check(t, source, source))
	}
}

// An include stays at the beginning of its line, and what is none does not become one.
func TestIncludesStayIncludes(t *testing.T) {
	for source, want := range map[string]string{
		"local function f()\n--- @include \"x\"\n  return 1\nend\n": "local function f()\n--- @include \"x\"\n  return 1\nend\n",
		"do\n    -- @include 'x'\nend\n":                            "do\n  -- @include 'x'\nend\n",
		"  --- @include \"x\"\nreturn 1\n":                          " --- @include \"x\"\nreturn 1\n",
		"return 1 --- @include \"x\"\n":                             "return 1 --- @include \"x\"\n",
		"local t = {\n--- @include \"x\"\n1}\nreturn t\n":           "local t = {\n--- @include \"x\"\n  1,\n}\nreturn t\n",
	} {
		got, err := Format(source, Options{})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
