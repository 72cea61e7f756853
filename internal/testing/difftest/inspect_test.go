package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// maxInspected is how many stops of a run are inspected.
const maxInspected = 100

// TestInspectionChangesNothing runs random programs under a debugger that looks at everything, and
// sets each variable to the value that it has. Their replies are those of runs without a debugger.
// REDMOON_SEED=n chooses other programs, REDMOON_PROGRAMS=n how many.
func TestInspectionChangesNothing(t *testing.T) {
	seed, count := luagen.Settings(50, 150)
	rng := rand.New(rand.NewPCG(seed, 9))
	stops := 0
	for range count {
		src := luagen.Program(rng, 1+rng.IntN(6))
		differ := func(src string) bool {
			plain, again := ran(t, src, nil), ran(t, src, nil)
			return plain == again && plain != ran(t, src, &stops)
		}
		if differ(src) {
			src = luagen.Shrink(src, differ)
			t.Errorf("%s\nplain    %s\ndebugged %s", src, ran(t, src, nil), ran(t, src, &stops))
		}
	}
	require.Positive(t, stops)
	t.Logf("%d stops inspected", stops)
}

var anyAddress = regexp.MustCompile(`0x[0-9a-f]+`)

// ran returns the reply of a script as text. If stops is not nil, the script runs under the
// inspecting debugger, and stops counts its stops.
func ran(t *testing.T, src string, stops *int) string {
	e, err := engine.New(engine.Options{ScriptSteps: 200000})
	require.NoError(t, err)
	defer e.Close()
	s := engine.NewScript(src)
	var v reply.Value
	if stops == nil {
		v, err = e.RunScript(context.Background(), s, []string{"key"}, []string{"arg"})
	} else {
		v, err = e.DebugScript(context.Background(), s, []string{"key"}, []string{"arg"}, func(*engine.DebugRun) engine.Debugger {
			seen := 0
			return looker{look: func(s *luabridge.Stack, _ int) {
				if seen++; seen <= maxInspected {
					inspect(t, s)
					*stops++
				}
			}}
		})
	}
	text := written(v)
	if err != nil {
		text = err.Error()
	}
	return anyAddress.ReplaceAllString(text, "")
}

// written is a reply as text, with the kinds of its parts.
func written(v reply.Value) string {
	text := fmt.Sprintf("%v %q", v.Kind(), v.Text())
	for _, part := range v.Slice() {
		text += " (" + written(part) + ")"
	}
	return text
}

func inspect(t *testing.T, s *luabridge.Stack) {
	for _, f := range s.Globals().Fields() {
		_ = f.Value.Fields()
	}
	for level, f := range s.Frames() {
		named := map[string]luabridge.Value{} // a local hides an upvalue, and a later local an earlier one
		for _, vars := range [][]luabridge.Variable{f.Upvalues(), f.Locals(), f.Varargs()} {
			for _, v := range vars {
				v.Set(v.Value)
				for _, field := range v.Value.Fields() {
					_ = field.Value.Len()
				}
				if !strings.ContainsAny(v.Name, "(.") {
					named[v.Name] = v.Value
				}
			}
		}
		for name, v := range named {
			values, err := s.Eval(level, "=inspect", name+" = "+name+"; return "+name)
			require.NoError(t, err)
			require.Len(t, values, 1)
			if v.Number() == v.Number() { // or it is not a number
				require.Equal(t, v, values[0])
			}
		}
		_, err := s.Eval(level, "=inspect", "...")
		require.NoError(t, err)
	}
	_,
		err := s.Eval(-1, "=inspect",
		"local t = {} for k, v in pairs(_G) do t[#t + 1] = tostring(v) .. k end return pcall(error, {}), #table.concat(t), KEYS[1], ARGV[1]")
	require.NoError(t, err)
}
