//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/config"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

var hasNoEffect = regexp.MustCompile(`(?m)^M \* The directive \S+ has no effect in redmoon: .*\n`)

// TestDirectivesOfRedis starts redis-server and this program with one directive each: without a
// value, with the default, and with values that most directives refuse. The errors, the exit codes
// and the logs are the same. What docs/dropin.md says about the log and the start holds.
func TestDirectivesOfRedis(t *testing.T) {
	redistest.Need(t)
	theirs, err := redistest.Find()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("x", []byte("hz y\n"), 0o600)) // an include
	for i, r := range config.Rows() {
		if i%4 == 0 || tier.IsNightly() { // both servers start many times for each
			compareDirective(t, theirs, r)
		}
	}
}

// otherValues are values of directives that neither the default nor the usual probes are.
var otherValues = map[string]string{
	"active-defrag-ignore-bytes": "5", "cluster-announce-tls-port": "5", "cluster-config-file": "5", "cluster-link-sendbuf-limit": "5",
	"loading-process-events-interval-bytes": "2048", "repl-diskless-load": "swapdb",
	"propagation-error-behavior": "panic", "sanitize-dump-payload": "yes",
}

func compareDirective(t *testing.T, theirs string, row config.Row) {
	name, alias, _ := strings.Cut(row.Name, ", ")
	if name == config.ModuleDirective {
		name = "module.name"
	}
	def := row.Default
	if name == "dir" {
		def = "."
	}
	words := []string{"", `""`, "x", "-1", "5", "yes", "no", "a b", "a/b", "99999999999999999999", def, `"` + def + `"`, otherValues[name]}
	slices.Sort(words)
	words = slices.Compact(words)
	if alias != "" {
		compareLine(t, theirs, row, alias+" x")
	}
	noted := false
	for _, w := range words {
		switch {
		case name == "unixsocket" && w != "" && w != `""` && w != "a b", name == "daemonize" && w == "yes",
			name == "tls-port" && w == "5", name == "port" && w == "5", name == "logfile", name == "syslog-enabled" && w == "yes":
			continue // the server would start, or the log would be elsewhere
		}
		noted = compareLine(t, theirs, row, name+" "+w) || noted
	}
	if strings.HasPrefix(row.Does, "no effect: ") && !noted {
		t.Errorf("no value of %s was both accepted and another one than the default", name)
	}
}

// compareLine starts both with a line of a configuration. Port 0 ends them. It reports whether the
// log of this program says that the directive has no effect, with the reason in the document.
func compareLine(t *testing.T, theirs string, row config.Row, line string) (noted bool) {
	t.Helper()
	text := "port 0\n" + line + "\n"
	if strings.HasPrefix(line, "port ") {
		text = line + "\nport 0\n"
	}
	want, got := ended(t, "", text, theirs, []string{"-"}), endedHere(t, text)
	const problem = "FATAL CONFIG FILE ERROR"
	reason, without := strings.CutPrefix(row.Does, "no effect: ")
	switch {
	case strings.Contains(row.Does, "stops the start") && !strings.Contains(want, problem) && strings.Contains(got, problem):
		require.Contains(t, got, "at line 2\n>>> '"+strings.TrimSpace(line)+"'\n", "%s", line)
		require.Contains(t, got, "not supported\n", "%s", line)
		return false
	case without:
		name, _, _ := strings.Cut(row.Name, ",")
		noted = strings.Contains(got, "The directive "+name+" has no effect in redmoon: "+reason+".\n")
		got = hasNoEffect.ReplaceAllString(got, "")
	}
	if want != got {
		t.Errorf("%s\nredis-server: %s\nredmoon: %s", line, want, got)
	}
	return noted
}

// endedHere is like ended, for this program with a configuration on standard input. It runs it in
// this process, which is quicker.
func endedHere(t *testing.T, text string) string {
	t.Helper()
	home, err := os.Getwd()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	std := &streams{in: strings.NewReader(text), out: &stdout, err: &stderr, interruptible: patience.Context(t), name: "redis-server"}
	code := std.serve([]string{"-"}, nil)
	require.NoError(t, os.Chdir(home))
	return fmt.Sprintf("exit code %d\n%s\n%s", code, stderr.String(), withoutTimes(stdout.String()))
}
