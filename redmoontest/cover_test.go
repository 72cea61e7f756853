package redmoontest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// TestIsCovered is run by other tests in processes of its own. It uses engines one after the other,
// at the same time, and after a restart.
func TestIsCovered(t *testing.T) {
	for range 3 {
		t.Run("one after the other", func(t *testing.T) {
			e := redmoontest.New(t)
			e.MustRun(e.Script("testdata/choice.lua"), nil, "a")
			e.Restart()
			e.MustRun(e.Script("testdata/choice.lua"), nil, "b")
		})
	}
	t.Run("at the same time", func(t *testing.T) {
		for range 3 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				e := redmoontest.New(t)
				e.MustRun(e.Script("testdata/choice.lua"), nil, "a")
				e.MustEval("return ARGV[1]", nil, "no file")
			})
		}
	})
}

// covered returns what processes that run TestIsCovered have written to the file.
func covered(t *testing.T, file string, processes int, env []string, flags ...string) []engine.ScriptCoverage {
	program, err := os.Executable()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			cmd := exec.Command(program, append([]string{"-test.run=^TestIsCovered$", "-test.count=1"}, flags...)...)
			cmd.Env = append(os.Environ(), env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	var set coverage.Set
	require.NoError(t, set.ReadFile(file))
	return set.Scripts()
}

func TestProcessesAppendToOneCoverageFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cover.json")
	scripts := covered(t, file, 4, []string{"REDMOON_COVER=" + file})
	require.Len(t, scripts, 2)
	require.Equal(t, "return ARGV[1]", scripts[0].Source)
	require.EqualValues(t, 4*3, scripts[0].Runs)
	require.Equal(t, "redmoontest/testdata/choice.lua", scripts[1].Name)
	require.EqualValues(t, 4*(3*2+3), scripts[1].Runs)
	require.EqualValues(t, 4*(3+3), scripts[1].Branches[0].Yes)
	require.EqualValues(t, 4*3, scripts[1].Branches[0].No)
}

func TestTheFlagComesBeforeTheVariable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cover.json")
	scripts := covered(t, file, 1, []string{"REDMOON_COVER=" + filepath.Join(dir, "other.json")}, "-redmoon.cover="+file)
	require.Len(t, scripts, 2)
	require.NoFileExists(t, filepath.Join(dir, "other.json"))
}

func TestAFileThatCannotBeWrittenFailsTheTest(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.Command(program, "-test.run=^TestIsCovered$", "-redmoon.cover="+filepath.Join(t.TempDir(), "no", "such")).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "redmoontest: coverage: open ")
}

func TestWithCoverage(t *testing.T) {
	c := engine.NewCoverage()
	e := redmoontest.New(t, redmoontest.WithCoverage(c))
	e.MustRun(e.Script("testdata/choice.lua"), nil, "a")
	require.Equal(t, "redmoontest/testdata/choice.lua", c.Scripts()[0].Name)
	require.EqualValues(t, 1, c.Scripts()[0].Runs)
}
