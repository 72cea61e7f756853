// Package seeds finds the published scripts with which tests run: articles of others show them, so
// they are not in the repository. They lie in shared/seeds beside it, or in the folder that
// REDMOON_SEEDS names.
package seeds

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Variable names the folder, or is "off" where it is known that there is none: then CI, too, skips
// the tests that need it.
const Variable = "REDMOON_SEEDS"

// Read returns a script.
func Read(name string) (string, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		root, err := os.Getwd()
		for ; err == nil; root = filepath.Dir(root) { // up to the root of the main module
			if _, err := os.Stat(filepath.Join(root, "ARCHITECTURE.md")); err == nil {
				break
			}
			if root == filepath.Dir(root) {
				return "", fmt.Errorf("seed %s: not in the repository", name)
			}
		}
		dir = filepath.Join(root, "..", "shared", "seeds")
	}
	b, err := os.ReadFile(filepath.Join(dir, name))
	return string(b), err
}

// Need returns a script. Where it is absent the test is skipped; in continuous integration (CI is
// "true") it fails, unless [Variable] is "off".
func Need(t testing.TB, name string) string {
	t.Helper()
	text, err := Read(name)
	if err != nil && os.Getenv("CI") == "true" && os.Getenv(Variable) != "off" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("the published scripts are not here: %v", err)
	}
	return text
}
