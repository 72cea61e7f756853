package repo

import (
	"os"
	"path/filepath"
	"regexp"
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

// The parts of .ci/run are jobs of the workflow.
func TestPartsOfTheRunAreJobs(t *testing.T) {
	run, err := os.ReadFile(filepath.Join(Root(), ".ci/run"))
	require.NoError(t, err)
	jobs, err := os.ReadFile(filepath.Join(Root(), ".github/workflows/ci.yml"))
	require.NoError(t, err)
	parts := regexp.MustCompile(`(?m)^run (\w+)$`).FindAllStringSubmatch(string(run), -1)
	require.NotEmpty(t, parts)
	for _, p := range parts {
		if p[1] != "install" { // each part installs what it needs
			require.Regexp(t, `(?m)^ +- `+p[1]+`( |$)`, string(jobs))
		}
	}
}
