// Command extras writes what the archives of a release hold besides the program: completions for
// bash, zsh and fish, and the manual page. Its arguments are the folder, which is made, and the
// version that the manual page names.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// extras are the files, and the arguments of redmoon that print them.
var extras = map[string][]string{
	"redmoon.bash": {"completion", "bash"},
	"_redmoon":     {"completion", "zsh"},
	"redmoon.fish": {"completion", "fish"},
	"redmoon.1":    {"man"},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: extras FOLDER VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "extras:", err)
		os.Exit(1)
	}
}

func write(folder, version string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, args := range extras {
		run := []string{"run", "-ldflags", "-X main.releaseVersion=" + version, "./cmd/redmoon"}
		out, err := exec.Command("go", append(run, args...)...).Output()
		if err != nil {
			return fmt.Errorf("redmoon %v: %w", args, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), out, 0o644); err != nil {
			return err
		}
	}
	return nil
}
