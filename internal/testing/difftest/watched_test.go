package difftest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// watches are the ways in which an engine can watch its scripts.
var watches = map[string]func(o *engine.Options){
	"coverage": func(o *engine.Options) { o.Coverage = engine.NewCoverage() },
	"profile":  func(o *engine.Options) { o.Profile = engine.NewProfile() },
	"both": func(o *engine.Options) {
		o.Coverage, o.Profile = engine.NewCoverage(), engine.NewProfile()
	},
}

// TestWatchedCases plays the case files of scripts while coverage is counted and costs are
// measured: the answers must not change.
func TestWatchedCases(t *testing.T) {
	for _, family := range []string{"lua", "scripting", "functions", "seeds"} {
		files := caseFiles(t)[family]
		require.NotEmpty(t, files)
		for _, path := range files {
			t.Run(family+"/"+strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) {
				f, err := ParseFile(path)
				require.NoError(t, err)
				needSeeds(t, f)
				halfInTest(t, f)
				rec, err := theRunner.Recorded(f)
				require.NoError(t, err)
				for name, watch := range watches {
					t.Run(name, func(t *testing.T) {
						if name != "both" {
							tier.Nightly(t)
						}
						playWatched(t, f, rec, watch)
					})
				}
			})
		}
	}
}

func playWatched(t *testing.T, f *File, rec *Recording, watch func(*engine.Options)) {
	w := DoorGo.wrapping()
	want := rec.plays[w]
	require.NotNil(t, want)
	o := f.options()
	watch(&o)
	rm, err := newRedmoonWith(o, want.start)
	require.NoError(t, err)
	got, err := play(rm, f, w, theRunner.Seeds)
	require.NoError(t, errors.Join(err, rm.Stop()))
	for _, fault := range compare(f, w, want.outs, got).Faults {
		t.Errorf("%s:%d: %s", filepath.ToSlash(f.Path), fault.Line, fault.Text)
	}
}

// scriptMemory matches the lines of INFO about the memory of scripts.
var scriptMemory = regexp.MustCompile(`\w*(vm|lua|scripts|functions)\w*:\d+`)

// TestWatchedPrograms runs random programs with a limit of steps, with and without coverage and
// profile, and compares replies, keys and statistics: REDMOON_SEED=n chooses others,
// REDMOON_PROGRAMS=n how many.
func TestWatchedPrograms(t *testing.T) {
	seed, count := luagen.Settings(80, 300)
	rng := rand.New(rand.NewPCG(seed, 53))
	run := func(src string, steps int64, watch func(*engine.Options)) string {
		o := engine.Options{ScriptSteps: steps}
		watch(&o)
		rm, err := newRedmoonWith(o, time.Unix(1700000000, 0))
		require.NoError(t, err)
		c, err := rm.Open()
		require.NoError(t, err)
		var out strings.Builder
		for _, line := range [][]string{{"EVAL", src, "2", "k1", "k2", "a1", "a2"},
			{"INFO", "commandstats"}, {"INFO", "errorstats"}, {"INFO", "memory"}} {
			raw, err := c.Do(line)
			require.NoError(t, err)
			if line[1] == "memory" {
				raw = bytes.Join(scriptMemory.FindAll(raw, -1), nil)
			}
			out.Write(infoTimes.ReplaceAll(raw, nil))
		}
		digest, err := rm.Digest()
		require.NoError(t, errors.Join(err, rm.Stop()))
		return out.String() + digest
	}
	plain := func(*engine.Options) {}
	for range count {
		src, steps := validProgram(rng), int64(1+rng.IntN(2000))
		for name, watch := range watches {
			differ := func(src string) bool { return run(src, steps, plain) != run(src, steps, watch) }
			if differ(src) {
				src = luagen.Shrink(src, differ)
				t.Errorf("%s\n%d steps, %s\nwithout %q\nwith    %q", src, steps, name, run(src, steps, plain), run(src, steps, watch))
			}
		}
	}
}

// TestWatchedLines compares the lines at which a debugger stops with and without coverage, which
// adds instructions to some functions.
func TestWatchedLines(t *testing.T) {
	seed, count := luagen.Settings(80, 300)
	rng := rand.New(rand.NewPCG(seed, 54))
	lines := func(src string, o engine.Options) string {
		var out strings.Builder
		n := 0
		rm, err := newRedmoonWith(o, time.Unix(1700000000, 0))
		require.NoError(t, err)
		start := func(*engine.DebugRun) engine.Debugger {
			return tracer{reach: func(stack *engine.Stack, line int) {
				out.WriteString(strconv.Itoa(line) + " ")
				if n++; n == maxLines {
					stack.Abort("ERR enough")
				}
			}}
		}
		v, err := rm.Engine.DebugScript(context.Background(), engine.NewScript(src), []string{"k1", "k2"}, []string{"a1", "a2"}, start)
		var failed *engine.Error
		if err != nil {
			require.ErrorAs(t, err, &failed)
		}
		require.NoError(t, rm.Stop())
		return out.String() + v.String()
	}
	for range count {
		src := luagen.BreakLines(rng, validProgram(rng))
		differ := func(src string) bool {
			return lines(src, engine.Options{}) != lines(src, engine.Options{Coverage: engine.NewCoverage(), Profile: engine.NewProfile()})
		}
		if differ(src) {
			src = luagen.Shrink(src, differ)
			t.Errorf("%s\nwithout %s\nwith    %s", src, lines(src, engine.Options{}), lines(src, engine.Options{Coverage: engine.NewCoverage()}))
		}
	}
}
