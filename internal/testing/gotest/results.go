package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json). Lines of the build have only Output and
// ImportPath.
type event struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string
	Elapsed                       float64
}

// key names a test; Test is empty for the package itself.
type key struct{ pkg, test string }

// results are what go test -json has reported so far.
type results struct {
	verbose bool

	output  map[key][]string // of running tests; a passed test's is dropped
	elapsed map[key]float64
	failed  []key
	shuffle map[string]string // seed of -shuffle by package
}

// read reads the lines of go test -json from in, and writes to w what go test without -json prints:
// the output of packages and of failed tests.
func (r *results) read(in io.Reader, w io.Writer) error {
	r.output, r.elapsed, r.shuffle = map[key][]string{}, map[key]float64{}, map[string]string{}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line, w)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var shuffleSeed = regexp.MustCompile(`^-test\.shuffle (\d+)`)

func (r *results) line(line []byte, w io.Writer) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		w.Write(line) // not from a test: the go command's own words
		return
	}
	k := key{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(w, e.Output)
	case "output":
		if m := shuffleSeed.FindStringSubmatch(e.Output); m != nil {
			r.shuffle[e.Package] = m[1]
		}
		switch {
		case r.verbose:
			fmt.Fprint(w, e.Output)
			r.output[k] = append(r.output[k], e.Output)
		case e.Test == "":
			if e.Output != "PASS\n" && e.Output != "FAIL\n" {
				fmt.Fprint(w, e.Output)
			}
		default:
			r.output[k] = append(r.output[k], e.Output)
		}
	case "pass", "skip":
		r.elapsed[k] = e.Elapsed
		delete(r.output, k)
	case "fail":
		r.elapsed[k] = e.Elapsed
		r.failed = append(r.failed, k)
		if !r.verbose {
			for _, s := range r.output[k] {
				if !strings.HasPrefix(s, "=== ") {
					fmt.Fprint(w, s)
				}
			}
		}
	}
}

// seedOf finds the seed that a test of ours prints.
var seedOf = regexp.MustCompile(`(?i)\bseed[ =:]+(\d+)`)

// settings are the variables that decide what a test runs: they belong to the command that repeats
// it.
var settings = regexp.MustCompile(`^(CI|REDMOON_(ORACLE|TIER|COMMANDS|STEPS|PROGRAMS|TEXTS|USERS|STORM|CUTS|KILLS|FAILOVERS|` +
	`ROLLBACKS|MASKS))=`)

// repeats returns for each failed test the command that repeats it. Tests whose subtests failed are
// left out, as are packages whose tests failed. args are those of go test, environ its environment.
func (r *results) repeats(args, environ []string) []string {
	var inner []key
	for _, k := range r.failed {
		hasInner := func(other key) bool {
			return other.pkg == k.pkg && other != k && (k.test == "" || strings.HasPrefix(other.test, k.test+"/"))
		}
		if !slices.ContainsFunc(r.failed, hasInner) {
			inner = append(inner, k)
		}
	}
	var set []string
	for _, v := range environ {
		if strings.HasPrefix(v, "REDMOON_ORACLE8=") {
			set = append(set, "REDMOON_ORACLE8=$($(git rev-parse --show-toplevel)/.ci/redis8)")
		}
		if settings.MatchString(v) {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	folder := folderInRepository()
	var lines []string
	for _, k := range inner {
		words := slices.Clone(set)
		if seed := r.seed(k); seed != "" {
			words = append(words, "REDMOON_SEED="+seed)
		}
		words = append(words, "go", "test")
		if slices.Contains(args, "-race") {
			words = append(words, "-race")
		}
		words = append(words, "-count=1")
		if s := r.shuffle[k.pkg]; s != "" {
			words = append(words, "-shuffle="+s)
		}
		if k.test != "" {
			words = append(words, "-run", "'"+runPattern(k.test)+"'")
		}
		line := strings.Join(append(words, k.pkg), " ")
		if folder != "." {
			line = "(cd " + folder + " && " + line + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// folderInRepository returns the path of the current folder from the root of its git repository;
// "." if there is none.
func folderInRepository() string {
	here, err := os.Getwd()
	if err != nil {
		return "."
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
			if rel, err := filepath.Rel(root, here); err == nil {
				return filepath.ToSlash(rel)
			}
		}
		if root == filepath.Dir(root) {
			return "."
		}
	}
}

// seed returns the seed that the test printed, or its subtests did.
func (r *results) seed(k key) string {
	for other, out := range r.output {
		if other.pkg != k.pkg || other.test != k.test && !strings.HasPrefix(other.test, k.test+"/") {
			continue
		}
		if m := seedOf.FindStringSubmatch(strings.Join(out, "")); m != nil {
			return m[1]
		}
	}
	return ""
}

// runPattern returns the -run pattern that matches just this test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
