// Reflow rewraps the comments of Go files and the prose of Markdown documents at 100 characters.
//
//	go run ./internal/testing/reflow [-n] [-all] [-code] path...
//
// A path is a file, a folder, or a folder and all below it (dir/...). A paragraph is rewrapped when
// one of its lines is longer than 100 characters; with -all every paragraph is. Code blocks,
// tables, headings, directives, the output of examples and comments behind code stay as they are,
// and so do generated files. With -n the program lists the files that it would change.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	dry := flag.Bool("n", false, "list the files that would change, change nothing")
	all := flag.Bool("all", false, "rewrap every paragraph, not only those with long lines")
	code := flag.Bool("code", false, "also break long lines of Go code")
	flag.Parse()
	for _, path := range flag.Args() {
		if err := reflowPath(path, options{*dry, *all, *code}); err != nil {
			fmt.Fprintln(os.Stderr, "reflow:", err)
			os.Exit(1)
		}
	}
}

// options are the program's flags.
type options struct{ dry, all, code bool }

func reflowPath(path string, o options) error {
	base, deep := strings.CutSuffix(path, "...")
	base = filepath.Clean(base)
	return filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != base && (!deep || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		return reflowFile(name, o)
	})
}

func reflowFile(name string, o options) error {
	var rewrap func([]byte, bool) ([]byte, error)
	switch filepath.Ext(name) {
	case ".go":
		rewrap = reflowGo
	case ".md":
		rewrap = reflowMarkdown
	default:
		return nil
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out := source
	if o.code && filepath.Ext(name) == ".go" {
		if out, err = breakCode(out); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	out, err = rewrap(out, o.all)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if bytes.Equal(source, out) {
		return nil
	}
	fmt.Println(name)
	if o.dry {
		return nil
	}
	return os.WriteFile(name, out, 0o644)
}
