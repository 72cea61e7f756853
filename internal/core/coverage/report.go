package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Report is what scripts have run, by file.
type Report struct {
	Files []*File // sorted by path; those that are not known come last
}

// File is what has run of one file.
type File struct {
	// Path is the path of the file, with slashes. A script whose file is not known has the path
	// "script:" and its SHA1. If several versions of a file have run, those except the first have "@"
	// and a part of the SHA1 behind their paths.
	Path      string
	Known     bool // Path is that of a file
	Source    string
	Runs      uint64 // of the scripts that the file belongs to
	Lines     []luabridge.LineCoverage
	Branches  []luabridge.BranchCoverage
	Functions []luabridge.FunctionCoverage
}

// unknown is the beginning of the path of a script whose file is not known.
const unknown = "script:"

// NewReport makes a report of scripts. Names that scripts have are kept; for the others, sources is
// searched. It returns an error if a script cannot have such counts.
func NewReport(scripts []luabridge.ScriptCoverage, sources *Sources) (*Report, error) {
	sums := map[fileKey]*sum{}
	for i := range scripts {
		s := &scripts[i]
		if err := check(s); err != nil {
			return nil, err
		}
		for _, p := range sources.parts(s) {
			k := fileKey{p.path, p.source}
			if sums[k] == nil {
				sums[k] = newSum(p)
			}
			sums[k].add(s, &p)
		}
	}
	r := &Report{}
	for _, s := range sums {
		f := s.file()
		f.exclude()
		r.Files = append(r.Files, f)
	}
	r.sort()
	return r, nil
}

// sort sorts the files, and gives versions of one file paths of their own.
func (r *Report) sort() {
	slices.SortFunc(r.Files, func(a, b *File) int {
		if a.Known != b.Known {
			if a.Known {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(b.Runs, a.Runs), strings.Compare(a.Source, b.Source))
	})
	last := ""
	for _, f := range r.Files {
		if f.Path != last {
			last = f.Path
			continue
		}
		f.Path += "@" + shaOf(f.Source)[:7]
	}
}

// check checks that the places of a script are in its text.
func check(s *luabridge.ScriptCoverage) error {
	text := luatree.NewTree(s.Source)
	in := func(line, column int) bool {
		return line >= 1 && line <= text.Lines() && column >= 1 && text.Line(line).From+column-1 <= len(s.Source)
	}
	ok := s.Source != "" || len(s.Lines)+len(s.Branches)+len(s.Functions) == 0
	for _, l := range s.Lines {
		ok = ok && in(l.Line, 1)
	}
	for _, b := range s.Branches {
		ok = ok && in(b.Line, b.Column) && in(b.EndLine, b.EndColumn) &&
			(b.Line < b.EndLine || b.Line == b.EndLine && b.Column <= b.EndColumn)
	}
	for _, f := range s.Functions {
		ok = ok && in(f.Line, 1) && in(f.EndLine, 1)
	}
	if !ok {
		return fmt.Errorf("the coverage of script %s %s is damaged: its source is missing, or has no such lines", s.SHA, s.Name)
	}
	return nil
}

// fileKey identifies a version of a file.
type fileKey struct{ path, source string }

// sum adds up what scripts have run of a file.
type sum struct {
	part
	runs      uint64
	lines     map[int]uint64
	branches  map[[2]int]*luabridge.BranchCoverage   // by line and column
	functions map[[2]int]*luabridge.FunctionCoverage // by line, and number on the line
}

func newSum(p part) *sum {
	return &sum{part: p, lines: map[int]uint64{},
		branches: map[[2]int]*luabridge.BranchCoverage{}, functions: map[[2]int]*luabridge.FunctionCoverage{}}
}

// add adds the counts of a script's lines that come from the file.
func (f *sum) add(s *luabridge.ScriptCoverage, p *part) {
	f.runs += s.Runs
	for _, l := range s.Lines {
		if line, ok := p.line(l.Line); ok {
			f.lines[line] += l.Hits
		}
	}
	for _, b := range s.Branches {
		if line, ok := p.line(b.Line); ok {
			b.Line, b.EndLine = line, p.end(b.EndLine, line)
			k := [2]int{b.Line, b.Column}
			if have := f.branches[k]; have != nil {
				b.Yes, b.No = b.Yes+have.Yes, b.No+have.No
			}
			f.branches[k] = &b
		}
	}
	n := map[int]int{}
	for _, fn := range s.Functions {
		if line, ok := p.line(fn.Line); ok {
			fn.Line, fn.EndLine = line, p.end(fn.EndLine, line)
			k := [2]int{fn.Line, n[fn.Line]}
			n[fn.Line]++
			if have := f.functions[k]; have != nil {
				fn.Hits += have.Hits
			}
			f.functions[k] = &fn
		}
	}
}

func (f *sum) file() *File {
	out := &File{Path: f.path, Known: f.known, Source: f.source, Runs: f.runs}
	for line, hits := range f.lines {
		out.Lines = append(out.Lines, luabridge.LineCoverage{Line: line, Hits: hits})
	}
	slices.SortFunc(out.Lines, func(a, b luabridge.LineCoverage) int { return a.Line - b.Line })
	for _, k := range sortedKeys(f.branches) {
		out.Branches = append(out.Branches, *f.branches[k])
	}
	for _, k := range sortedKeys(f.functions) {
		out.Functions = append(out.Functions, *f.functions[k])
	}
	return out
}

func sortedKeys[V any](m map[[2]int]V) [][2]int {
	keys := make([][2]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return keys
}
