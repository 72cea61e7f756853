package formats

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// The data of the page.
type (
	pageData struct {
		Now    string
		Totals []pageShare
		Files  []pageFile
	}
	pageFile struct {
		ID     string
		Path   string
		Runs   uint64
		Totals []pageShare
		Lines  []pageLine
	}
	pageShare struct {
		Name     string // "lines"
		Percent  string // "87.5"
		Hit, All int
		Class    string // "full", "some", "low", "none"
	}
	pageLine struct {
		Number int
		Hits   string // "" if the line has no count
		Class  string // "hit", "miss", "part", ""
		Code   template.HTML
		Notes  []string
	}
)

// page prints the report as one HTML file.
func page(w io.Writer, r *coverage.Report, now time.Time) error {
	data := pageData{Now: now.Format("2006-01-02 15:04:05 MST"), Totals: pageShares(r.Totals())}
	for i, f := range r.Files {
		data.Files = append(data.Files, pageFile{ID: fmt.Sprintf("f%d", i+1), Path: f.Path, Runs: f.Runs, Totals: pageShares(f.Totals()),
			Lines: pageLines(f)})
	}
	return pageTemplate.Execute(w, data)
}

func pageShares(t coverage.Totals) []pageShare {
	share := func(name string, s coverage.Share) pageShare {
		p := pageShare{Name: name, Percent: fmt.Sprintf("%.1f", s.Percent()), Hit: s.Hit, All: s.All}
		switch percent := s.Percent(); {
		case s.All == 0:
			p.Class = "none"
		case percent >= 100:
			p.Class = "full"
		case percent >= 75:
			p.Class = "some"
		default:
			p.Class = "low"
		}
		return p
	}
	return []pageShare{share("lines", t.Lines), share("branches", t.Branches), share("functions", t.Functions)}
}

func pageLines(f *coverage.File) []pageLine {
	code := markedLines(f)
	lines := make([]pageLine, len(code))
	for i := range lines {
		lines[i] = pageLine{Number: i + 1, Code: code[i]}
	}
	for _, l := range f.Lines {
		line := &lines[l.Line-1]
		line.Hits, line.Class = fmt.Sprint(l.Hits), "hit"
		if l.Hits == 0 {
			line.Class = "miss"
		}
	}
	source := luatree.NewTree(f.Source)
	for _, b := range f.Branches {
		way := untaken(b)
		if way == "" {
			continue
		}
		line := &lines[b.Line-1]
		if line.Class != "miss" {
			line.Class = "part"
			line.Notes = append(line.Notes, shortCode(source.Text(branchRange(source, b)))+": "+way)
		}
	}
	for _, fn := range f.Functions {
		if line := &lines[fn.Line-1]; fn.Hits == 0 && line.Class != "miss" {
			line.Class = "part"
			line.Notes = append(line.Notes, cmp.Or(fn.Name, "the function")+": never called")
		}
	}
	return lines
}

func branchRange(t *luatree.Tree, b luabridge.BranchCoverage) luatree.Range {
	return luatree.Range{From: t.Line(b.Line).From + b.Column - 1, To: t.Line(b.EndLine).From + b.EndColumn - 1}
}

// shortCode returns code on one line, shortened in its middle.
func shortCode(code string) string {
	const longest = 48
	r := []rune(strings.Join(strings.Fields(code), " "))
	if len(r) > longest {
		r = slices.Concat(r[:longest/2-1], []rune("…"), r[len(r)-longest/2:])
	}
	return string(r)
}

// mark is a range of the source with the beginning of its element.
type mark struct {
	luatree.Range
	tag string
}

// markedLines returns the lines of a file as HTML, with its branches, comments and strings marked.
func markedLines(f *coverage.File) []template.HTML {
	source := luatree.NewTree(f.Source)
	marks := codeMarks(f.Source)
	for _, b := range f.Branches {
		class, counts := "way", fmt.Sprintf("true %d, false %d", b.Yes, b.No)
		if b.Kind == luabridge.BranchFor {
			counts = fmt.Sprintf("with iterations %d, without %d", b.Yes, b.No)
		}
		if way := untaken(b); way != "" {
			class, counts = "way untaken", way+" ("+counts+")"
		}
		marks = append(marks, mark{branchRange(source, b), `<span class="` + class + `" title="` + html.EscapeString(counts) + `">`})
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	out := make([]template.HTML, source.Lines())
	var open []mark
	next := 0
	for i := range out {
		var b strings.Builder
		line := source.Line(i + 1)
		for _, m := range open {
			b.WriteString(m.tag)
		}
		at := line.From
		for {
			stop := line.To // the next beginning or end of a mark
			if next < len(marks) {
				stop = min(stop, max(marks[next].From, at))
			}
			if n := len(open); n > 0 {
				stop = min(stop, max(open[n-1].To, at))
			}
			b.WriteString(escape(f.Source[at:stop]))
			at = stop
			if n := len(open); n > 0 && open[n-1].To <= at {
				b.WriteString("</span>")
				open = open[:n-1]
			} else if next < len(marks) && marks[next].From <= at && at < line.To {
				b.WriteString(marks[next].tag)
				open = append(open, marks[next])
				next++
			} else if at >= line.To {
				break
			}
		}
		b.WriteString(strings.Repeat("</span>", len(open)))
		out[i] = template.HTML(b.String()) //nolint:gosec // it is escaped above
	}
	return out
}

// escape escapes code for HTML. Bytes that are not UTF-8 become U+FFFD.
func escape(code string) string { return html.EscapeString(strings.ToValidUTF8(code, "\uFFFD")) }

// codeMarks marks comments and strings.
func codeMarks(source string) (marks []mark) {
	tree, err := luatree.Parse(source)
	if err != nil { // a part of a script
		return nil
	}
	for _, c := range tree.Comments {
		marks = append(marks, mark{c.Range, `<span class="comment">`})
	}
	luatree.Walk(tree.Main.Body, func(n luatree.Node) bool {
		if s, ok := n.(*luatree.String); ok && s.From < s.To && strings.ContainsAny(source[s.From:s.From+1], `"'[`) {
			marks = append(marks, mark{s.Range, `<span class="string">`})
		}
		return true
	})
	return marks
}
