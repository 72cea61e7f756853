package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// Text shows results to people.
type Text struct {
	// Verbose shows every test, not only those of interest.
	Verbose bool
	// Colour uses the colours of a terminal.
	Colour bool
	// Progress shows a line on a terminal while tests run, when the run has lasted for some time.
	Progress bool
	// DebugLine returns the command that debugs a test that has failed, or "". Optional.
	DebugLine func(luatest.Result) string
	// Now returns the present time. Default: [time.Now].
	Now func() time.Time

	w        io.Writer
	mu       sync.Mutex
	start    time.Time
	ran, bad int
	last     time.Time // when the line of progress was written
	shown    bool      // the line is on the screen
	compared int       // tests that were compared with a server
	uses     []string  // what could not be compared
	err      error
}

// NewText returns a Text that writes to w.
func NewText(w io.Writer) *Text { return &Text{w: w, Now: time.Now} }

// Err returns the first error of writing.
func (t *Text) Err() error { return t.err }

// Colours of a terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
	faint  = "2"
)

func (t *Text) paint(colour, text string) string {
	if !t.Colour || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func (t *Text) printf(format string, args ...any) { t.write(Harmless(fmt.Sprintf(format, args...))) }

func (t *Text) write(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.w, text)
	}
}

// clearLine goes to the beginning of the line of a terminal, and clears it.
const clearLine = "\r\x1b[K"

// ours are the colours of a Text, and ends of lines.
var ours = regexp.MustCompile(`^(\x1b\[(0|1|2|31|32|33|36)m|\r\n)`)

