package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// TAP writes results in the Test Anything Protocol, version 14.
type TAP struct {
	w     io.Writer
	n     int
	err   error
	begun bool
}

// NewTAP returns a TAP that writes to w.
func NewTAP(w io.Writer) *TAP { return &TAP{w: w} }

// Err returns the first error of writing.
func (t *TAP) Err() error { return t.err }

func (t *TAP) printf(format string, args ...any) {
	if !t.begun {
		t.begun = true
		t.printf("TAP version 14\n")
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.w, Harmless(fmt.Sprintf(format, args...)))
	}
}

// escape escapes a description: # would begin a directive.
var escape = strings.NewReplacer(`\`, `\\`, "#", `\#`, "\n", " ", "\r", " ")

// File implements [luatest.Reporter].
func (t *TAP) File(f luatest.FileResult) {
	t.printf("# %s\n", escape.Replace(f.Path))
	for _, r := range f.Results {
		t.test(r)
	}
	for _, name := range f.Snapshots.Obsolete {
		t.printf("# %s: obsolete snapshot %q\n", f.Snapshots.Path, name)
	}
}

func (t *TAP) test(r luatest.Result) {
	t.n++
	word, directive := "ok", ""
	switch {
	case r.Status.Bad():
		word = "not ok"
	case r.Status == luatest.Pending:
		directive = " # SKIP " + strings.TrimSpace("pending "+escape.Replace(r.Reason))
	case r.Status == luatest.NotRun:
		directive = " # SKIP not run: " + escape.Replace(r.Reason)
	}
	t.printf("%s %d - %s%s\n", word, t.n, escape.Replace(strings.Join(r.Names, " > ")), directive)
	if r.Status.Bad() {
		t.diagnosis(r)
	}
	for line := range strings.Lines(r.Output) {
		t.printf("# %s\n", strings.TrimRight(line, "\n"))
	}
}

// diagnosis writes the problems of a test as YAML.
func (t *TAP) diagnosis(r luatest.Result) {
	t.printf("  ---\n  severity: %s\n  file: %s\n  line: %d\n  duration_ms: %.3f\n", map[luatest.Status]string{luatest.Failed: "fail",
		luatest.Errored: "error", luatest.Differs: "differs"}[r.Status], yamlText(r.File), r.Line, float64(r.Duration.Microseconds())/1000)
	for i, p := range r.Problems {
		if i == 0 {
			t.printf("  message: %s\n", yamlText(summary(p)))
			if at := where(p); at != "" {
				t.printf("  at: %s\n", yamlText(at))
			}
			t.printf("  problems:\n")
		}
		t.printf("    - |\n%s", indent(Plain(p), "      "))
	}
	if r.Comparison != nil && len(r.Comparison.Differences) > 0 {
		t.printf("  differences:\n")
		for _, d := range r.Comparison.Differences {
			t.printf("    - |\n%s", indent(d, "      "))
		}
	}
	t.printf("  ...\n")
}

// yamlText quotes a text for YAML.
func yamlText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// End implements [luatest.Reporter].
func (t *TAP) End(s luatest.Summary) {
	t.printf("1..%d\n", t.n)
	if s.Seed != 0 {
		t.printf("# shuffled: --shuffle=%d repeats this order\n", s.Seed)
	}
	if s.Stopped {
		t.printf("Bail out! not all tests were run\n")
	}
}
