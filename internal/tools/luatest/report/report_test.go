package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/harness"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/report"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/testredis"
	"github.com/redmoon-lua/redmoon/reply"
)

var record = flag.Bool("record", false, "write the goldens")

type reporter interface {
	luatest.Reporter
	Err() error
}

// formats are the reports of which testdata has goldens.
func formats(w *bytes.Buffer) map[string]reporter {
	verbose, colour := report.NewText(w), report.NewText(w)
	verbose.Verbose, colour.Colour = true, true
	return map[string]reporter{"text": report.NewText(w), "verbose": verbose, "colour": colour, "tap": report.NewTAP(w),
		"xml": report.NewJUnit(w), "json": report.NewJSON(w)}
}

// TestGoldens compares the reports of the suites that fail with goldens. `go test -run Goldens
// -record` writes them.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("../testdata/fail/*_test.lua")
	require.NoError(t, err)
	for _, name := range []string{"text", "verbose", "colour", "tap", "xml", "json"} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			to := formats(&b)[name]
			_, err := luatest.Run(context.Background(), files, &luatest.Options{}, to)
			require.NoError(t, err)
			require.NoError(t, to.Err())
			got := normal(b.String())
			golden := filepath.Join("testdata", name+".golden")
			if *record {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o666))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// times are what differs from run to run.
var times = regexp.MustCompile(`\b[0-9.]+(ms|s)\b|("ms": |time="|duration_ms: )[0-9.e-]+`)

func normal(text string) string { return times.ReplaceAllString(text, "${2}0$1") }

func TestJUnitIsXML(t *testing.T) {
	var b bytes.Buffer
	r := report.NewJUnit(&b)
	r.File(luatest.FileResult{Path: "a/b_test.lua", Results: []luatest.Result{{
		File: "a/b_test.lua", Names: []string{"<&\">", "bytes \x00\x01\xff"}, Status: luatest.Errored,
		Problems: []luatest.Problem{{Phase: "test", Message: "]]> \x02"}}, Output: "\x1b[31m",
	}}})
	r.End(luatest.Summary{})
	require.NoError(t, r.Err())
	var v struct {
		Tests  int `xml:"tests,attr"`
		Errors int `xml:"errors,attr"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &v))
	require.Equal(t, 1, v.Tests)
	require.Equal(t, 1, v.Errors)
	require.Contains(t, b.String(), `classname="a.b_test"`)
}

func TestTAPEscapes(t *testing.T) {
	var b bytes.Buffer
	r := report.NewTAP(&b)
	r.File(luatest.FileResult{Path: "x_test.lua", Results: []luatest.Result{
		{Names: []string{"issue #7\nnext \\"}}, {Names: []string{"p"}, Status: luatest.Pending, Reason: "# soon"},
	}})
	r.End(luatest.Summary{Stopped: true, Seed: 5})
	require.Equal(t, "TAP version 14\n# x_test.lua\nok 1 - issue \\#7 next \\\\\nok 2 - p # SKIP pending \\# soon\n1..2\n"+
		"# shuffled: --shuffle=5 repeats this order\nBail out! not all tests were run\n", b.String())
}

func TestJSONOfNothing(t *testing.T) {
	var b bytes.Buffer
	r := report.NewJSON(&b)
	r.End(luatest.Summary{})
	var v map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &v))
	require.Equal(t, []any{}, v["files"])
}

// The line of progress appears when a run has lasted for a second, and is removed before anything
// else is written.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	r := report.NewText(&b)
	now := time.Unix(0, 0)
	r.Now, r.Progress = func() time.Time { return now }, true
	one := luatest.Result{File: "a_test.lua", Names: []string{strings.Repeat("long ", 40)}}
	r.Ran(one)
	require.Empty(t, b.String())
	now = now.Add(1500 * time.Millisecond)
	r.Ran(one)
	r.Ran(one)
	require.Equal(t, 1, strings.Count(b.String(), "\r"), "not for each test")
	require.Contains(t, b.String(), "2 tests, 0 failed, 2s: a_test.lua long long")
	now = now.Add(time.Second)
	r.Ran(luatest.Result{File: "a_test.lua", Names: []string{"x"}, Status: luatest.Failed})
	require.Contains(t, b.String(), "4 tests, 1 failed, 3s: a_test.lua x")
	r.File(luatest.FileResult{Path: "a_test.lua", Results: []luatest.Result{one}})
	require.Contains(t, b.String(), "\r\x1b[K\x1b"[:4]+"ok   a_test.lua")
}

func TestComparedWithAServer(t *testing.T) {
	var b bytes.Buffer
	r := report.NewText(&b)
	r.Verbose = true
	f := luatest.FileResult{Path: "a_test.lua", Results: []luatest.Result{
		{Names: []string{"same"}, Comparison: &testredis.Comparison{Loosely: []string{"TIME"}}},
		{Names: []string{"clock"}, Comparison: &testredis.Comparison{Uses: []string{"clock"}}},
		{Names: []string{"other"}, Status: luatest.Differs,
			Comparison: &testredis.Comparison{Differences: []string{"GET k\n  redmoon: 1\n   server: 2"}},
			Problems: []luatest.Problem{{Phase: "test", Message: "x", Script: &luatest.Script{Label: "s", Commands: []harness.Call{
				{Args: []string{"GET", "k"}, Reply: reply.Bulk("v")}}}}}},
	}}
	r.File(f)
	var c luatest.Counts
	c.Count(f)
	r.End(luatest.Summary{Files: 1, Counts: c})
	require.Contains(t, b.String(), "✓ same 0.0ms (compared without numbers, because of TIME)\n")
	require.Contains(t, b.String(), "✓ clock 0.0ms (not compared: uses clock)\n")
	require.Contains(t, b.String(), "≠ other\n    x\n\n    the last script: s\n      GET k -> \"v\"\n"+
		"    the server differs:\n      GET k\n        redmoon: 1\n         server: 2\n")
	require.Contains(t, b.String(), "3 tests in 1 file: 2 passed, 1 unlike the server")
	require.Contains(t, b.String(), "2 tests compared with the server, 1 not compared\n")
}
