package formats

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// Names are the formats of [Print].
var Names = []string{"text", "lcov", "cobertura", "go", "html"}

// Print prints a report in a format. now is the time that the report shows.
func Print(w io.Writer, format string, r *coverage.Report, now time.Time) error {
	b := bufio.NewWriter(w)
	var err error
	switch format {
	case "text":
		text(b, r)
	case "lcov":
		lcov(b, r)
	case "cobertura":
		err = cobertura(b, r, now)
	case "go":
		goProfile(b, r)
	case "html":
		err = page(b, r, now)
	default:
		err = fmt.Errorf("coverage format %q is not one of %s", format, strings.Join(Names, ", "))
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// text prints a table.
func text(w io.Writer, r *coverage.Report) {
	width := len("total")
	for _, f := range r.Files {
		width = max(width, len(f.Path))
	}
	row := func(name string, t coverage.Totals, missed string) {
		line := fmt.Sprintf("%-*s %s %s %s  %s", width, name, percent(t.Lines), percent(t.Branches), percent(t.Functions), missed)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(w, "%-*s %7s %8s %9s  %s\n", width, "file", "lines", "branches", "functions", "not covered")
	for _, f := range r.Files {
		row(f.Path, f.Totals(), missed(f))
	}
	row("total", r.Totals(), "")
}

// percent prints a share; "-" if there are none.
func percent(s coverage.Share) string {
	if s.All == 0 {
		return fmt.Sprintf("%8s", "-")
	}
	return fmt.Sprintf("%7.1f%%", s.Percent())
}

// missed lists lines that were not reached, as ranges, lines with a way that was not taken, and
// functions that were never called, unless a line of the function is listed.
func missed(f *coverage.File) string {
	var list []string
	unreached := map[int]bool{}
	for i := 0; i < len(f.Lines); i++ {
		first := f.Lines[i]
		if first.Hits > 0 {
			continue
		}
		unreached[first.Line] = true
		last := first.Line
		for i+1 < len(f.Lines) && f.Lines[i+1].Hits == 0 {
			i++
			last = f.Lines[i].Line
			unreached[last] = true
		}
		if last == first.Line {
			list = append(list, fmt.Sprint(last))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", first.Line, last))
		}
	}
	for _, b := range f.Branches {
		if way := untaken(b); way != "" && !unreached[b.Line] {
			list = append(list, fmt.Sprintf("%d:%d %s", b.Line, b.Column, way))
		}
	}
	for _, fn := range f.Functions {
		shown := false
		for line := fn.Line; line <= fn.EndLine && !shown; line++ {
			shown = unreached[line]
		}
		if fn.Hits == 0 && !shown {
			list = append(list, fmt.Sprintf("%d %s never called", fn.Line, cmp.Or(fn.Name, "function")))
		}
	}
	return strings.Join(list, ", ")
}

// untaken says which way of a branch was not taken, or returns "".
func untaken(b luabridge.BranchCoverage) string {
	loop := b.Kind == luabridge.BranchFor
	switch {
	case b.Yes > 0 && (b.No > 0 || loop):
		return ""
	case b.Yes == 0 && b.No == 0:
		return "never evaluated"
	case b.Yes == 0 && loop:
		return "never an iteration"
	case b.Yes == 0:
		return "never true"
	}
	return "never false"
}

// lcov prints the format of lcov's geninfo.
func lcov(w io.Writer, r *coverage.Report) {
	for _, f := range r.Files {
		f, t := onLines(f), f.Totals()
		fmt.Fprintf(w, "TN:\nSF:%s\n", f.Path)
		names := functionNames(f)
		for i, fn := range f.Functions {
			fmt.Fprintf(w, "FN:%d,%s\n", fn.Line, names[i])
		}
		for i, fn := range f.Functions {
			fmt.Fprintf(w, "FNDA:%d,%s\n", fn.Hits, names[i])
		}
		fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", t.Functions.All, t.Functions.Hit)
		block, line := 0, 0
		for _, b := range f.Branches {
			if block++; b.Line != line {
				block, line = 0, b.Line
			}
			for way, n := range coverage.Ways(b) {
				hits := fmt.Sprint(n)
				if b.Yes == 0 && b.No == 0 {
					hits = "-"
				}
				fmt.Fprintf(w, "BRDA:%d,%d,%d,%s\n", b.Line, block, way, hits)
			}
		}
		fmt.Fprintf(w, "BRF:%d\nBRH:%d\n", t.Branches.All, t.Branches.Hit)
		for _, l := range f.Lines {
			fmt.Fprintf(w, "DA:%d,%d\n", l.Line, l.Hits)
		}
		fmt.Fprintf(w, "LF:%d\nLH:%d\nend_of_record\n", t.Lines.All, t.Lines.Hit)
	}
}

// functionNames returns names of the functions of a file, each of them different.
func functionNames(f *coverage.File) []string {
	names, seen := make([]string, len(f.Functions)), map[string]bool{}
	for i, fn := range f.Functions {
		name := fn.Name
		if name == "" {
			name = "anonymous"
		}
		if fn.Name == "" || seen[name] {
			name = fmt.Sprintf("%s:%d", name, fn.Line)
		}
		for n, base := 2, name; seen[name]; n++ {
			name = fmt.Sprintf("%s#%d", base, n)
		}
		names[i], seen[name] = name, true
	}
	return names
}

// onLines returns a copy of f in which each branch is on a line that has a count, as other programs
// expect: if its own line has none, on the last one before.
func onLines(f *coverage.File) *coverage.File {
	own := *f
	own.Branches = slices.Clone(f.Branches)
	for i := range own.Branches {
		b := &own.Branches[i]
		at, found := slices.BinarySearchFunc(f.Lines, b.Line, func(l luabridge.LineCoverage, line int) int { return l.Line - line })
		if !found && at > 0 {
			b.Line = f.Lines[at-1].Line
		}
	}
	return &own
}

// splitLines returns the lines of a text, as Lua counts them.
func splitLines(source string) []string {
	t := luatree.NewTree(source)
	lines := make([]string, t.Lines())
	for i := range lines {
		lines[i] = t.Text(t.Line(i + 1))
	}
	return lines
}

// goProfile prints the format of "go test -coverprofile". Paths begin with "./", so that "go tool
// cover -html" reads the files.
func goProfile(w io.Writer, r *coverage.Report) {
	fmt.Fprintln(w, "mode: count")
	for _, f := range r.Files {
		path := f.Path
		if f.Known && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, ".") {
			path = "./" + path
		}
		lines := splitLines(f.Source)
		for _, l := range f.Lines {
			text := lines[l.Line-1]
			from := len(text) - len(strings.TrimLeft(text, " \t")) + 1
			fmt.Fprintf(w, "%s:%d.%d,%d.%d 1 %d\n", path, l.Line, from, l.Line, max(len(text)+1, from), l.Hits)
		}
	}
}
