package scriptfiles

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

// printTable prints a line for each script: the SHA1, or a dash if only the running program knows
// it, the name, the lines, and what the program does to the text.
func printTable(w io.Writer, list []embedded.Script) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for i := range list {
		s := &list[i]
		sha := "-"
		if s.Exact() {
			sha = s.SHA1()
		}
		from, _ := s.Line(s.From)
		to, _ := s.Line(s.To)
		lines := fmt.Sprintf("line %d", from)
		if to > from {
			lines = fmt.Sprintf("lines %d-%d", from, to)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", sha, quoting.Word(s.Name), lines, remark(s))
	}
	_ = table.Flush()
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func remark(s *embedded.Script) string {
	text := ""
	switch n := len(s.Holes); n {
	case 0:
	case 1:
		text = "1 hole"
	default:
		text = fmt.Sprintf("%d holes", n)
	}
	if s.Changed {
		if text != "" {
			text += ", "
		}
		text += "changed by the program"
	}
	return text
}

// place is a place of a file.
type place struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type jsonHole struct {
	Kind   string `json:"kind"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
	From   place  `json:"from"`
	To     place  `json:"to"`
}

type jsonScript struct {
	Name    string     `json:"name"`
	Path    string     `json:"path"`
	Rule    string     `json:"rule"`
	From    place      `json:"from"`
	To      place      `json:"to"`
	SHA1    string     `json:"sha1,omitempty"`
	Changed bool       `json:"changed,omitempty"`
	Holes   []jsonHole `json:"holes"`
	Text    string     `json:"text"`
}

func printJSON(w io.Writer, list []embedded.Script) error {
	out := make([]jsonScript, 0, len(list))
	for i := range list {
		s := &list[i]
		at := func(offset int) place {
			line, column := s.Line(offset)
			return place{line, column}
		}
		j := jsonScript{Name: s.Name, Path: s.Path, Rule: s.Rule, From: at(s.From), To: at(s.To), Changed: s.Changed,
			Holes: []jsonHole{}, Text: s.Text}
		if s.Exact() {
			j.SHA1 = s.SHA1()
		}
		for _, h := range s.Holes {
			j.Holes = append(j.Holes, jsonHole{h.Kind.String(), h.Offset, h.Size, at(h.From), at(h.To)})
		}
		out = append(out, j)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
