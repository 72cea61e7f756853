package wild

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/luacorpus"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

// TestScriptsInProgramsOfPackages finds the scripts in the programs of the packages that this
// module plays: those that a person has marked, and no others.
func TestScriptsInProgramsOfPackages(t *testing.T) {
	folders, err := luacorpus.Folders(".")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	marks, err := luacorpus.ReadMarks("../../luacorpus/testdata/embedded.tsv")
	require.NoError(t, err)
	texts := map[string]string{}
	var differ []string
	table := "package | files | scripts | missed | false\n"
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		f, err := marks.Find(name, folders[name])
		require.NoError(t, err)
		table += fmt.Sprintf("%s | %d | %d | %d | %d\n", f.Package, f.Files, f.Scripts, f.Missed, f.Falses)
		differ = append(differ, f.Differ...)
		maps.Copy(texts, f.Texts)
	}
	t.Logf("\n%s", table)
	require.Empty(t, differ, "read these places, and mend the rules or the table:\n%s", strings.Join(differ, "\n"))

	// What another reader finds in programs is found too, with the same text.
	scripts, err := luacorpus.Published(".")
	require.NoError(t, err)
	compared := 0
	for _, s := range scripts {
		if embedded.Knows(s.File) {
			require.Contains(t, texts, s.Source, "%s: %s:%d", s.Package, s.File, s.Line)
			compared++
		}
	}
	require.Greater(t, compared, 100)
}

// TestFormattedScriptsGoBack formats the scripts in programs and puts them back. Only what a
// program changes itself is refused.
func TestFormattedScriptsGoBack(t *testing.T) {
	folders, err := luacorpus.Folders(".")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	changed, refused, broken := 0, 0, 0
	for name, dir := range folders {
		f, err := new(luacorpus.Marks).Find(name, dir)
		require.NoError(t, err)
		for i := range f.List {
			s := &f.List[i]
			text, err := luafmt.Format(s.Text, luafmt.Options{})
			if err != nil {
				broken++
				continue
			}
			if text == s.Text {
				continue
			}
			if _, err := s.Replace(text); s.Changed {
				require.ErrorContains(t, err, "the program changes the text")
				refused++
			} else {
				require.NoError(t, err, name)
				changed++
			}
		}
	}
	t.Logf("%d put back, %d refused, %d are not formatted", changed, refused, broken)
	require.Greater(t, changed, 100)
}

// TestProgramsWithoutScripts finds none in the programs of the other packages of npm.
func TestProgramsWithoutScripts(t *testing.T) {
	folders, err := luacorpus.Folders(".")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	files := 0
	entries, err := os.ReadDir("npm/node_modules")
	require.NoError(t, err)
	for _, e := range entries {
		if folders[e.Name()] != "" || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "@redis") {
			continue
		}
		f, err := new(luacorpus.Marks).Find("", filepath.Join("npm/node_modules", e.Name()))
		require.NoError(t, err)
		require.Empty(t, f.Texts, e.Name())
		files += f.Files
	}
	t.Logf("%d files", files)
	require.Greater(t, files, 200)
}
