package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// A program that is built with a gopher-lua which differs in anything that scripts are run by gets
// an error of engine.New, which says what is wrong and which version is right. The module is copied
// from the cache and patched.
func TestAnotherGopherLuaIsRefused(t *testing.T) {
	tier.Nightly(t) // it compiles five programs with a changed gopher-lua
	const check = "./luabridge/internal/machine/testdata/supported"
	for _, test := range []struct {
		name, program, file string
		before, after       string // texts of the patch
		want                string
	}{
		{"a table of handlers with another name", "./engine/testdata/newengine", "vm.go", "jumpTable", "handlerTable",
			"gopher-lua has no handler for instruction 0"},
		{"handlers that do something else", check, "vm.go", "return lhs + rhs", "return lhs - rhs",
			"a program fails when it is run by the handlers: <string>:29: it does not end"},
		{"a frame with fields in another order", check, "state.go", "\tBase       int\n\tLocalBase  int\n",
			"\tLocalBase  int\n\tBase       int\n", "callFrame.LocalBase is not where Base is"},
		{"a table with one field more", check, "value.go", "\tkeys    []LValue\n", "\tkeys    []LValue\n\tmore    int\n", "LTable has 7 fields"},
		{"constants of functions with another name", check, "*.go", "stringConstants", "textConstants",
			"lua.FunctionProto has no stringConstants"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runPatched(t, test.program, test.file, test.before, test.after)
			require.Contains(t, got, test.want)
			require.Contains(t, got, "redmoon needs github.com/yuin/gopher-lua v1.1.2; the program is built with v1.1.2, replaced by ")
		})
	}
}

// TestTheVersionIsTheRequiredOne keeps the errors in step with go.mod.
func TestTheVersionIsTheRequiredOne(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	require.NoError(t, err)
	require.Contains(t, string(mod), module+" "+Version+" //")
}

// runPatched builds a program of this module with a patched gopher-lua and returns what it prints.
func runPatched(t *testing.T, program, file, before, after string) string {
	const root = "../../.."
	command := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	dir := t.TempDir()
	patched := filepath.Join(dir, "gopher-lua")
	require.NoError(t, os.CopyFS(patched, os.DirFS(command("go", "list", "-m", "-f", "{{.Dir}}", module))))
	files, err := filepath.Glob(filepath.Join(patched, file))
	require.NoError(t, err)
	replaced := 0
	for _, path := range files {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.Contains(string(source), before) {
			replaced++
			require.NoError(t, os.Chmod(path, 0o644))
			require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(source), before, after)), 0o644))
		}
	}
	require.Positive(t, replaced, "the patch fits")
	mod := filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	command("go", "mod", "edit", "-replace", module+"="+patched, mod)
	command("go", "build", "-trimpath", "-modfile", mod, "-o", filepath.Join(dir, "program"), program)
	return command(filepath.Join(dir, "program"))
}
