package main

import (
	"bufio"
	"cmp"
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
	FailedBuild                   string // of a package that failed: the package that does not compile
	Elapsed                       float64
}

// key names a test; Test is empty for the package itself.
type key struct{ pkg, test string }

// results are what go test -json has reported so far.
type results struct {
	verbose bool

	output  map[key][]string // of running tests; a passed test's is dropped
	running map[string][]string
	elapsed map[key]float64
	failed  []key
	builds  map[string]bool   // packages that do not compile
	shuffle map[string]string // seed of -shuffle by package
}

// read reads the lines of go test -json from in, and writes to w what go test without -json prints:
// the output of packages and of failed tests.
func (r *results) read(in io.Reader, w io.Writer) error {
	r.output, r.running, r.elapsed = map[key][]string{}, map[string][]string{}, map[key]float64{}
	r.builds, r.shuffle = map[string]bool{}, map[string]string{}
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
	case "run":
		r.running[e.Package] = append(r.running[e.Package], e.Test)
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
		r.end(k, e.Elapsed)
		if !slices.ContainsFunc(r.output[k], crash.MatchString) {
			delete(r.output, k)
		}
	case "fail":
		r.end(k, e.Elapsed)
		if e.FailedBuild != "" && r.builds[e.FailedBuild] {
			return // one command is enough for all that import it
		}
		r.builds[e.FailedBuild] = true
		r.failed = append(r.failed, k)
		r.print(w, k)
		if e.Test == "" {
			r.crashed(e.Package, w)
		}
	}
}

func (r *results) end(k key, elapsed float64) {
	r.elapsed[k] = elapsed
	r.running[k.pkg] = slices.DeleteFunc(r.running[k.pkg], func(test string) bool { return test == k.test })
}

// print prints the output of a test, unless that has been done.
func (r *results) print(w io.Writer, k key) {
	if r.verbose {
		return
	}
	for _, s := range r.output[k] {
		if !strings.HasPrefix(s, "=== ") {
			fmt.Fprint(w, s)
		}
	}
}

// crash matches what the end of a process, or the race detector, prints into the output of any
// test.
var crash = regexp.MustCompile(`WARNING: DATA RACE|panic: |fatal error: |SIG[A-Z]+: `)

// crashed prints the output of the tests that had not ended when their package failed, because of a
// time-out, a panic or an exit, and counts them as failed; and the output of tests that passed but
// have reported a crash.
func (r *results) crashed(pkg string, w io.Writer) {
	for _, test := range r.running[pkg] {
		r.failed = append(r.failed, key{pkg, test})
	}
	failed := func(k key) bool { return slices.Contains(r.failed, k) && !slices.Contains(r.running[pkg], k.test) }
	for k := range r.output {
		if k.pkg == pkg && k.test != "" && !failed(k) {
			r.print(w, k)
		}
	}
}

// seedOf finds the seed that a test of ours prints.
var seedOf = regexp.MustCompile(`(?i)\bseed[ =:]+(\d+)`)

// settings are the variables that belong to the command that repeats a test.
var settings = regexp.MustCompile(`^(CI|REDMOON_[A-Z]+)=`)

// others are variables of ours that do not belong to it, or that it gets in another way.
var others = regexp.MustCompile(`^REDMOON_(SEED|FAILED|FOUND|COVERAGE)=`)

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
	given := "" // the seed
	for _, v := range environ {
		if seed, ok := strings.CutPrefix(v, "REDMOON_SEED="); ok {
			given = seed
		}
		if strings.HasPrefix(v, "REDMOON_ORACLES=") {
			set = append(set, "REDMOON_ORACLES=$($(git rev-parse --show-toplevel)/.ci/oracles)")
		}
		if settings.MatchString(v) && !others.MatchString(v) {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	folder := folderInRepository()
	var lines []string
	for _, k := range inner {
		words := slices.Clone(set)
		if seed := cmp.Or(r.seed(k), given); seed != "" {
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
		if d := flagOf(args, "timeout"); d != "" {
			words = append(words, "-timeout", d)
		}
		if k.test != "" {
			words = append(words, "-run", quoted(runPattern(k.test)))
		} else {
			for _, f := range []string{"run", "skip"} {
				if p := flagOf(args, f); p != "" {
					words = append(words, "-"+f, quoted(p))
				}
			}
		}
		line := strings.Join(append(words, k.pkg), " ")
		if folder != "." {
			line = "(cd " + folder + " && " + line + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// flagOf returns the value of a flag of go test, or "".
func flagOf(args []string, name string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "-"+name+"="); ok {
			return v
		}
		if a == "-"+name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// quoted returns a word of a command for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

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
