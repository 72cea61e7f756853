package embedded_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

var update = flag.Bool("update", false, "write the results into testdata")

// find finds the scripts of a file and checks what holds of every script.
func find(t testing.TB, path, text string) []embedded.Script {
	list, err := embedded.Find(path, text, embedded.Rules())
	require.NoError(t, err)
	names := map[string]bool{}
	for i := range list {
		s := &list[i]
		require.False(t, names[s.Name], "%s is there twice", s.Name)
		names[s.Name] = true
		checkPlaces(t, s, text)
		same, err := s.Replace(s.Text)
		require.NoError(t, err)
		require.Equal(t, text, same)
	}
	return list
}

// checkPlaces goes from each byte of a script to the file and back.
func checkPlaces(t testing.TB, s *embedded.Script, file string) {
	require.LessOrEqual(t, s.From, s.To)
	for _, h := range s.Holes {
		require.Equal(t, h.From, s.At(h.Offset))
		require.Contains(t, s.Text[h.Offset:h.Offset+h.Size], "__hole")
	}
	last := 0
	for at := range len(s.Text) {
		from := s.At(at)
		require.True(t, from >= 0 && from <= len(file), "byte %d of %s is at %d", at, s.Name, from)
		back, ok := s.Find(from)
		if ok && back == at {
			last = at
		}
		require.True(t, !ok || back <= at, "byte %d of %s", at, s.Name)
	}
	require.LessOrEqual(t, last, len(s.Text))
	require.GreaterOrEqual(t, s.At(len(s.Text)), 0)
}

// describe writes scripts with their places.
func describe(file string, list []embedded.Script) string {
	var out strings.Builder
	for i := range list {
		s := &list[i]
		fromLine, fromColumn := s.Line(s.From)
		toLine, toColumn := s.Line(s.To)
		fmt.Fprintf(&out, "%s %d:%d-%d:%d %s", s.Name, fromLine, fromColumn, toLine, toColumn, s.Rule)
		if s.Changed {
			out.WriteString(" changed")
		}
		out.WriteString("\n")
		for _, h := range s.Holes {
			line, column := s.Line(h.From)
			fmt.Fprintf(&out, "  hole at %d:%d: %s, %q\n", line, column, h.Kind, file[h.From:h.To])
		}
		offset := 0
		for l := range strings.SplitAfterSeq(s.Text, "\n") {
			if l != "" {
				line, column := s.Line(s.At(offset))
				fmt.Fprintf(&out, "  %d:%d %q\n", line, column, l)
			}
			offset += len(l)
		}
	}
	return out.String()
}

// TestLanguages compares what is found in files of each language. The file want has the scripts,
// the holes, and each line with the place of its beginning.
func TestLanguages(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.Len(t, archives, 9)
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			var got strings.Builder
			var want string
			var files []txtar.File
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files = append(files, f)
				got.WriteString(describe(string(f.Data), find(t, f.Name, string(f.Data))))
				windows := strings.ReplaceAll(string(f.Data), "\n", "\r\n")
				require.Equal(t, len(find(t, f.Name, string(f.Data))), len(find(t, f.Name, windows)), "with line breaks of Windows")
			}
			if *update {
				archive.Files = append(files, txtar.File{Name: "want", Data: []byte(got.String())})
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, want, got.String())
		})
	}
}

// TestMargins has what the languages' own compilers make of indentations.
func TestMargins(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"Java removes margins before it reads escapes": {"A.java",
			"x.eval(\"\"\"\n    return KEYS[1] --\\\n  a\n   \n    \"\"\", 1);", "  return KEYS[1] --a\n\n"},
		"a closing mark of Java counts": {"A.java", "x.eval(\"\"\"\n    return 1  \n  \"\"\", 1);", "  return 1\n"},
		"Python's dedent reads escapes first": {"a.py",
			"x.eval(textwrap.dedent(\"\"\"\\\n  return KEYS[1] --\\n  a\n \\t\n\"\"\"))", "return KEYS[1] --\na\n\n"},
		"blanks and tabs are not the same": {"a.py", "x.eval(textwrap.dedent(\"\"\"\n  return 1,\n \t2\"\"\"))", "\n return 1,\n\t2"},
		"a backslash of Rust takes the white space behind it": {"a.rs",
			"fn f() { x.eval(\"return \\\n   \n  1\") }", "return 1"},
	} {
		t.Run(name, func(t *testing.T) {
			list := find(t, c.file, c.text)
			require.Len(t, list, 1)
			require.Equal(t, c.want, list[0].Text)
		})
	}
}
