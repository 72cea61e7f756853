package repo

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(filepath.Join(Root(), name))
	require.NoError(t, err)
	return string(b)
}

// section returns the text of a document below a heading, up to the next heading.
func section(t *testing.T, document, heading string) string {
	_, text, found := strings.Cut("\n"+document, "\n"+heading+"\n")
	require.True(t, found, "no heading %q", heading)
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

var firstCell = regexp.MustCompile("(?m)^\\| `([^`]+)` +\\|")

// cells returns what stands in backquotes in the first column of a table.
func cells(text string) []string {
	var list []string
	for _, m := range firstCell.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// compare requires that the table of a document lists exactly what there is; row says what a row is
// for.
func compare(t *testing.T, document, heading, row string, want []string) {
	t.Helper()
	listed := cells(section(t, read(t, document), heading))
	table := fmt.Sprintf("the table under %q of %s", strings.TrimLeft(heading, "# "), document)
	for _, name := range want {
		if !slices.Contains(listed, name) {
			t.Errorf("%s has no row for %s; a row is for %s", table, name, row)
		}
	}
	for i, name := range listed {
		if !slices.Contains(want, name) {
			t.Errorf("%s has a row for %s, which is not (or no longer) %s", table, name, row)
		}
		if slices.Contains(listed[:i], name) {
			t.Errorf("%s has two rows for %s", table, name)
		}
	}
}

// Every package of the main module has a row in the table of ARCHITECTURE.md, and every row has its
// package.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	packages, err := Packages(Root())
	require.NoError(t, err)
	var want []string
	for _, p := range packages {
		if p.Module == "." {
			want = append(want, p.Path)
		}
	}
	compare(t, "ARCHITECTURE.md", "## Packages", "a package of the main module", want)
}

// maxPackage is the number of lines above which a package needs a reason.
const maxPackage = 6000

// A package of more than 6,000 lines has its reason in ARCHITECTURE.md.
func TestLargePackagesHaveAReason(t *testing.T) {
	packages, err := Packages(Root())
	require.NoError(t, err)
	var large []string
	for _, p := range packages {
		if p.Lines > maxPackage {
			large = append(large, p.Path)
		}
	}
	compare(t, "ARCHITECTURE.md", "## Large packages", "a package with more than 6,000 lines outside tests", large)
}

var pathSpan = regexp.MustCompile("`([a-z0-9_.]+/[A-Za-z0-9_./-]*[A-Za-z0-9_])`")

// Paths that these documents name exist, in the repository or in the folder of difftest.
func TestNamedPathsExist(t *testing.T) {
	for _, document := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/testing.md"} {
		for _, m := range pathSpan.FindAllStringSubmatch(read(t, document), -1) {
			_, err := os.Stat(filepath.Join(Root(), m[1]))
			if err != nil {
				_, err = os.Stat(filepath.Join(Root(), "internal/testing/difftest", m[1]))
			}
			require.NoError(t, err, document)
		}
	}
}

// The code that an accepted difference names exists.
func TestDifferencesNameTheirCode(t *testing.T) {
	places := regexp.MustCompile(`(?m)^- where: (.*(?:\n  .*)*)$`).FindAllStringSubmatch(read(t, "docs/differences.md"), -1)
	require.NotEmpty(t, places)
	for _, m := range places {
		for place := range strings.SplitSeq(strings.Join(strings.Fields(m[1]), " "), ", ") {
			if place == "the rows" {
				continue
			}
			_, err := os.Stat(filepath.Join(Root(), place))
			require.NoError(t, err)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)

// Links to files of the repository lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	root := Root()
	files, err := Files(root, ".md")
	require.NoError(t, err)
	links := 0
	for _, name := range files {
		for _, m := range link.FindAllStringSubmatch(read(t, name), -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			links++
			_, err := os.Stat(filepath.Join(root, path.Dir(name), m[1]))
			require.NoError(t, err, "%s links to %s", name, m[1])
		}
	}
	require.Greater(t, links, 50)
}

// Every decision record has a number of its own, the six parts, and a row in the index.
func TestDecisionRecords(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(Root(), "docs/adr/[0-9]*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	index := read(t, "docs/adr/README.md")
	var rows []string
	numbers := map[string]bool{}
	for _, file := range files {
		name := filepath.Base(file)
		number := name[:4]
		require.False(t, numbers[number], "two records have number %s", number)
		numbers[number] = true
		text := read(t, "docs/adr/"+name)
		title, ok := strings.CutPrefix(strings.SplitN(text, "\n", 2)[0], "# "+number+". ")
		require.True(t, ok, "%s begins with \"# %s. Title\"", name, number)
		var parts []string
		for _, m := range part.FindAllStringSubmatch(text, -1) {
			parts = append(parts, m[1])
		}
		require.Equal(t, []string{"Status", "Date", "Context", "Decision", "Alternatives", "Consequences"}, parts, name)
		rows = append(rows, "["+number+"]("+name+") | "+title+" |")
	}
	for _, row := range rows {
		require.Contains(t, index, row)
	}
	require.Equal(t, len(rows), strings.Count(index, "\n| ["))
}

var part = regexp.MustCompile(`(?m)^(?:- \*\*|## )(Status|Date|Context|Decision|Alternatives|Consequences)\b`)

var variable = regexp.MustCompile(`\bREDMOON_[A-Z0-9_]*[A-Z0-9]\b`)

// docs/testing.md has a table of all environment variables, and of no other.
func TestEnvironmentVariablesAreInTheTable(t *testing.T) {
	root := Root()
	files, err := Files(root, ".go", ".mjs", ".js", ".ts", ".py", ".rb", ".php", ".java", ".cs", ".rs", ".sh", "Makefile", "run", "oracles")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		for _, v := range variable.FindAllString(string(b), -1) {
			used[v] = true
		}
	}
	compare(t, "docs/testing.md", "## Environment variables", "a variable that tests read", slices.Sorted(maps.Keys(used)))
}
