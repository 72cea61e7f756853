package luabridge

import (
	"errors"
	"maps"
	"slices"
	"sort"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// ScriptCoverage is what has run of one script or library.
type ScriptCoverage struct {
	SHA     string `json:"sha"`               // SHA1 of the source, lower-case hexadecimal
	Name    string `json:"name,omitempty"`    // of its file, from [Coverage.Name]; empty: unknown
	Library bool   `json:"library,omitempty"` // FUNCTION LOAD has loaded it
	Source  string `json:"source,omitempty"`
	Runs    uint64 `json:"runs"` // how often it has run; for a library: has been loaded

	// Lines are the lines with code, from 1 and ascending: those on which a statement begins, the
	// condition of an elseif or until, or an operand of "and" or "or" with nothing before it.
	Lines []LineCoverage `json:"lines"`
	// Branches are in the order of the text.
	Branches []BranchCoverage `json:"branches"`
	// Functions are in the order of the text. The text itself is not one of them.
	Functions []FunctionCoverage `json:"functions"`
}

// LineCoverage is what has run of a line.
type LineCoverage struct {
	Line int `json:"line"`
	// Hits is how often the line was reached. If several statements begin on it, the one that was
	// reached most often counts. For while it is how often the condition was evaluated.
	Hits uint64 `json:"hits"`
}

// BranchCoverage is how often a run has gone each way at a condition.
type BranchCoverage struct {
	Kind      BranchKind `json:"kind"`
	Line      int        `json:"line"`   // where the condition begins
	Column    int        `json:"column"` // in bytes, from 1
	EndLine   int        `json:"endLine"`
	EndColumn int        `json:"endColumn"` // behind its last byte
	// Yes is how often the condition was true; for [BranchFor], how often the loop ran its body at
	// least once.
	Yes uint64 `json:"yes"`
	// No is how often the condition was false; for [BranchFor], how often there was no iteration.
	No uint64 `json:"no"`
}

// BranchKind says what a branch depends on.
type BranchKind string

// The kinds of branches. A condition is an operand of "and" or "or", or else the whole condition of
// a statement. The last operand belongs to the statement. A condition that cannot change, such as
// true, 1 or a constructor, is not a branch.
const (
	BranchIf     BranchKind = "if"
	BranchElseif BranchKind = "elseif"
	BranchWhile  BranchKind = "while"
	BranchUntil  BranchKind = "until"
	BranchAnd    BranchKind = "and" // an operand with "and" after it
	BranchOr     BranchKind = "or"  // an operand with "or" after it
	BranchFor    BranchKind = "for" // a for loop, unless its limits are numbers in the text
)

var branchKinds = [...]BranchKind{luac.BranchIf: BranchIf, luac.BranchElseif: BranchElseif, luac.BranchWhile: BranchWhile,
	luac.BranchUntil: BranchUntil, luac.BranchAnd: BranchAnd, luac.BranchOr: BranchOr, luac.BranchFor: BranchFor}

// FunctionCoverage is how often a function was called.
type FunctionCoverage struct {
	Name    string `json:"name"` // as the text names it, such as "M.split"; empty: it has no name
	Line    int    `json:"line"` // where it begins
	EndLine int    `json:"endLine"`
	Hits    uint64 `json:"hits"`
}

// ErrOtherPlaces is returned by [ScriptCoverage.Add].
var ErrOtherPlaces = errors.New("the two were counted at different places of the script, by different versions of Redmoon")

// Add adds the counts of the same script to s.
func (s *ScriptCoverage) Add(more *ScriptCoverage) error {
	same := s.SHA == more.SHA && len(s.Lines) == len(more.Lines) && len(s.Branches) == len(more.Branches) &&
		len(s.Functions) == len(more.Functions)
	for i := 0; same && i < len(s.Lines); i++ {
		same = s.Lines[i].Line == more.Lines[i].Line
	}
	for i := 0; same && i < len(s.Branches); i++ {
		a, b := s.Branches[i], more.Branches[i]
		same = a.Kind == b.Kind && a.Line == b.Line && a.Column == b.Column
	}
	for i := 0; same && i < len(s.Functions); i++ {
		same = s.Functions[i].Line == more.Functions[i].Line
	}
	if !same {
		return ErrOtherPlaces
	}
	s.Runs += more.Runs
	for i := range s.Lines {
		s.Lines[i].Hits += more.Lines[i].Hits
	}
	for i := range s.Branches {
		s.Branches[i].Yes += more.Branches[i].Yes
		s.Branches[i].No += more.Branches[i].No
	}
	for i := range s.Functions {
		s.Functions[i].Hits += more.Functions[i].Hits
	}
	if s.Name == "" || more.Name != "" && more.Name < s.Name {
		s.Name = more.Name
	}
	if s.Source == "" {
		s.Source = more.Source
	}
	return nil
}

// read returns what has been counted of a text, and resets the counts if take is set.
func (t *coveredText) read(name string, take bool) ScriptCoverage {
	out := ScriptCoverage{SHA: t.sha, Name: name, Library: t.library, Source: t.source,
		Lines: []LineCoverage{}, Branches: []BranchCoverage{}, Functions: []FunctionCoverage{}}
	at := newPositions(t.source)
	lines := map[int]uint64{}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.functions {
		n := t.totals[i]
		calls := n[luac.Runs(0)]
		if i == 0 {
			out.Runs = calls
		} else {
			out.Functions = append(out.Functions, FunctionCoverage{Name: f.Name, Line: t.lines[i][0], EndLine: t.lines[i][1], Hits: calls})
		}
		for _, p := range f.Points {
			hits := n[p.Sum]
			for _, more := range p.More {
				hits += n[more]
			}
			line, _ := at.of(p.At + t.shift)
			lines[line] = max(lines[line], hits)
		}
		for _, b := range f.Branches {
			branch := BranchCoverage{Kind: branchKinds[b.Kind], Yes: n[b.Yes], No: n[b.No]}
			branch.Line, branch.Column = at.of(b.From + t.shift)
			branch.EndLine, branch.EndColumn = at.of(b.To + t.shift)
			out.Branches = append(out.Branches, branch)
		}
		if take {
			clear(n)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		out.Lines = append(out.Lines, LineCoverage{line, lines[line]})
	}
	slices.SortStableFunc(out.Branches, func(a, b BranchCoverage) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out
}

// positions converts indexes of bytes to lines and columns.
type positions []int // where each line begins

// newPositions counts lines as Lua does: "\r\n" and "\n\r" are one line break.
func newPositions(source string) positions {
	p := positions{0}
	for i := 0; i < len(source); i++ {
		c := source[i]
		if c != '\n' && c != '\r' {
			continue
		}
		if i+1 < len(source) && (source[i+1] == '\n' || source[i+1] == '\r') && source[i+1] != c {
			i++
		}
		p = append(p, i+1)
	}
	return p
}

func (p positions) of(at int) (line, column int) {
	line = sort.SearchInts(p, at+1)
	return line, at - p[line-1] + 1
}
