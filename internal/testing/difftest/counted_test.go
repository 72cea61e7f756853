package difftest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// shaInError matches the SHA1 in the error of a script.
var shaInError = regexp.MustCompile(` script: [0-9a-f]{40}`)

// wordCounter is a log handler that counts messages.
type wordCounter map[string]uint64

func (w wordCounter) Enabled(context.Context, slog.Level) bool { return true }

func (w wordCounter) Handle(_ context.Context, r slog.Record) error {
	w[r.Message]++
	return nil
}

func (w wordCounter) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w wordCounter) WithGroup(string) slog.Handler { return w }

// endlessHits is the count of a line above which a program is taken for one that ends at the limit
// of steps or of the stack, which the changed program reaches earlier.
const endlessHits = 10_000

// TestCoverageOfPrograms compares the coverage of random programs with what the same programs count
// themselves, when they are changed to log every place that they reach. REDMOON_SEED=n chooses
// others, REDMOON_PROGRAMS=n how many.
func TestCoverageOfPrograms(t *testing.T) {
	seed, count := luagen.Settings(80, 300)
	rng := rand.New(rand.NewPCG(seed, 55))
	compared := 0
	for range count {
		src := validProgram(rng)
		if rng.IntN(2) == 0 {
			src = luagen.BreakLines(rng, src)
		}
		problem, ok := coverageProblem(t, src)
		if ok {
			compared++
		}
		if problem != "" {
			src = luagen.Shrink(src, func(src string) bool {
				problem, _ := coverageProblem(t, src)
				return problem != ""
			})
			problem, _ = coverageProblem(t, src)
			t.Errorf("%s\n%s", src, problem)
		}
	}
	require.Greater(t, compared, count/2, "of %d programs", count)
}

// coverageProblem returns in what the two counts of a program differ. ok is false if they cannot be
// compared: the changed program does something else.
func coverageProblem(t *testing.T, src string) (problem string, ok bool) {
	c, changed, err := countProgram(src)
	if err != nil || c.odd {
		return "", false
	}
	run := func(src string, o engine.Options) string {
		o.ScriptSteps = 1_000_000
		rm, err := newRedmoonWith(o, time.Unix(1700000000, 0))
		require.NoError(t, err)
		conn, err := rm.Open()
		require.NoError(t, err)
		raw, err := conn.Do([]string{"EVAL", src, "2", "k1", "k2", "a1", "a2"})
		require.NoError(t, errors.Join(err, rm.Stop()))
		return shaInError.ReplaceAllString(string(raw), "")
	}
	coverage, words := engine.NewCoverage(), wordCounter{}
	if run(src, engine.Options{Coverage: coverage}) != run(changed, engine.Options{Logger: slog.New(words)}) {
		return "", false
	}
	scripts := coverage.Scripts()
	if len(scripts) == 0 { // it does not compile
		return "", false
	}
	for _, l := range scripts[0].Lines {
		if l.Hits > endlessHits {
			return "", false
		}
	}
	var theirs, ours strings.Builder
	for line := range 2 + strings.Count(src, "\n") + strings.Count(src, "\r") {
		if list := c.lines[line]; len(list) > 0 {
			hits := uint64(0)
			for _, w := range list {
				hits = max(hits, words[w])
			}
			fmt.Fprintf(&theirs, "line %d: %d\n", line, hits)
		}
	}
	for _, l := range scripts[0].Lines {
		fmt.Fprintf(&ours, "line %d: %d\n", l.Line, l.Hits)
	}
	ways := map[string]string{}
	for _, w := range c.ways {
		ways[w] = fmt.Sprint(words[w+"yes"], words[w+"no"])
	}
	for _, b := range scripts[0].Branches {
		w := fmt.Sprintf("b%d:%d", b.Line, b.Column)
		if have := fmt.Sprint(b.Yes, b.No); have != ways[w] {
			fmt.Fprintf(&ours, "%s %s: %s, not %q\n", b.Kind, w, have, ways[w])
		}
		delete(ways, w)
	}
	for w, n := range ways {
		fmt.Fprintf(&theirs, "branch %s: %s\n", w, n)
	}
	for i, w := range c.calls {
		fmt.Fprintf(&theirs, "function %d: %d\n", i, words[w])
	}
	for i, f := range scripts[0].Functions {
		fmt.Fprintf(&ours, "function %d: %d\n", i, f.Hits)
	}
	if theirs.String() != ours.String() {
		return "coverage:\n" + ours.String() + "the program itself:\n" + theirs.String(), true
	}
	return "", true
}
