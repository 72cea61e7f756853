package profile_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/profile"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/luabridge"
)

const source = `local function add(a, b)
  return a + b
end
local n = 0
for i = 1, 1000 do
  n = add(n, i)
end
return string.format('%d', n)
`

// measured returns the profile of 10 runs of source.
func measured(t *testing.T, name string) *luabridge.Profile {
	p := luabridge.NewProfile()
	if name != "" {
		p.Name(source, name)
	}
	s, err := luabridge.CompileScript(source, luabridge.CompileLimits{Profile: p})
	require.NoError(t, err)
	vm := luabridge.New(luabridge.Options{})
	defer vm.Close()
	for range 10 {
		require.Equal(t, "500500", vm.Run(nil, s, nil, nil).Text())
	}
	return p
}

// pprof runs "go tool pprof" on a profile.
func pprof(t *testing.T, p *luabridge.Profile, dir string, args ...string) string {
	var b bytes.Buffer
	require.NoError(t, profile.Write(&b, p, time.Unix(1_700_000_000, 0)))
	file := filepath.Join(dir, "profile.pprof")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	cmd := exec.Command("go", append(append([]string{"tool", "pprof"}, args...), file)...)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestPprof has the tool of Go read the profile.
func TestPprof(t *testing.T) {
	tier.Landing(t) // it compiles pprof
	dir := t.TempDir()
	file := filepath.Join(dir, "sum.lua")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o644))
	p := measured(t, file)

	out := pprof(t, p, dir, "-lines", "-top", "-sample_index=hits", "-nodecount=100", "-nodefraction=0")
	place := regexp.QuoteMeta(file)
	require.Regexp(t, `(?m)^Type: hits$`, out)
	require.Regexp(t, `(?m)^ +10000 .* 10000 .* add `+place+`:2$`, out)
	require.Regexp(t, `(?m)^ +10000 .* main `+place+`:6$`, out)
	require.Regexp(t, `(?m)^ +10 .* string\.format$`, out)

	out = pprof(t, p, dir, "-top", "-sample_index=calls", "-nodefraction=0")
	require.Regexp(t, `(?m)^ +10010 .* main$`, out)

	out = pprof(t, p, dir, "-top", "-nodefraction=0")
	require.Regexp(t, `(?m)^Type: time$`, out)
	require.Regexp(t, `(?m) 100% +main$`, out)

	out = pprof(t, p, dir, "-list=add", "-sample_index=hits")
	require.Regexp(t, `(?m)^ +10000 +10000 \(flat, cum\)|^ +20000 +20000 \(flat, cum\)`, out)
	require.Regexp(t, `(?m)^ +10000 +10000 +2:  return a \+ b$`, out)
}

func TestScriptsWithoutAName(t *testing.T) {
	out := pprof(t, measured(t, ""), t.TempDir(), "-lines", "-top", "-sample_index=hits", "-nodefraction=0")
	require.Regexp(t, `add script:[0-9a-f]{12}:2`, out)
}
