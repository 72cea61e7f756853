package formats_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/internal/core/coverage/formats"
	"github.com/redmoon-lua/redmoon/internal/testing/browser"
	"github.com/redmoon-lua/redmoon/luabridge"
)

var update = flag.Bool("update", false, "write the expected files")

var now = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// report returns the report of two files: one with gaps of all kinds, one that is covered.
func report(t *testing.T) *coverage.Report {
	c := luabridge.NewCoverage()
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	for _, name := range []string{"gaps.lua", "whole.lua"} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		c.Name(string(source), "scripts/"+name)
		s, err := luabridge.CompileScript(string(source), luabridge.CompileLimits{Coverage: c})
		require.NoError(t, err)
		for _, arg := range []string{"1", "2"} {
			require.False(t, vm.Run(nil, s, nil, []string{arg}).IsError())
		}
	}
	r, err := coverage.NewReport(c.Scripts(), nil)
	require.NoError(t, err)
	return r
}

func printed(t *testing.T, format string) string {
	var b bytes.Buffer
	require.NoError(t, formats.Print(&b, format, report(t), now))
	return b.String()
}

func TestFormats(t *testing.T) {
	for _, format := range formats.Names {
		t.Run(format, func(t *testing.T) {
			got := printed(t, format)
			name := format
			if name == "go" {
				name = "coverprofile" // a file named .go would be taken for source
			}
			golden := filepath.Join("testdata", "report."+name)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
	require.ErrorContains(t, formats.Print(&bytes.Buffer{}, "pdf", report(t), now), `coverage format "pdf" is not one of text, lcov`)
}

func TestCoberturaIsXML(t *testing.T) {
	dec := xml.NewDecoder(strings.NewReader(printed(t, "cobertura")))
	dec.Strict = true
	elements := 0
	for {
		token, err := dec.Token()
		if token == nil {
			break
		}
		require.NoError(t, err)
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	require.Greater(t, elements, 30)
}

// TestGoProfile has the tool of Go make a page of the profile.
func TestGoProfile(t *testing.T) {
	dir := t.TempDir()
	profile := strings.ReplaceAll(printed(t, "go"), "./scripts/", "./testdata/")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cover.out"), []byte(profile), 0o644))
	out, err := exec.Command("go", "tool", "cover", "-html="+filepath.Join(dir, "cover.out"), "-o", filepath.Join(dir,
		"cover.html")).CombinedOutput()
	require.NoError(t, err, string(out))
	page, err := os.ReadFile(filepath.Join(dir, "cover.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), `<span class="cov0" title="0">return 'never'</span>`)
	require.Contains(t, string(page), `./testdata/gaps.lua (`)
}

// TestLcov has lcov's genhtml read the file, where it is installed.
func TestLcov(t *testing.T) {
	genhtml, err := exec.LookPath("genhtml")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("there is no genhtml: install lcov")
	}
	if err != nil {
		t.Skip("there is no genhtml")
	}
	dir := t.TempDir()
	info := strings.ReplaceAll(printed(t, "lcov"), "SF:scripts/", "SF:testdata/")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cover.info"), []byte(info), 0o644))
	out, err := exec.Command(genhtml, "--branch-coverage", "-o", filepath.Join(dir, "html"), filepath.Join(dir, "cover.info")).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, total := range []string{"(19 of 25 lines)", "(3 of 6 functions)", "(11 of 17 branches)"} {
		require.Contains(t, string(out), total)
	}
}

// TestPage presses the keys of the page and clicks in it.
func TestPage(t *testing.T) {
	reports := browser.Run(t, printed(t, "html"), `
function key(name, target) { (target || document.activeElement).dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true})); }
function open() { return document.querySelector("section.open").id; }
function line() { var c = document.activeElement.cells; return c ? c[0].textContent : "none"; }
report(open() + " " + document.querySelectorAll("#index tbody tr").length);
location.hash = "f1";
window.dispatchEvent(new HashChangeEvent("hashchange"));
report(open() + " " + document.title);
var seen = [];
for (var i = 0; i < 4; i++) { key("n"); seen.push(line()); }
key("p"); seen.push(line());
report(seen.join(" "));
var theme = getComputedStyle(document.body).backgroundColor;
key("t");
report(theme !== getComputedStyle(document.body).backgroundColor);
key("/");
report(open() + " " + document.activeElement.id);
var filter = document.getElementById("filter");
filter.value = "whole";
filter.dispatchEvent(new Event("input"));
report(Array.from(document.querySelectorAll("#index tbody tr")).filter(function (r) { return !r.hidden; }).map(function (r) { return r.cells[0].textContent; }));
key("n", filter);
report(open());
document.querySelector('th button[data-column="1"]').click();
report(document.querySelector("#index tbody tr").cells[0].textContent);
document.querySelector('th button[data-column="1"]').click();
report(document.querySelector("#index tbody tr").cells[0].textContent);
report(document.querySelector("#f1 tr.part .untaken").textContent);
`)
	require.Equal(t, []string{
		"index 2",
		"f1 scripts/gaps.lua - Coverage of Lua scripts",
		"4 6 14 15 14",
		"true",
		"index filter",
		"scripts/whole.lua",
		"index",
		"scripts/gaps.lua",
		"scripts/whole.lua",
		"n > 0",
	}, reports)
}
