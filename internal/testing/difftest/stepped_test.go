package difftest

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
)

// onlooker is a debugger that lets everything go on as it would without one.
type onlooker struct{ tracer }

func (onlooker) Line(*engine.Stack, int) {}

func (onlooker) Breakpoint(*engine.Stack) bool { return false }

// watchScripts has all scripts of an engine stepped through.
func watchScripts(t *testing.T, e *engine.Engine) {
	_, err := e.InterceptScripts(func(engine.ScriptCall) func(*engine.DebugRun) engine.Debugger {
		return func(*engine.DebugRun) engine.Debugger { return onlooker{} }
	})
	require.NoError(t, err)
}

// TestSteppedCases plays the case files of scripts while every script is stepped through: the
// answers must not change.
func TestSteppedCases(t *testing.T) {
	for _, family := range []string{"lua", "scripting", "seeds"} {
		t.Run(family, func(t *testing.T) {
			for _, path := range caseFiles(t)[family] {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) { stepThrough(t, path) })
			}
		})
	}
}

func stepThrough(t *testing.T, path string) {
	f, err := ParseFile(path)
	require.NoError(t, err)
	needSeeds(t, f)
	halfInTest(t, f)
	rec, err := theRunner.Recorded(f)
	require.NoError(t, err)
	w := DoorGo.wrapping()
	want := rec.plays[w]
	require.NotNil(t, want)
	rm, err := newRedmoonWith(f.options(), want.start)
	require.NoError(t, err)
	watchScripts(t, rm.Engine)
	got, err := play(rm, f, w, theRunner.Seeds)
	require.NoError(t, errors.Join(err, rm.Stop()))
	for _, fault := range compare(f, w, want.outs, got).Faults {
		t.Errorf("%s:%d: %s", filepath.ToSlash(path), fault.Line, fault.Text)
	}
}

// TestSteppedPrograms runs random programs with and without a debugger, and compares the replies:
// REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestSteppedPrograms(t *testing.T) {
	seed, count := luagen.Settings(80, 300)
	rng := rand.New(rand.NewPCG(seed, 12))
	reply := func(src string, debugged bool) string {
		rm, err := newRedmoonWith(engine.Options{ScriptSteps: 200000}, time.Unix(1700000000, 0))
		require.NoError(t, err)
		if debugged {
			watchScripts(t, rm.Engine)
		}
		c, err := rm.Open()
		require.NoError(t, err)
		raw, err := c.Do([]string{"EVAL", src, "2", "k1", "k2", "a1", "a2"})
		require.NoError(t, errors.Join(err, rm.Stop()))
		return string(raw)
	}
	for range count {
		src := validProgram(rng)
		differ := func(src string) bool { return reply(src, false) != reply(src, true) }
		if differ(src) {
			src = luagen.Shrink(src, differ)
			t.Errorf("%s\nwithout %q\nwith    %q", src, reply(src, false), reply(src, true))
		}
	}
}
