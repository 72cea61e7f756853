package main

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/repo"
)

// reflowGo rewraps the comments that have lines of their own.
func reflowGo(source []byte, all bool) ([]byte, error) {
	if repo.IsGenerated(source) {
		return source, nil
	}
	lines, err := repo.GoLines(source)
	if err != nil {
		return nil, err
	}
	text := strings.Split(string(source), "\n")
	var out []string
	for i := 0; i < len(text); {
		if lines[i].Kind != repo.Comment || !strings.HasPrefix(strings.TrimSpace(text[i]), "//") {
			out = append(out, text[i])
			i++
			continue
		}
		indent := text[i][:strings.Index(text[i], "//")]
		n := i
		for n < len(text) && lines[n].Kind == repo.Comment && strings.HasPrefix(text[n], indent+"//") {
			n++
		}
		out = append(out, reflowComment(text[i:n], indent, all)...)
		i = n
	}
	return []byte(strings.Join(out, "\n")), nil
}

// reflowComment rewraps consecutive lines of a comment, all indented by indent.
func reflowComment(lines []string, indent string, all bool) []string {
	var out []string
	var p *paragraph
	margin := repo.Width(indent) + len("//")
	flush := func() {
		if p == nil {
			return
		}
		wrapped := p.wrap(margin, repo.MaxProse)
		if !all && !p.long(margin, repo.MaxProse) {
			wrapped = p.asIs()
		}
		for _, l := range wrapped {
			out = append(out, indent+"//"+l)
		}
		p = nil
	}
	for _, line := range lines {
		text := strings.TrimPrefix(line, indent+"//")
		body := strings.TrimLeft(text, " ")
		lead := text[:len(text)-len(body)]
		switch first, rest := itemLead(text); {
		case first != "" && len(lead) > 1:
			flush()
			p = &paragraph{first: first, rest: rest, lines: []string{strings.TrimPrefix(text, first)}}
		case p != nil && len(p.rest) > 1 && lead == p.rest && body != "": // continues the item
			p.lines = append(p.lines, body)
		case lead != " " || body == "" || strings.HasPrefix(body, "\t") || strings.HasPrefix(body, "# ") || strings.HasPrefix(body, "|"):
			flush()
			out = append(out, line)
		case p != nil && len(p.rest) == 1:
			p.lines = append(p.lines, body)
		default:
			flush()
			p = &paragraph{first: " ", rest: " ", lines: []string{body}}
		}
	}
	flush()
	return out
}

// asIs returns the lines with their leads.
func (p *paragraph) asIs() []string {
	lines := make([]string, len(p.lines))
	for i, l := range p.lines {
		lines[i] = p.rest + l
		if i == 0 {
			lines[i] = p.first + l
		}
	}
	return lines
}
