package miniredis

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attempts is how often the tests are run if they panic. Those of go-zero keep clients by address,
// and panic, on miniredis as on minicompat, if the system gives a later server the port of an
// earlier one.
const attempts = 5

// goTest is goTestOnce, again if a test has panicked.
func goTest(t *testing.T, src *sources, packages ...string) (out outcome) {
	t.Helper()
	for range attempts {
		if out = goTestOnce(t, src, packages...); !out.panicked {
			break
		}
	}
	return out
}

// outcome is what a run of go test has found.
type outcome struct {
	passed   int
	failed   []string          // the names of the tests that have failed, sorted
	output   map[string]string // of each test
	panicked bool              // a package has not run all of its tests
}

func (o outcome) total() int { return o.passed + len(o.failed) }

// event is a line of go test -json.
type event struct {
	Action, Test, Output string
	Package              string
}

var (
	ginkgoRan  = regexp.MustCompile(`Ran (\d+) of \d+ Specs`)
	ginkgoFail = regexp.MustCompile(`\[FAIL\] (.*)`)
	colors     = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// goTestOnce runs the tests of packages, with changed sources if src is not nil, in their own
// order, which some of them need. Each subtest counts as a test, and so does each spec of Ginkgo.
func goTestOnce(t *testing.T, src *sources, packages ...string) (out outcome) {
	t.Helper()
	args := []string{"test", "-json", "-vet=off", "-count=1", "-shuffle=off", "-timeout=5m"}
	if src != nil {
		args = append(args, "-modfile="+src.modfile())
	}
	cmd := exec.Command("go", append(args, packages...)...)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	out.output = map[string]string{}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if e.Action == "output" || e.Action == "build-output" {
			out.output[e.Test] += e.Output
			out.panicked = out.panicked || strings.HasPrefix(e.Output, "panic: ")
			continue
		}
		if e.Test == "" || e.Action != "pass" && e.Action != "fail" {
			continue
		}
		text := colors.ReplaceAllString(out.output[e.Test], "")
		if ran := ginkgoRan.FindStringSubmatch(text); ran != nil {
			n, err := strconv.Atoi(ran[1])
			require.NoError(t, err)
			var failed []string
			for _, m := range ginkgoFail.FindAllStringSubmatch(text, -1) {
				failed = append(failed, strings.TrimSpace(m[1]))
			}
			slices.Sort(failed)
			failed = slices.Compact(failed)
			out.failed, out.passed = append(out.failed, failed...), out.passed+n-len(failed)
			continue
		}
		if e.Action == "pass" {
			out.passed++
		} else {
			out.failed = append(out.failed, e.Test)
		}
	}
	require.NoError(t, lines.Err())
	err = cmd.Wait()
	slices.Sort(out.failed)
	require.NotZero(t, out.total(), "go test: %v %s %s", err, stderr.String(), out.output[""])
	return out
}
