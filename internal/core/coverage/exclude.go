package coverage

import (
	"regexp"
	"slices"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// excluding matches the comments that take lines out of reports.
var excluding = regexp.MustCompile(`--\s*redmoon:nocover(-begin|-end)?\b`)

// exclude removes what the comments of a file exclude: "redmoon:nocover" its line, and a pair with
// "-begin" and "-end" the lines from one to the other.
func (f *File) exclude() {
	out := map[int]bool{}
	text := luatree.NewTree(f.Source)
	inside := false
	for line := range text.Lines() {
		m := excluding.FindStringSubmatch(text.Text(text.Line(line + 1)))
		if m != nil && m[1] == "-begin" {
			inside = true
		}
		if m != nil || inside {
			out[line+1] = true
		}
		if m != nil && m[1] == "-end" {
			inside = false
		}
	}
	if len(out) == 0 {
		return
	}
	f.Lines = slices.DeleteFunc(f.Lines, func(l luabridge.LineCoverage) bool { return out[l.Line] })
	f.Branches = slices.DeleteFunc(f.Branches, func(b luabridge.BranchCoverage) bool { return out[b.Line] })
	f.Functions = slices.DeleteFunc(f.Functions, func(fn luabridge.FunctionCoverage) bool { return out[fn.Line] })
}
