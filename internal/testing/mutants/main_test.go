package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain stands in for the command, which go test runs in place of the test binaries it builds.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "-collect" {
		if err := collect(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		return
	}
	os.Exit(m.Run())
}

// A module with a mutant of each end: one that a test finds, one that crashes the process, one that
// survives, one that no test reaches, and one that does not compile.
func TestWholeRun(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"resp/a.go": `package resp

func Less(a, b int) bool { return a < b }

func Last(s []byte) byte { return s[len(s)-1] }

func Crash(list []int) {
	done := make(chan int)
	go func() { done <- list[0] }()
	<-done
}

func Unused(a, b int) bool { return a == b }

var top byte = 255
`,
		"resp/a_test.go": `package resp

import (
	"os/exec"
	"testing"
)

func TestLess(t *testing.T) {
	if Less(2, 1) || !Less(1, 2) {
		t.Fatal("less")
	}
}

func TestLast(t *testing.T) {
	if Last([]byte("ab")) != 'b' {
		t.Fatal("last")
	}
}

func TestCrash(t *testing.T) { Crash([]int{1}) }

func TestOther(t *testing.T) {}

func TestGo(t *testing.T) {
	if err := exec.Command("go", "version").Run(); err != nil {
		t.Fatal(err)
	}
}
`,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	saved := filepath.Join(root, "saved")
	percent, err := run(options{dir: root, count: 50, seed: 1, save: saved, workers: 2, memory: 8000, longest: time.Minute})
	require.NoError(t, err)
	require.InDelta(t, 50, percent, 0.1) // + and [1] are killed, < survives, == is not reached
	text, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.Equal(t, 4, strings.Count(string(text), "\n"), "%s", text)
	require.NotContains(t, string(text), "top")

	percent, err = run(options{dir: root, only: saved, workers: 2, memory: 8000, longest: time.Minute})
	require.NoError(t, err)
	require.InDelta(t, 50, percent, 0.1)
}
