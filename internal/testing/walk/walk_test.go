package walk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestWalks runs the walks. With REDMOON_WALK=fresh each has caches of its own, which are empty.
func TestWalks(t *testing.T) {
	tier.Landing(t)
	if _, err := exec.LookPath("go"); err != nil {
		require.Empty(t, os.Getenv("CI"), "the go command must be on the PATH")
		t.Skip("the go command is not on the PATH")
	}
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPO", root)
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-mod=mod -buildvcs=false")
			env.Setenv("GOBIN", filepath.Join(env.WorkDir, "bin"))
			env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			return setCaches(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"step": step, "lines": lines},
	})
}

// setCaches gives a walk the caches of the go command, or empty ones.
func setCaches(env *testscript.Env) error {
	fresh := os.Getenv("REDMOON_WALK") == "fresh"
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GONOSUMDB", "GOSUMDB"} {
		if fresh && strings.HasSuffix(name, "CACHE") {
			env.Setenv(name, filepath.Join(env.WorkDir, "."+strings.ToLower(name)))
			continue
		}
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(out)))
	}
	switch {
	case fresh:
		env.Setenv("GOFLAGS", env.Getenv("GOFLAGS")+" -modcacherw") // so that the folder can be removed
	case strings.Contains(os.Getenv("GOFLAGS"), "-trimpath"): // as what is in the cache
		env.Setenv("GOFLAGS", env.Getenv("GOFLAGS")+" -trimpath")
	}
	return nil
}

// step is exec that notes how long the command took.
func step(ts *testscript.TestScript, neg bool, args []string) {
	start := time.Now()
	err := ts.Exec(args[0], args[1:]...)
	fmt.Printf("%-10s %6.1f s  %s\n", ts.Name(), time.Since(start).Seconds(), strings.Join(args, " "))
	if (err != nil) != neg {
		ts.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// lines notes how many lines, except empty ones, files have.
func lines(ts *testscript.TestScript, _ bool, args []string) {
	n := 0
	for _, name := range args {
		for line := range strings.Lines(ts.ReadFile(name)) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
	}
	fmt.Printf("%-10s %6d lines in %s\n", ts.Name(), n, strings.Join(args, ", "))
}