// Harmless replaces what controls a terminal, except our own colours: names, messages and output of
// tests may have anything.
func Harmless(text string) string {
	controls := func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 }
	if strings.IndexFunc(text, controls) < 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		c, size := utf8.DecodeRuneInString(text)
		switch m := ours.FindString(text); {
		case m != "":
			size = len(m)
			b.WriteString(m)
		case controls(c):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Begin notes when the run begins. Default: when the first test has ended.
func (t *Text) Begin() {
	if t.start.IsZero() {
		t.start = t.Now()
	}
}

// When a run has lasted so long, its progress is shown, in these intervals.
const (
	longRun       = time.Second
	progressEvery = 200 * time.Millisecond
)

// Ran is called by any goroutine when a test has ended. It shows the progress.
func (t *Text) Ran(r luatest.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Begin()
	t.ran++
	if r.Status.Bad() {
		t.bad++
	}
	now := t.Now()
	if !t.Progress || now.Sub(t.start) < longRun || now.Sub(t.last) < progressEvery {
		return
	}
	t.last, t.shown = now, true
	line := fmt.Sprintf("%d tests, %d failed, %s: %s %s", t.ran, t.bad, now.Sub(t.start).Round(time.Second), r.File, r.Name())
	const columns = 79
	if runes := []rune(line); len(runes) > columns {
		line = string(runes[:columns-1]) + "…"
	}
	t.write(clearLine)
	t.printf("%s", t.paint(faint, line))
}

// clear removes the line of progress.
func (t *Text) clear() {
	if t.shown {
		t.write(clearLine)
		t.shown = false
	}
}

// marks are the marks and colours of results.
var marks = map[luatest.Status][2]string{
	luatest.Passed: {"✓", green}, luatest.Failed: {"✗", red}, luatest.Errored: {"✗", red}, luatest.Differs: {"≠", red},
	luatest.Pending: {"-", yellow}, luatest.NotRun: {"·", faint},
}

// File implements [luatest.Reporter].
func (t *Text) File(f luatest.FileResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Begin()
	t.clear()
	var c luatest.Counts
	c.Count(f)
	if c.Tests() == 0 && len(f.Snapshots.Obsolete) == 0 {
		return // the options have left out all its tests
	}
	word, colour := "ok  ", green
	if c.Bad() > 0 {
		word, colour = "FAIL", red
	}
	size := fmt.Sprintf("%s, %s", count(c.Tests(), "test"), duration(f.Duration))
	t.printf("%s %s  %s\n", t.paint(colour, word), f.Path, t.paint(faint, size))
	for _, r := range f.Results {
		t.result(r)
	}
	t.snapshots(f.Snapshots)
	if c.Bad() > 0 {
		t.printf("\n")
	}
}

func duration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// result shows a test.
func (t *Text) result(r luatest.Result) {
	unlike := t.note(r)
	if !t.Verbose && !r.Status.Bad() && r.Status != luatest.Pending && r.Output == "" && unlike == "" && r.On == nil {
		return
	}
	mark := marks[r.Status]
	line := "  " + t.paint(mark[1], mark[0]) + " " + strings.Join(r.Names, " › ")
	if r.Status.Bad() {
		line = "\n  " + t.paint(mark[1], mark[0]+" "+strings.Join(r.Names, " › "))
	}
	switch {
	case r.Reason != "":
		line += t.paint(faint, " ("+r.Status.String()+": "+r.Reason+")")
	case r.Status == luatest.Pending:
		line += t.paint(faint, " (pending)")
	case t.Verbose && r.Status == luatest.Passed:
		line += t.paint(faint, " "+duration(r.Duration))
	}
	t.printf("%s%s%s\n", line, t.paint(yellow, unlike), t.paint(yellow, onServers(r.On)))
	for _, p := range r.Problems {
		t.problem(p)
	}
	if t.DebugLine != nil && r.Status.Bad() {
		if line := t.DebugLine(r); line != "" {
			t.printf("\n    to debug it: %s\n", line)
		}
	}
	if r.Comparison != nil && len(r.Comparison.Differences) > 0 {
		t.printf("    the server differs:\n")
		for _, d := range r.Comparison.Differences {
			t.printf("%s", indent(d, "      "))
		}
	}
	t.text("it printed", r.Output)
	if r.Status.Bad() {
		t.text("its scripts logged", strings.Join(r.Logs, "\n"))
	}
}

// onServers returns how a test has ended on servers, if not in the same way on all.
func onServers(list []luatest.ServerResult) string {
	var parts []string
	for _, way := range []struct {
		words string
		of    func(luatest.Status) bool
	}{
		{"fails on ", luatest.Status.Bad},
		{"not run on ", func(s luatest.Status) bool { return s == luatest.NotRun }},
		{"pending on ", func(s luatest.Status) bool { return s == luatest.Pending }},
		{"passes on ", func(s luatest.Status) bool { return s == luatest.Passed }},
	} {
		var names []string
		for _, r := range list {
			if way.of(r.Status) {
				names = append(names, r.Server)
			}
		}
		if len(names) > 0 {
			parts = append(parts, way.words+strings.Join(names, ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// note counts what was compared with a server, and returns why a test was not.
func (t *Text) note(r luatest.Result) string {
	switch c := r.Comparison; {
	case c == nil:
		return ""
	case len(c.Uses) > 0:
		t.uses = append(t.uses, c.Uses...)
		return " (not compared: uses " + strings.Join(c.Uses, ", ") + ")"
	default:
		t.compared++
		if t.Verbose && len(c.Loosely) > 0 {
			return " (compared without numbers, because of " + strings.Join(c.Loosely, ", ") + ")"
		}
		return ""
	}
}

// text shows a text of several lines under a heading.
func (t *Text) text(heading, text string) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		t.printf("    %s:\n%s", heading, indent(text, "      "))
	}
}

func indent(text, by string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight(by+line, " ") + "\n")
	}
	return b.String()
}

// snapshots shows what became of the snapshots of a file.
func (t *Text) snapshots(s luatest.SnapshotResult) {
	if s.Written+s.Removed > 0 {
		t.printf("  %s: %d written, %d removed\n", s.Path, s.Written, s.Removed)
	}
	for _, name := range s.Obsolete {
		t.printf("  %s\n", t.paint(yellow, fmt.Sprintf("%s: the snapshot %q is obsolete; --update removes it", s.Path, name)))
	}
}

// End implements [luatest.Reporter].
func (t *Text) End(s luatest.Summary) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Begin()
	t.clear()
	var parts []string
	for status := luatest.Passed; status <= luatest.NotRun; status++ {
		if n := s.Counts[status]; n > 0 {
			word := map[luatest.Status]string{luatest.Errored: "with errors", luatest.Differs: "unlike the server"}[status]
			if word == "" {
				word = status.String()
			}
			parts = append(parts, t.paint(marks[status][1], fmt.Sprintf("%d %s", n, word)))
		}
	}
	line := count(s.Counts.Tests(), "test") + " in " + count(s.Files, "file")
	if len(s.On) > 0 {
		line += " on " + count(len(s.On), "server")
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	t.printf("%s%s\n", line, t.paint(faint, ", "+duration(t.Now().Sub(t.start))))
	for _, on := range s.On {
		if n := on.Counts.Bad(); n > 0 {
			t.printf("  %s: %s\n", on.Server, t.paint(red, count(n, "test")+" of "+fmt.Sprint(on.Counts.Tests())+" not passed"))
		}
	}
	if t.compared > 0 || len(t.uses) > 0 {
		left := s.Counts[luatest.Passed] + s.Counts[luatest.Differs] - t.compared
		t.printf("%s compared with the server, %d not compared\n", count(t.compared, "test"), left)
	}
	if s.Seed != 0 {
		t.printf("shuffled: --shuffle=%d repeats this order\n", s.Seed)
	}
	if s.Stopped {
		t.printf("%s\n", t.paint(yellow, "stopped: not all tests were run"))
	}
}
