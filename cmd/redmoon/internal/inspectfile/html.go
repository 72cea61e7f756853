package inspectfile

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/redmoon-lua/redmoon/internal/base/money"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// cell is a rectangle of the map: a prefix with those below it, or what is left of one.
type cell struct {
	Label, Size string       // the last part of the prefix, its bytes
	Title       string       // the whole prefix with its figures
	Style       template.CSS // place in percent of the cell around it, and colour
	Cells       []cell
}

// pageData is what the page shows. All texts are printable.
type pageData struct {
	Title, Facts string
	Damage       []string
	Maps         []pageMap
	Tables       []pageTable
}

type pageMap struct {
	Heading string
	Figures string // of all cells
	Cells   []cell
}

type pageTable struct {
	Heading string
	Titles  []pageTitle
	Rows    [][]string
}

type pageTitle struct {
	Text  string
	Right bool
}

// The picture is a rectangle of these sides.
const pictureWidth, pictureHeight = 1000, 560

// smallest is the share of the picture from which a prefix has a rectangle of its own.
const smallest = 0.0005

// PrintHTML prints the report as one page that needs no other file and loads nothing. The error is
// that of w.
func (r *Report) PrintHTML(w io.Writer) error {
	rec := &pageRecorder{}
	s := &screen{w: io.Discard, record: rec}
	if r.Keyspace != nil {
		s.keyspace(r.Keyspace, r.At)
	}
	if r.Commands != nil {
		s.commands(r.Commands)
	}
	data := pageData{
		Title:  SafeText(r.Path),
		Facts:  fmt.Sprintf("%s, %s; read %s", formatNames[r.Format], humanBytes(r.Size), r.At.UTC().Format("2006-01-02 15:04:05 UTC")),
		Tables: rec.tables,
	}
	for _, d := range r.Damage {
		data.Damage = append(data.Damage, fmt.Sprintf("%s: %s at offset %d: %s", SafeText(d.Path), d.Kind, d.Offset, SafeText(d.Message)))
	}
	if k := r.Keyspace; k != nil && k.Keys > 0 {
		data.Maps = append(data.Maps, pageMap{"Bytes by prefix", figures(k.Prefixes.tree.Totals), drawMap(k.Prefixes.tree)})
	}
	if c := r.Commands; c != nil && c.Prefixes.tree.Keys > 0 {
		data.Maps = append(data.Maps, pageMap{"Bytes of commands by prefix", figures(c.Prefixes.tree.Totals), drawMap(c.Prefixes.tree)})
	}
	return page.Execute(w, data)
}

// drawMap returns the cells of the whole tree.
func drawMap(root *prefixNode) []cell {
	return cells(root, rect{0, 0, pictureWidth, pictureHeight}, noHue)
}

// cells cuts area into the children of n. hue is the colour of the cells; noHue gives each its own.
// The depth of the recursion is at most maxDepth.
func cells(n *prefixNode, area rect, hue int) []cell {
	var (
		shown   []*prefixNode
		weights []float64
		rest    = n.Totals
		hidden  int
	)
	sorted := n.sorted()
	for i, c := range sorted {
		if float64(c.Bytes)/float64(max(n.Bytes, 1))*area.w*area.h < smallest*pictureWidth*pictureHeight {
			hidden = len(sorted) - i
			break
		}
		shown = append(shown, c)
		weights = append(weights, float64(c.Bytes))
		rest.Keys -= c.Keys
		rest.Bytes -= c.Bytes
	}
	if len(shown) == 0 && n.parent != nil {
		return nil // the cell of n says all
	}
	if rest.Bytes > 0 {
		weights = append(weights, float64(rest.Bytes))
	}
	rects := squarify(weights, area)
	list := make([]cell, 0, len(rects))
	for i, c := range shown {
		colour := hue
		if hue == noHue {
			colour = i * 137 % 360 // the golden angle: neighbours differ
		}
		list = append(list, cell{
			Label: newName(c.segment).String(), Size: humanBytes(c.Bytes),
			Title: title(c.name().String(), c.Totals), Style: place(rects[i], area, colour),
			Cells: cells(c, rects[i], colour),
		})
	}
	if rest.Bytes > 0 {
		name := "other keys"
		if hidden > 0 {
			name = fmt.Sprintf("other keys and %s small prefixes", money.Count(int64(hidden)))
		}
		list = append(list, cell{Label: name, Size: humanBytes(rest.Bytes), Title: title(name, rest), Style: place(rects[len(shown)], area, hue)})
	}
	return list
}

func title(name string, t Totals) string { return name + ": " + figures(t) }

func figures(t Totals) string {
	return fmt.Sprintf("%s keys, %s", money.Count(t.Keys), humanBytes(t.Bytes))
}

// noHue is the colour of the cells that stand for no prefix.
const noHue = -1

func place(r, in rect, hue int) template.CSS {
	colour := fmt.Sprintf("--hue:%d;--sat:45%%", hue)
	if hue == noHue {
		colour = "--hue:0;--sat:0%"
	}
	return template.CSS(fmt.Sprintf("left:%.3f%%;top:%.3f%%;width:%.3f%%;height:%.3f%%;%s",
		100*(r.x-in.x)/in.w, 100*(r.y-in.y)/in.h, 100*r.w/in.w, 100*r.h/in.h, colour))
}

// pageRecorder keeps the tables that are printed to a screen.
type pageRecorder struct {
	heading string
	tables  []pageTable
}

func (p *pageRecorder) table(titles []string, rows [][]string) {
	t := pageTable{Heading: p.heading, Rows: rows}
	for _, text := range titles {
		right := text[0] == '>'
		if right {
			text = text[1:]
		}
		t.Titles = append(t.Titles, pageTitle{text, right})
	}
	p.tables = append(p.tables, t)
}
