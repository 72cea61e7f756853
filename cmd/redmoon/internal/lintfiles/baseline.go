package lintfiles

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/tools/lint"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Baseline is a list of findings that are known: a code base that has many can begin with it, and
// only new ones count. A finding is known by its file, its rule and the text of its line, so it
// stays known when lines move.
type Baseline struct {
	path  string
	known map[knownFinding]int // how often each is known
}

type knownFinding struct {
	File string `json:"file"` // relative to the folder of the baseline, with slashes
	Rule string `json:"rule"`
	Line string `json:"line"` // its text, without spaces around
}

// baselineFile is the file of a Baseline.
type baselineFile struct {
	Redmoon  string          `json:"redmoon"` // baselineMark
	Findings []countedBefore `json:"findings"`
}

type countedBefore struct {
	knownFinding
	Count int `json:"count"`
}

const (
	baselineMark = "lint baseline 1"
	maxLine      = 300 // bytes of a line that a baseline keeps
)

// ReadBaseline reads a baseline. A file that is missing is an error.
func ReadBaseline(path string) (*Baseline, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f baselineFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || f.Redmoon != baselineMark {
		return nil, fmt.Errorf("%s: this is not a baseline of redmoon lint", path)
	}
	b := &Baseline{path: path, known: map[knownFinding]int{}}
	for _, k := range f.Findings {
		b.known[k.knownFinding] += k.Count
	}
	return b, nil
}

// Apply removes the known findings from results. It returns how many it has removed, and how many
// of the baseline are not there any more.
func (b *Baseline) Apply(results []Result) (known, gone int) {
	left := map[knownFinding]int{}
	for k, n := range b.known {
		left[k] = n
	}
	for i := range results {
		r := &results[i]
		t := luatree.NewTree(r.Source)
		r.Findings = slices.DeleteFunc(r.Findings, func(f lint.Finding) bool {
			k := knownAs(b.path, r.Path, t, f)
			if left[k] == 0 {
				return false
			}
			left[k]--
			known++
			return true
		})
	}
	for _, n := range left {
		gone += n
	}
	return known, gone
}

// WriteBaseline writes the findings of results into a file. It replaces only a baseline.
func WriteBaseline(path string, results []Result) error {
	if _, err := ReadBaseline(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; it is not replaced", err)
	}
	counts := map[knownFinding]int{}
	for _, r := range results {
		t := luatree.NewTree(r.Source)
		for _, f := range r.Findings {
			counts[knownAs(path, r.Path, t, f)]++
		}
	}
	file := baselineFile{Redmoon: baselineMark, Findings: []countedBefore{}}
	for k, n := range counts {
		file.Findings = append(file.Findings, countedBefore{k, n})
	}
	slices.SortFunc(file.Findings, func(a, b countedBefore) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Line, b.Line))
	})
	var b strings.Builder
	if err := printIndented(&b, file); err != nil {
		return err
	}
	return files.Replace(path, b.String())
}

// knownAs is what a baseline at a path knows a finding by.
func knownAs(baseline, path string, t *luatree.Tree, f lint.Finding) knownFinding {
	name := path
	if from, err := filepath.Abs(filepath.Dir(baseline)); err == nil {
		if to, err := filepath.Abs(path); err == nil {
			if rel, err := filepath.Rel(from, to); err == nil {
				name = rel
			}
		}
	}
	line := strings.TrimSpace(t.Text(t.Line(f.Line)))
	line = strings.ToValidUTF8(line[:min(len(line), maxLine)], "")
	return knownFinding{filepath.ToSlash(name), f.Rule, line}
}
