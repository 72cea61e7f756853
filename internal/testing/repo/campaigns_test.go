package repo

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The campaigns of make nightly are targets of the Makefile and jobs of the workflow.
func TestCampaignsAreTargetsAndJobs(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(Root(), path))
		require.NoError(t, err)
		return string(text)
	}
	words := func(text, pattern string) []string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, m, pattern)
		return strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" ,\\\n\t", r) })
	}
	makefile := read("Makefile")
	campaigns := words(makefile, `(?m)^NIGHTLY = ((?:.*\\\n)*.*)$`)
	require.Greater(t, len(campaigns), 10)
	require.Equal(t, campaigns, words(read(".github/workflows/nightly.yml"), `campaign: \[([^\]]*)\]`))
	for _, c := range campaigns {
		require.Regexp(t, `(?m)^`+c+`:$`, makefile)
	}
}

// The parts of .ci/run are jobs of the workflow, which has one more.
func TestPartsOfTheRunAreJobs(t *testing.T) {
	run, err := os.ReadFile(filepath.Join(Root(), ".ci/run"))
	require.NoError(t, err)
	jobs, err := os.ReadFile(filepath.Join(Root(), ".github/workflows/ci.yml"))
	require.NoError(t, err)
	want := map[string]bool{"systems": true} // .ci/run leaves it to make nightly
	for _, p := range regexp.MustCompile(`(?m)^ *run (\w+)`).FindAllStringSubmatch(string(run), -1) {
		want[p[1]] = true
	}
	delete(want, "install") // each part installs what it needs
	require.Greater(t, len(want), 3)
	have := map[string]bool{}
	for _, j := range regexp.MustCompile(`(?m)^          - (\w+)`).FindAllStringSubmatch(string(jobs), -1) {
		have[j[1]] = true
	}
	require.Equal(t, want, have)
}

// What the race detector leaves out are tests.
func TestTheRaceDetectorLeavesOutTests(t *testing.T) {
	race, err := os.ReadFile(filepath.Join(Root(), ".ci/race"))
	require.NoError(t, err)
	_, names, found := strings.Cut(string(race), "<<'TESTS'\n")
	require.True(t, found)
	names, _, _ = strings.Cut(names, "TESTS\n")
	files, err := Files(Root(), ".go")
	require.NoError(t, err)
	var tests []string
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "internal/testing/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(Root(), filepath.FromSlash(f)))
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, m[1])
		}
	}
	for name := range strings.Lines(names) {
		pattern := regexp.MustCompile("^" + strings.TrimSpace(name) + "$")
		require.True(t, slices.ContainsFunc(tests, pattern.MatchString), name)
	}
}
