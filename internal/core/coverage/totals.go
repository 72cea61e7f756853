package coverage

import (
	"math"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Totals are the sums of a file or of a report.
type Totals struct{ Lines, Branches, Functions Share }

// Share is how many of all have run. A branch counts once for each of its [Ways].
type Share struct{ Hit, All int }

// Percent returns the share in percent, rounded down to tenths, so that 100 means all. It is 100 if
// there are none.
func (s Share) Percent() float64 {
	if s.All == 0 {
		return 100
	}
	return math.Floor(1000*float64(s.Hit)/float64(s.All)) / 10
}

func (s *Share) count(hits uint64) {
	s.All++
	if hits > 0 {
		s.Hit++
	}
}

func (s *Share) add(more Share) { s.Hit, s.All = s.Hit+more.Hit, s.All+more.All }

// Ways returns how often a run has gone each way that tests should take: both ways of a condition,
// and into the body of a for loop. A loop without an iteration is not demanded: many cannot be so.
func Ways(b luabridge.BranchCoverage) []uint64 {
	if b.Kind == luabridge.BranchFor {
		return []uint64{b.Yes}
	}
	return []uint64{b.Yes, b.No}
}

// Totals returns the sums of a file.
func (f *File) Totals() (t Totals) {
	for _, l := range f.Lines {
		t.Lines.count(l.Hits)
	}
	for _, b := range f.Branches {
		for _, hits := range Ways(b) {
			t.Branches.count(hits)
		}
	}
	for _, fn := range f.Functions {
		t.Functions.count(fn.Hits)
	}
	return t
}

// Totals returns the sums of all files.
func (r *Report) Totals() (t Totals) {
	for _, f := range r.Files {
		one := f.Totals()
		t.Lines.add(one.Lines)
		t.Branches.add(one.Branches)
		t.Functions.add(one.Functions)
	}
	return t
}

// KnownOnly removes the scripts whose files are not known.
func (r *Report) KnownOnly() {
	var files []*File
	for _, f := range r.Files {
		if f.Known {
			files = append(files, f)
		}
	}
	r.Files = files
}
