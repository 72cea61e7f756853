package main

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A test is the unit that is run and measured.
type test struct {
	dir, bin string
	group    string // the tests around it, as in -run; empty: a test of the package
	name     string
	cost     time.Duration
	reaches  []int // ids of mutants
}

func (t *test) String() string { return t.dir + " " + strings.TrimPrefix(t.group+"/"+t.name, "/") }

// pattern returns the argument of -test.run that selects tests of one group.
func pattern(group string, names []string) string {
	var b strings.Builder
	if group != "" {
		for part := range strings.SplitSeq(group, "/") {
			b.WriteString("^" + regexp.QuoteMeta(part) + "$/")
		}
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return b.String() + "^(" + strings.Join(quoted, "|") + ")$"
}

// One test plays all case files; each file counts as a test.
const (
	caseDir   = "internal/testing/difftest"
	caseTest  = "TestOracle"
	caseFiles = "testdata/*/*.rdt"
)

var testName = regexp.MustCompile(`(?m)^(?:Test|Example|Fuzz)\S*$`)

// list returns the tests of a binary.
func (c *children) list(dir, bin string) ([]*test, error) {
	o, err := c.run(dir, bin, 0, time.Minute, "", "-test.list", ".")
	if err != nil {
		return nil, err
	}
	if !o.passed {
		fmt.Printf("  left out: all of %s: its list fails\n", dir)
		return nil, nil
	}
	var tests []*test
	for _, name := range testName.FindAllString(o.out, -1) {
		if dir == caseDir && name == caseTest {
			files, err := filepath.Glob(filepath.Join(c.root, dir, filepath.FromSlash(caseFiles)))
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				f = filepath.ToSlash(f)
				group := caseTest + "/" + path.Base(path.Dir(f))
				tests = append(tests, &test{dir: dir, bin: bin, group: group, name: strings.TrimSuffix(path.Base(f), ".rdt")})
			}
			continue
		}
		tests = append(tests, &test{dir: dir, bin: bin, name: name})
	}
	return tests, nil
}

// A batch is tests of one group that run in one process.
type batch struct {
	tests []*test
	cost  time.Duration
}

// batchCost is how long a batch of several tests may take.
const batchCost = 3 * time.Second

// batches orders the tests that reach a mutant: those of the mutant's package first, then what
// costs least.
func batches(tests []*test, own string) []batch {
	groups := map[string][]*test{}
	for _, t := range tests {
		groups[t.dir+" "+t.group] = append(groups[t.dir+" "+t.group], t)
	}
	var all []batch
	for _, list := range groups {
		slices.SortFunc(list, func(a, b *test) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.name, b.name)) })
		var one batch
		for _, t := range list {
			if len(one.tests) > 0 && one.cost+t.cost > batchCost {
				all, one = append(all, one), batch{}
			}
			one.tests, one.cost = append(one.tests, t), one.cost+t.cost
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b batch) int {
		first := func(x batch) int {
			if x.tests[0].dir == own {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(a.cost, b.cost), cmp.Compare(a.tests[0].String(), b.tests[0].String()))
	})
	return all
}

func (b batch) names() []string {
	names := make([]string, len(b.tests))
	for i, t := range b.tests {
		names[i] = t.name
	}
	return names
}
