package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/difftest/luagen"
	"github.com/redmoon-lua/redmoon/internal/reply"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// maxLines is how many lines of a run are compared.
const maxLines = 2000

// TestLines compares the lines that a script reaches, one after the other, with those at which Redis's debugger stops. The scripts are those of
// the repository, and random programs with random line breaks: REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestLines(t *testing.T) {
	needsOracle(t)
	t.Run("scripts", func(t *testing.T) {
		var files []string
		for _, pattern := range []string{"scripts/*/*.lua", "internal/difftest/testdata/lines/*.lua"} {
			found, err := filepath.Glob(filepath.Join(Root(), pattern))
			require.NoError(t, err)
			files = append(files, found...)
		}
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			theirs, ours := linesOf(t, string(text))
			require.Equal(t, theirs, ours, file)
		}
	})
	t.Run("random", func(t *testing.T) {
		seed, count := uint64(1), 150
		if s, err := strconv.ParseUint(os.Getenv("REDMOON_SEED"), 10, 64); err == nil {
			seed = s
		}
		if n, err := strconv.Atoi(os.Getenv("REDMOON_PROGRAMS")); err == nil {
			count = n
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		compared := 0
		for range count {
			src := breakLines(rng, luagen.Program(rng, 1+rng.IntN(4)))
			differ := func(src string) bool {
				compared++
				theirs, ours := linesOf(t, src)
				return len(theirs) > 0 && len(ours) > 0 && fmt.Sprint(theirs) != fmt.Sprint(ours)
			}
			if differ(src) {
				src = luagen.Shrink(src, differ)
				theirs, ours := linesOf(t, src)
				t.Errorf("%s\noracle %v\nours   %v", src, theirs, ours)
			}
		}
		t.Logf("%d runs compared", compared)
	})
}

// breakLines puts line breaks between the tokens of a program.
func breakLines(rng *rand.Rand, src string) string {
	var b strings.Builder
	tokens := luagen.Tokens(src)
	for i, token := range tokens {
		if strings.HasPrefix(token, "--") {
			continue
		}
		b.WriteString(token)
		if rng.IntN(3) == 0 && i+1 < len(tokens) && !strings.HasPrefix(tokens[i+1], "(") && strings.TrimSpace(token) != "" {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// linesOf returns the lines at which the oracle stops when a script is stepped through, and those that it reaches here.
func linesOf(t *testing.T, src string) (theirs, ours []int) {
	return oracleLines(t, src), reachedLines(t, src)
}

var stoppedAt = regexp.MustCompile(`\* Stopped at (\d+),`)

func oracleLines(t *testing.T, src string) (lines []int) {
	require.NoError(t, theRunner.Oracle.Reset())
	c, err := theRunner.Oracle.Open()
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Do([]string{"SCRIPT", "DEBUG", "SYNC"})
	require.NoError(t, err)
	for cmd := []string{"EVAL", src, "0"}; len(lines) < maxLines; cmd = []string{"step"} {
		raw, err := c.Do(cmd)
		if err != nil || raw[0] == '-' {
			return lines
		}
		for _, m := range stoppedAt.FindAllSubmatch(raw, -1) {
			n, err := strconv.Atoi(string(m[1]))
			require.NoError(t, err)
			lines = append(lines, n)
		}
		if strings.Contains(string(raw), "<endsession>") {
			return lines
		}
	}
	return lines
}

func reachedLines(t *testing.T, src string) (lines []int) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	s, err := vm.Compile(src)
	if err != nil {
		return nil
	}
	vm.Debug(tracer{reach: func(line int) {
		if lines = append(lines, line); len(lines) == maxLines {
			vm.Interrupt("ERR enough")
		}
	}})
	vm.Run(engineHost{e}, s, nil, nil)
	return lines
}

// engineHost runs the commands of a script on an engine.
type engineHost struct{ e *engine.Engine }

func (h engineHost) Call(args []string) reply.Value {
	if len(args) > 0 && strings.EqualFold(args[0], "RANDOMKEY") {
		return reply.Nil()
	}
	v, err := h.e.DoStrings(context.Background(), args...)
	if err != nil {
		return reply.Err(err.Error())
	}
	return v
}

func (h engineHost) SetResp(int) {}

func (h engineHost) CheckACL([]string) (allowed, known bool) { return true, true }

func (h engineHost) InnerError(reply.Value) {}

// tracer is told of lines and of nothing else.
type tracer struct{ reach func(line int) }

func (t tracer) Line(_ *luabridge.Stack, line int) { t.reach(line) }

func (tracer) Call(*luabridge.Stack, []string) {}

func (tracer) Reply(*luabridge.Stack, []string, reply.Value) {}

func (tracer) Raise(*luabridge.Stack, luabridge.Value, bool) {}

func (tracer) Complain(*luabridge.Stack, string) {}

func (tracer) Breakpoint(*luabridge.Stack) bool { return false }

func (tracer) Print(*luabridge.Stack, []luabridge.Value) {}

func (tracer) Log(*luabridge.Stack, int, string) {}
