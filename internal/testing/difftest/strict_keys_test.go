package difftest

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// With strict keys, a command of a script passes if COMMAND GETKEYS names only declared keys, and
// is refused if one of them is missing. Each command of the case files is tried.
func TestStrictKeysAgreeWithGetKeys(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.rdt")
	require.NoError(t, err)
	e, err := engine.New(engine.Options{StrictKeys: engine.RefuseKeys})
	require.NoError(t, err)
	defer e.Close()
	tried, refusals := map[string]bool{}, 0
	for _, path := range paths {
		f, err := ParseFile(path)
		require.NoError(t, err)
		for _, s := range f.Steps {
			if line := strings.Join(s.Args, "\x00"); len(s.Args) > 1 && len(s.Args) < 200 && !tried[line] {
				tried[line] = true
				refusals += tryKeys(t, e, s.Args)
			}
		}
	}
	require.Greater(t, refusals, 5000)
}

// tryKeys runs a command in a script with all of its keys, and without each of them. It returns how
// often the command was refused.
func tryKeys(t *testing.T, e *engine.Engine, args []string) (refusals int) {
	v, err := e.DoStrings(context.Background(), append([]string{"COMMAND", "GETKEYS"}, args...)...)
	if err != nil || strings.Count(strings.ToUpper(strings.Join(args, " ")), "STREAMS") > 1 {
		return 0 // no keys, no such command, or COMMAND GETKEYS takes a group for the keyword STREAMS
	}
	keys := v.Strings()
	reply := func(declared []string) string {
		line := append([]string{"EVAL", "local r = redis.pcall(unpack(ARGV)) return type(r) == 'table' and r.err or ''",
			strconv.Itoa(len(declared))}, declared...)
		v, err := e.DoStrings(context.Background(), append(line, args...)...)
		require.NoError(t, err)
		return v.Text()
	}
	for _, harmless := range []string{"not allowed from script", "Unknown Redis command", "Wrong number of args"} {
		if strings.Contains(reply(keys), harmless) {
			return 0 // another check comes first
		}
	}
	const refused = "not in KEYS"
	if !strings.EqualFold(args[0], "SORT") && !strings.EqualFold(args[0], "SORT_RO") {
		require.NotContains(t, reply(keys), refused, "%q", args)
	}
	if len(keys) > 2 && strings.HasPrefix(strings.ToUpper(args[0]), "GEORADIUS") {
		return 0 // of two STOREs only the last one counts
	}
	for i := range keys {
		var others []string
		for _, k := range keys {
			if k != keys[i] {
				others = append(others, k)
			}
		}
		got := reply(others)
		if all := reply(keys); got == all && strings.HasPrefix(got, "ERR ") {
			continue // it fails before it looks at a key
		}
		require.Contains(t, got, strconv.Quote(keys[i][:min(len(keys[i]), 128)]), "%q", args)
		refusals++
	}
	return refusals
}
