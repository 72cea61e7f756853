package miniredis

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	theirPath = "github.com/alicebob/miniredis/v2"
	ourPath   = "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
)

// sources are changed copies of modules, which the go command uses instead of those in its cache.
type sources struct {
	t        *testing.T
	dir      string
	replaces []string // module=folder
}

func newSources(t *testing.T) *sources { return &sources{t: t, dir: t.TempDir()} }

// copyModule copies a module, changing the text of its Go files. change gets the path within the
// module and returns false to leave the file out. copyModule returns how many files were changed.
func (s *sources) copyModule(module string, change func(path, text string) (string, bool)) (changed int) {
	s.t.Helper()
	goCommand(s.t, "mod", "download", module) // list names no folder that is not there
	from := goCommand(s.t, "list", "-m", "-f", "{{.Dir}}", module)
	to := filepath.Join(s.dir, fmt.Sprint(len(s.replaces)))
	s.replaces = append(s.replaces, module+"="+to)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(content)
		if strings.HasSuffix(path, ".go") {
			next, keep := change(filepath.ToSlash(rel), text)
			if !keep {
				return nil
			}
			if next != text {
				changed++
				text = next
			}
		}
		return os.WriteFile(filepath.Join(to, rel), []byte(text), 0o644)
	})
	require.NoError(s.t, err)
	return changed
}

// importOurs changes the import of miniredis to minicompat.
func importOurs(_, text string) (string, bool) {
	return strings.ReplaceAll(text, `"`+theirPath+`"`, `"`+ourPath+`"`), true
}

// modfile writes a go.mod that uses the copies and returns its path, for the option -modfile.
func (s *sources) modfile() string {
	s.t.Helper()
	name := filepath.Join(s.dir, "go.mod")
	for _, f := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(f)
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, f), content, 0o600))
	}
	args := []string{"mod", "edit"}
	for _, r := range s.replaces {
		args = append(args, "-replace="+r)
	}
	goCommand(s.t, append(args, name)...)
	return name
}

// goCommand runs the go command and returns what it prints.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	require.NoError(t, err, "go %v", args)
	return strings.TrimSpace(string(out))
}
