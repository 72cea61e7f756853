package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// played reads events as go test -json prints them, and returns what was printed.
func played(t *testing.T, verbose bool, events ...event) (*results, string) {
	t.Helper()
	var in, out strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		in.Write(append(line, '\n'))
	}
	r := &results{verbose: verbose}
	require.NoError(t, r.read(strings.NewReader(in.String()), &out))
	return r, out.String()
}

func output(pkg, test, text string) event {
	return event{Action: "output", Package: pkg, Test: test, Output: text}
}

func ended(pkg, test, action string) event { return event{Action: action, Package: pkg, Test: test} }

func TestOnlyWhatFailedIsPrinted(t *testing.T) {
	_, out := played(t, false,
		output("p", "TestA", "=== RUN   TestA\n"), output("p", "TestA", "a log\n"), ended("p", "TestA", "pass"),
		output("p", "TestB", "=== RUN   TestB\n"), output("p", "TestB", "why\n"), ended("p", "TestB", "fail"),
		output("p", "", "FAIL\n"), output("p", "", "FAIL\tp\t0.1s\n"), ended("p", "", "fail"),
		event{Action: "build-output", Output: "q.go:1: no\n"})
	require.Equal(t, "why\nFAIL\tp\t0.1s\nq.go:1: no\n", out)
}

// A time-out, a panic of another goroutine or an exit ends a package in the middle of its tests; a
// data race may be found in any of them.
func TestTheEndOfAProcessIsPrinted(t *testing.T) {
	run := func(test string) event { return event{Action: "run", Package: "p", Test: test} }
	r, out := played(t, false,
		run("TestA"), output("p", "TestA", "=== RUN   TestA\n"), ended("p", "TestA", "pass"),
		run("TestB"), output("p", "TestB", "WARNING: DATA RACE\n"), ended("p", "TestB", "pass"),
		run("TestC"), run("TestC/one"), output("p", "TestC/one", "panic: test timed out after 1s\n"),
		output("p", "", "FAIL\tp\t0.1s\n"), ended("p", "", "fail"))
	require.ElementsMatch(t, []string{"FAIL\tp\t0.1s", "WARNING: DATA RACE", "panic: test timed out after 1s", ""}, strings.Split(out, "\n"))
	require.Equal(t, []string{`go test -count=1 -timeout 5m -run '^TestC$/^one$' p`}, inRoot(t, r.repeats([]string{"-timeout", "5m"}, nil)))
}

// Of the packages that import one that does not compile, the first is enough.
func TestOneCommandForABrokenBuild(t *testing.T) {
	r, _ := played(t, false, event{Action: "fail", Package: "a", FailedBuild: "x"}, event{Action: "fail", Package: "b", FailedBuild: "x"},
		event{Action: "fail", Package: "c", FailedBuild: "y"})
	require.Equal(t, []string{"go test -count=1 a", "go test -count=1 c"}, inRoot(t, r.repeats(nil, nil)))
}

func TestEachInnermostFailureIsRepeated(t *testing.T) {
	r, _ := played(t, false,
		output("p", "", "-test.shuffle 77\n"),
		output("p", "TestA/b_(c)'", "x_test.go:1: seed 42, step 3: differs\n"), ended("p", "TestA/b_(c)'", "fail"),
		ended("p", "TestA", "fail"), ended("p", "", "fail"),
		ended("q", "TestC", "pass"), ended("q", "", "fail")) // it does not compile, or TestMain failed
	require.Equal(t, []string{
		`CI=true REDMOON_TIER=landing REDMOON_SEED=42 go test -race -count=1 -shuffle=77 -timeout 9m -run '^TestA$/^b_\(c\)'\''$' p`,
		`CI=true REDMOON_TIER=landing REDMOON_SEED=7 go test -race -count=1 -timeout 9m -skip '^TestB' q`,
	}, inRoot(t, r.repeats([]string{"-race", "-timeout=9m", "-skip", "^TestB", "./..."},
		[]string{"HOME=/x", "REDMOON_TIER=landing", "CI=true", "REDMOON_SEED=7", "REDMOON_FAILED=/tmp/x"})))
}

// inRoot takes the change of the folder off: this test runs below the root of the repository.
func inRoot(t *testing.T, lines []string) []string {
	t.Helper()
	for i, l := range lines {
		l = strings.TrimPrefix(l, "(cd internal/testing/gotest && ")
		if strings.HasPrefix(lines[i], "(") {
			l = strings.TrimSuffix(l, ")")
		}
		lines[i] = l
	}
	return lines
}

func TestDearestComesFirst(t *testing.T) {
	o, err := parse([]string{"-dearest", "5", "-count=1", "-dearest", "x"})
	require.NoError(t, err)
	require.Equal(t, options{5, []string{"-count=1", "-dearest", "x"}}, o)
	for _, wrong := range [][]string{{"-dearest"}, {"-dearest", "0"}, {"-dearest", "x"}} {
		_, err := parse(wrong)
		require.Error(t, err, "%q", wrong)
	}
}

// A module with a test that passes, one that fails and one that starts the go command is run and
// measured.
func TestARunIsMeasured(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		require.Empty(t, os.Getenv("CI"), "the go command must be on the PATH")
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"m_test.go": `package m

import (
	"os/exec"
	"testing"
)

func TestGood(t *testing.T) {}

func TestBad(t *testing.T) { t.Error("seed 5: no") }

func TestStartsGo(t *testing.T) {
	if out, err := exec.Command("go", "env", "GOOS").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	program := filepath.Join(t.TempDir(), "gotest")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	list := filepath.Join(dir, "failed")
	cmd := exec.Command(program, "-dearest", "3", "-count=1", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), failedList+"="+list, "GOFLAGS=") // stress shuffles by GOFLAGS
	out, err = cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	require.Equal(t, 1, exit.ExitCode())
	require.Regexp(t, `(?m)^ +\d+\.\d +\d+\.\d +\d+\.\d  \.$`, string(out), "the package")
	require.Regexp(t, `(?m)^ +\d+\.\d  m Test`, string(out), "a test")
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	require.Contains(t, string(text), "REDMOON_SEED=5 go test -count=1 -run '^TestBad$' m\n")
	require.Equal(t, 1, strings.Count(string(text), "\n"))

	cmd = exec.Command(program, "-count=1", "./nosuch")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), failedList+"="+list)
	require.ErrorAs(t, cmd.Run(), &exit)
	text, err = os.ReadFile(list)
	require.NoError(t, err)
	require.Contains(t, string(text), "./nosuch")
}

func TestMeasurementsAreAddedUp(t *testing.T) {
	m := &meter{dir: t.TempDir()}
	for _, one := range []measurement{
		{Dir: "/a", CPU: 2 * time.Second, Wall: time.Second}, {Dir: "/a", Go: []string{"build"}, CPU: time.Second},
		{Dir: "/b", CPU: 5 * time.Second, Wall: 3 * time.Second},
	} {
		line, err := json.Marshal(one)
		require.NoError(t, err)
		require.NoError(t, appendLines(m.file(), []string{string(line)}))
	}
	var b strings.Builder
	require.NoError(t, m.print(&b, &results{}, 9, 10*time.Second, 20*time.Second))
	require.Regexp(t, `(?s)3\.0 +5\.0 +0\.0  \S*b\n +1\.0 +2\.0 +1\.0  \S*a\n`, b.String())
	require.Contains(t, b.String(), "the whole run: 10 s wall, 20 s cpu: 7 in test binaries, 13 in the compiler, linker and vet")
}
