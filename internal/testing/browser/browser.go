package browser

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// names are those of the program.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// find returns the path of the browser. Without one it skips the test, or fails it with CI=true.
func find(t *testing.T) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no Chromium")
	}
	t.Skip("there is no Chromium")
	return ""
}

// Need skips a test where there is no browser, or fails it with CI=true. A test that prepares much
// before it opens a page begins with it.
func Need(t *testing.T) {
	t.Helper()
	find(t)
}

// Run opens a page, runs a script in it when it has loaded, and returns the strings that the script
// has passed to the function report, in order. A script of the page that fails fails the test.
func Run(t *testing.T, page, script string) []string {
	t.Helper()
	program := find(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	const prelude = `<script>window.reports = [];
function report(s) { window.reports.push(String(s)); }
window.addEventListener("error", function (e) { report("error: " + e.message); });
</script>`
	end := "<script>\n" + script + "\ndocument.documentElement.innerHTML = '<pre id=reports></pre>';\n" +
		"document.getElementById('reports').textContent = JSON.stringify(window.reports).replace(/[<>&]/g, " +
		"function (c) { return '\\\\u' + ('000' + c.charCodeAt(0).toString(16)).slice(-4); });\n</script>\n</body>"
	page = strings.Replace(page, "<head>", "<head>"+prelude, 1)
	at := strings.LastIndex(page, "</body>")
	if at < 0 {
		t.Fatal("the page has no end of its body")
	}
	if err := os.WriteFile(file, []byte(page[:at]+end+page[at+len("</body>"):]), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(patience.Context(t), program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(dir, "user"),
		"--window-size=1200,900", "--dump-dom", "file://"+file)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, problems.String())
	}
	_, text, ok := strings.Cut(string(out), `<pre id="reports">`)
	text, _, ok2 := strings.Cut(text, "</pre>")
	var reports []string
	if !ok || !ok2 || json.Unmarshal([]byte(text), &reports) != nil {
		t.Fatalf("the page has no reports:\n%s\n%s", out, problems.String())
	}
	for _, r := range reports {
		if strings.HasPrefix(r, "error: ") {
			t.Fatal(r)
		}
	}
	return reports
}
