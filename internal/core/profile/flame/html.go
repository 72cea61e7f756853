package flame

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/profile"
	"github.com/redmoon-lua/redmoon/luabridge"
)

//go:embed flame.html
var flameText string

var flameTemplate = template.Must(template.New("flame").Parse(flameText))

// flameData is the data of the page.
type flameData struct {
	Now   string
	Span  string
	Tree  *node
	Units []string
	Names []string
	Lines []flameLine
}

type flameLine struct {
	File, Function           string
	Line                     int
	Time, Total              string
	Nanos, TotalNanos        int64
	Hits, Calls, Cmds, Bytes int64
}

// shownLines is the number of lines in the table of the page.
const shownLines = 200

// Write writes a profile as one HTML file: a flame view, and the lines that cost most.
func Write(w io.Writer, p *luabridge.Profile, now time.Time) error {
	samples := p.Samples()
	data := flameData{Now: now.Format("2006-01-02 15:04:05 MST"),
		Span: max(0, now.Sub(p.Since())).Round(time.Millisecond).String(), Tree: treeOf(samples)}
	for _, t := range profile.Types {
		data.Names, data.Units = append(data.Names, t.Name), append(data.Units, t.Unit)
	}
	lines := linesOf(samples)
	for _, l := range lines[:min(shownLines, len(lines))] {
		data.Lines = append(data.Lines, flameLine{File: l.File, Function: l.Function, Line: l.Line,
			Time: duration(l.Self[4]), Total: duration(l.Total),
			Nanos: l.Self[4], TotalNanos: l.Total, Hits: l.Self[0], Calls: l.Self[1], Cmds: l.Self[2], Bytes: l.Self[3]})
	}
	return flameTemplate.Execute(w, data)
}

// duration returns nanoseconds with three digits or more, such as "12.3ms".
func duration(nanos int64) string {
	d := time.Duration(nanos)
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.3gs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.3gms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.3gµs", d.Seconds()*1e6)
}
