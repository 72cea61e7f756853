package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A build is a copy of the tree with the mutants in it.
type build struct {
	root    string // the copied module
	module  string
	bins    string // test binaries, each in a folder named as its package
	sources map[string]*source
	chosen  *choice
}

// compile rewrites the files and builds the packages, until all mutants compile.
func (b *build) compile() error {
	stale := slices.Collect(maps.Keys(b.chosen.used))
	for {
		for _, file := range stale {
			if err := b.write(file); err != nil {
				return err
			}
		}
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir = b.root
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		bad, badErr := b.offenders(out)
		if badErr != nil || len(bad) == 0 {
			return errors.Join(err, badErr, errors.New(string(out)))
		}
		stale = nil
		for _, m := range bad {
			fmt.Printf("  does not compile: %s:%d %s\n", m.path, m.line, m.kind)
			before := len(b.chosen.mutants)
			stale = append(stale, m.path)
			if b.chosen.drop(m); len(b.chosen.mutants) == before {
				stale = append(stale, b.chosen.mutants[before-1].path)
			}
		}
	}
}

// write writes a file with its mutants.
func (b *build) write(file string) error {
	s := b.sources[file]
	text := s.text
	if mutants := b.chosen.used[file]; len(mutants) > 0 {
		text = rewrite(text, s.fset.Position(s.file.Name.End()).Offset, b.module+"/"+switchDir, mutants)
	}
	return os.WriteFile(filepath.Join(b.root, filepath.FromSlash(file)), text, 0o644)
}

var compileError = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+)(?::\d+)?: `)

// offenders returns the mutants that the compiler complains about.
func (b *build) offenders(out []byte) ([]*mutant, error) {
	var bad []*mutant
	for _, found := range compileError.FindAllSubmatch(out, -1) {
		line, err := strconv.Atoi(string(found[2]))
		if err != nil {
			return nil, err
		}
		m, err := b.chosen.at(string(found[1]), line)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(bad, m) {
			bad = append(bad, m)
		}
	}
	return bad, nil
}

// excluded are packages whose tests look at the text of the tree, or are those of this command.
var excluded = []string{"internal/testing/repo", "internal/testing/mutants"}

// link builds the test binaries of the packages that depend on a rewritten package.
func (b *build) link(workers int) error {
	patterns, err := b.reaching()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"test", "-vet=off", "-count=1", "-p", strconv.Itoa(workers), "-exec", self + " -collect " + b.bins}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "REDMOON_MUTANTS_ROOT="+b.root)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for line := range strings.Lines(string(out)) { // a package whose tests do not compile is left out
		if !strings.HasPrefix(line, "ok ") && !strings.HasPrefix(line, "?") {
			fmt.Print("  ", line)
		}
	}
	if entries, readErr := os.ReadDir(b.bins); readErr != nil || len(entries) == 0 {
		return err
	}
	return nil
}

// reaching returns the packages with tests that depend on a rewritten package.
func (b *build) reaching() ([]string, error) {
	cmd := exec.Command("go", "list", "-test", "-f", `{{if .ForTest}}{{else}}{{.ImportPath}} {{join .Deps " "}}{{end}}`, "./...")
	cmd.Dir = b.root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		name, isTest := strings.CutSuffix(fields[0], ".test")
		rel := strings.TrimPrefix(strings.TrimPrefix(name, b.module), "/")
		if isTest && !slices.Contains(excluded, rel) && slices.Contains(fields, b.module+"/"+switchDir) {
			list = append(list, name)
		}
	}
	return list, nil
}

// collect is what go test runs in place of a test binary: it keeps the binary.
func collect(bins, binary string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(os.Getenv("REDMOON_MUTANTS_ROOT"), dir)
	if err != nil {
		return err
	}
	target := filepath.Join(bins, rel, filepath.Base(binary))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if os.Link(binary, target) == nil {
		return nil
	}
	return copyFile(binary, target)
}

// binaries returns the test binaries by the folder of their package.
func (b *build) binaries() (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(b.bins, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(b.bins, filepath.Dir(path))
		found[filepath.ToSlash(rel)] = path
		return err
	})
	return found, err
}
